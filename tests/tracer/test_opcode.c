/* Classes of instructions, whose bytes the assembler makes. Source of the classes: the processors'
 * manual, 253666 to 334569, by mnemonic. */
#include "../cmocked.h"

#include "tracer/opcode.h"
#include "tracer/ports.h"
#include "tracer/trace_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTRUCTIONS                                                                               \
    X(OTHER, "nop")                                                                                \
    X(OTHER, "add %eax, %ebx")                                                                     \
    X(OTHER, "lock incl (%rax)")                                                                   \
    X(OTHER, "not %ecx")                                                                           \
    X(OTHER, "testl $1, (%rax)")                                                                   \
    X(OTHER, "push (%rax)")                                                                        \
    X(OTHER, "incl (%rax)")                                                                        \
    X(OTHER, "rep movsb")                                                                          \
    X(OTHER, "syscall")                                                                            \
    X(OTHER, "mov %ds, %eax")                                                                      \
    X(OTHER, "push %fs")                                                                           \
    X(OTHER, "sete %al")                                                                           \
    X(OTHER, "cmove %eax, %ebx")                                                                   \
    X(OTHER, "shld $3, %eax, %ebx")                                                                \
    X(OTHER, "bsf %eax, %ebx")                                                                     \
    X(OTHER, "sfence")                                                                             \
    X(OTHER, "stmxcsr (%rax)")                                                                     \
    X(OTHER, "nopw (%rax)")                                                                        \
    X(CONDITIONAL_BRANCH, "jz .")                                                                  \
    X(CONDITIONAL_BRANCH, "jg . + 1000")                                                           \
    X(CONDITIONAL_BRANCH, "loop .")                                                                \
    X(CONDITIONAL_BRANCH, "jrcxz .")                                                               \
    X(JUMP, "jmp .")                                                                               \
    X(JUMP, "jmp . + 1000")                                                                        \
    X(JUMP, "iretq")                                                                               \
    X(INDIRECT_JUMP, "jmp *%r11")                                                                  \
    X(INDIRECT_JUMP, "jmp *8(%rax,%rbx,4)")                                                        \
    X(INDIRECT_JUMP, "ljmp *(%rax)")                                                               \
    X(INDIRECT_JUMP, "notrack jmp *%rax")                                                          \
    X(CALL, "call . + 1000")                                                                       \
    X(INDIRECT_CALL, "call *%rax")                                                                 \
    X(INDIRECT_CALL, "call *(%r12)")                                                               \
    X(INDIRECT_CALL, "lcall *(%rax)")                                                              \
    X(RETURN, "ret")                                                                               \
    X(RETURN, "ret $8")                                                                            \
    X(RETURN, "rep ret")                                                                           \
    X(RETURN, "lret")                                                                              \
    X(RETURN, "lret $8")                                                                           \
    X(MULTIPLY, "mul %cl")                                                                         \
    X(MULTIPLY, "mulq (%rax)")                                                                     \
    X(MULTIPLY, "imul %r9w")                                                                       \
    X(MULTIPLY, "imul %eax, %ebx")                                                                 \
    X(MULTIPLY, "imul %ax, %bx")                                                                   \
    X(MULTIPLY, "imul $3, %eax, %ebx")                                                             \
    X(MULTIPLY, "imul $300, %rax, %rbx")                                                           \
    X(DIVIDE, "div %cl")                                                                           \
    X(DIVIDE, "divq (%rax)")                                                                       \
    X(DIVIDE, "idiv %r9")                                                                          \
    X(SEGMENT_LOAD, "mov %eax, %ds")                                                               \
    X(SEGMENT_LOAD, "mov (%rax), %es")                                                             \
    X(SEGMENT_LOAD, "pop %fs")                                                                     \
    X(SEGMENT_LOAD, "pop %gs")                                                                     \
    X(SEGMENT_LOAD, "lss (%rax), %ebx")                                                            \
    X(SEGMENT_LOAD, "lfs (%rax), %ebx")                                                            \
    X(SEGMENT_LOAD, "lgs (%rax), %ebx")                                                            \
    X(X87, "fldt (%rax)")                                                                          \
    X(X87, "fld %st(2)")                                                                           \
    X(X87, "fldl (%rax)")                                                                          \
    X(X87, "fstps (%rax)")                                                                         \
    X(X87, "fistpll (%rax)")                                                                       \
    X(X87, "fbld (%rax)")                                                                          \
    X(X87, "fxch")                                                                                 \
    X(X87, "fldpi")                                                                                \
    X(X87, "fldz")                                                                                 \
    X(X87, "fchs")                                                                                 \
    X(X87, "fabs")                                                                                 \
    X(X87, "fxam")                                                                                 \
    X(X87, "fxtract")                                                                              \
    X(X87, "frndint")                                                                              \
    X(X87, "fscale")                                                                               \
    X(X87, "fincstp")                                                                              \
    X(X87, "fdecstp")                                                                              \
    X(X87, "fcmove %st(1), %st")                                                                   \
    X(X87, "fcmovnu %st(1), %st")                                                                  \
    X(X87, "ffree %st(1)")                                                                         \
    X(X87, "fnstsw %ax")                                                                           \
    X(X87, "fnstcw (%rax)")                                                                        \
    X(X87, "fninit")                                                                               \
    X(X87, "fnclex")                                                                               \
    X(X87, "fst %st(1)")                                                                           \
    X(X87, "fnop")                                                                                 \
    X(X87_COMPUTE, "fadds (%rax)")                                                                 \
    X(X87_COMPUTE, "faddl (%rax)")                                                                 \
    X(X87_COMPUTE, "fiadds (%rax)")                                                                \
    X(X87_COMPUTE, "fiaddl (%rax)")                                                                \
    X(X87_COMPUTE, "faddp")                                                                        \
    X(X87_COMPUTE, "fadd %st(1), %st")                                                             \
    X(X87_COMPUTE, "fadd %st, %st(1)")                                                             \
    X(X87_COMPUTE, "fsubrp")                                                                       \
    X(X87_COMPUTE, "fisubl (%rax)")                                                                \
    X(X87_COMPUTE, "fcom")                                                                         \
    X(X87_COMPUTE, "fcoml (%rax)")                                                                 \
    X(X87_COMPUTE, "fcompp")                                                                       \
    X(X87_COMPUTE, "ficompl (%rax)")                                                               \
    X(X87_COMPUTE, "fucom")                                                                        \
    X(X87_COMPUTE, "fucomp")                                                                       \
    X(X87_COMPUTE, "fucompp")                                                                      \
    X(X87_COMPUTE, "fcomi")                                                                        \
    X(X87_COMPUTE, "fcomip")                                                                       \
    X(X87_COMPUTE, "fucomi")                                                                       \
    X(X87_COMPUTE, "fucomip")                                                                      \
    X(X87_COMPUTE, "ftst")                                                                         \
    X(X87_COMPUTE, "fsqrt")                                                                        \
    X(X87_COMPUTE, "fprem")                                                                        \
    X(X87_COMPUTE, "fprem1")                                                                       \
    X(X87_COMPUTE, "f2xm1")                                                                        \
    X(X87_COMPUTE, "fyl2x")                                                                        \
    X(X87_COMPUTE, "fyl2xp1")                                                                      \
    X(X87_COMPUTE, "fptan")                                                                        \
    X(X87_COMPUTE, "fpatan")                                                                       \
    X(X87_COMPUTE, "fsin")                                                                         \
    X(X87_COMPUTE, "fcos")                                                                         \
    X(X87_COMPUTE, "fsincos")                                                                      \
    X(X87_MULTIPLY, "fmuls (%rax)")                                                                \
    X(X87_MULTIPLY, "fmul %st(3), %st")                                                            \
    X(X87_MULTIPLY, "fmulp")                                                                       \
    X(X87_MULTIPLY, "fimull (%rax)")                                                               \
    X(X87_DIVIDE, "fdivl (%rax)")                                                                  \
    X(X87_DIVIDE, "fdivr %st(3), %st")                                                             \
    X(X87_DIVIDE, "fdivrp")                                                                        \
    X(X87_DIVIDE, "fidivrs (%rax)")                                                                \
    X(MMX, "movd %eax, %mm0")                                                                      \
    X(MMX, "movq (%rax), %mm0")                                                                    \
    X(MMX, "movq %mm0, %mm1")                                                                      \
    X(MMX, "movd %mm0, %eax")                                                                      \
    X(MMX, "pcmpeqd %mm0, %mm1")                                                                   \
    X(MMX, "pcmpgtw (%rax), %mm1")                                                                 \
    X(MMX, "pshufw $1, %mm0, %mm1")                                                                \
    X(MMX, "pinsrw $1, %eax, %mm1")                                                                \
    X(MMX, "pextrw $1, %mm1, %eax")                                                                \
    X(MMX, "pmovmskb %mm1, %eax")                                                                  \
    X(MMX, "movq2dq %mm1, %xmm9")                                                                  \
    X(MMX, "movdq2q %xmm9, %mm1")                                                                  \
    X(MMX_STORE, "movq %mm0, (%rax)")                                                              \
    X(MMX_STORE, "movd %mm0, 8(%r12)")                                                             \
    X(MMX_MULTIPLY, "pmullw %mm0, %mm1")                                                           \
    X(MMX_MULTIPLY, "pmulhw %mm0, %mm1")                                                           \
    X(MMX_MULTIPLY, "pmulhuw (%rax), %mm1")                                                        \
    X(MMX_MULTIPLY, "pmaddwd %mm0, %mm1")                                                          \
    X(MMX_MULTIPLY, "pmuludq %mm0, %mm1")                                                          \
    X(MMX_SHIFT, "psllw $1, %mm1")                                                                 \
    X(MMX_SHIFT, "psrad $1, %mm1")                                                                 \
    X(MMX_SHIFT, "psrlq $1, %mm1")                                                                 \
    X(MMX_SHIFT, "psrlw %mm0, %mm1")                                                               \
    X(MMX_SHIFT, "psraw %mm0, %mm1")                                                               \
    X(MMX_SHIFT, "psllq (%rax), %mm1")                                                             \
    X(MMX_PACK, "packsswb %mm0, %mm1")                                                             \
    X(MMX_PACK, "packssdw %mm0, %mm1")                                                             \
    X(MMX_PACK, "packuswb %mm0, %mm1")                                                             \
    X(MMX_UNPACK, "punpcklbw %mm0, %mm1")                                                          \
    X(MMX_UNPACK, "punpckldq %mm0, %mm1")                                                          \
    X(MMX_UNPACK, "punpckhbw %mm0, %mm1")                                                          \
    X(MMX_UNPACK, "punpckhdq %mm0, %mm1")                                                          \
    X(MMX_LOGICAL, "pand %mm0, %mm1")                                                              \
    X(MMX_LOGICAL, "pandn %mm0, %mm1")                                                             \
    X(MMX_LOGICAL, "por %mm0, %mm1")                                                               \
    X(MMX_LOGICAL, "pxor %mm0, %mm1")                                                              \
    X(MMX_ARITHMETIC, "paddb %mm0, %mm1")                                                          \
    X(MMX_ARITHMETIC, "paddd %mm0, %mm1")                                                          \
    X(MMX_ARITHMETIC, "paddq %mm0, %mm1")                                                          \
    X(MMX_ARITHMETIC, "psubb %mm0, %mm1")                                                          \
    X(MMX_ARITHMETIC, "psubq %mm0, %mm1")                                                          \
    X(MMX_ARITHMETIC, "pavgb %mm0, %mm1")                                                          \
    X(MMX_ARITHMETIC, "pavgw %mm0, %mm1")                                                          \
    X(MMX_ARITHMETIC, "pminub %mm0, %mm1")                                                         \
    X(MMX_ARITHMETIC, "pmaxub %mm0, %mm1")                                                         \
    X(MMX_ARITHMETIC, "pminsw %mm0, %mm1")                                                         \
    X(MMX_ARITHMETIC, "pmaxsw %mm0, %mm1")                                                         \
    X(MMX_ARITHMETIC, "psadbw %mm0, %mm1")                                                         \
    X(MMX_SATURATING, "paddsb %mm0, %mm1")                                                         \
    X(MMX_SATURATING, "paddsw %mm0, %mm1")                                                         \
    X(MMX_SATURATING, "paddusb %mm0, %mm1")                                                        \
    X(MMX_SATURATING, "paddusw %mm0, %mm1")                                                        \
    X(MMX_SATURATING, "psubsb %mm0, %mm1")                                                         \
    X(MMX_SATURATING, "psubsw %mm0, %mm1")                                                         \
    X(MMX_SATURATING, "psubusb %mm0, %mm1")                                                        \
    X(MMX_SATURATING, "psubusw %mm0, %mm1")                                                        \
    X(MMX_WEAK_STORE, "movntq %mm0, (%rax)")                                                       \
    X(MMX_WEAK_STORE, "maskmovq %mm0, %mm1")                                                       \
    X(EMMS, "emms")                                                                                \
    X(PS, "movaps %xmm0, %xmm1")                                                                   \
    X(PS, "movups %xmm8, (%rax)")                                                                  \
    X(PS, "movlps (%rax), %xmm1")                                                                  \
    X(PS, "movhps %xmm1, (%rax)")                                                                  \
    X(PS, "movhlps %xmm1, %xmm2")                                                                  \
    X(PS, "unpcklps %xmm1, %xmm2")                                                                 \
    X(PS, "shufps $1, %xmm1, %xmm2")                                                               \
    X(PS, "movmskps %xmm1, %eax")                                                                  \
    X(PS, "xorps %xmm1, %xmm2")                                                                    \
    X(PS, "andnps %xmm1, %xmm2")                                                                   \
    X(PD, "movapd %xmm0, %xmm1")                                                                   \
    X(PD, "movupd (%r9), %xmm1")                                                                   \
    X(PD, "movlpd (%rax), %xmm1")                                                                  \
    X(PD, "unpckhpd %xmm1, %xmm2")                                                                 \
    X(PD, "shufpd $1, %xmm1, %xmm2")                                                               \
    X(PD, "movmskpd %xmm1, %eax")                                                                  \
    X(PD, "orpd %xmm1, %xmm2")                                                                     \
    X(SS, "movss (%rax), %xmm1")                                                                   \
    X(SS, "movss %xmm9, (%rax)")                                                                   \
    X(SD, "movsd (%rax), %xmm1")                                                                   \
    X(SD, "movsd %xmm1, %xmm2")                                                                    \
    X(PS_COMPUTE, "addps %xmm1, %xmm2")                                                            \
    X(PS_COMPUTE, "mulps (%rax), %xmm2")                                                           \
    X(PS_COMPUTE, "subps %xmm1, %xmm12")                                                           \
    X(PS_COMPUTE, "divps %xmm1, %xmm2")                                                            \
    X(PS_COMPUTE, "minps %xmm1, %xmm2")                                                            \
    X(PS_COMPUTE, "maxps %xmm1, %xmm2")                                                            \
    X(PS_COMPUTE, "sqrtps %xmm1, %xmm2")                                                           \
    X(PS_COMPUTE, "rsqrtps %xmm1, %xmm2")                                                          \
    X(PS_COMPUTE, "rcpps %xmm1, %xmm2")                                                            \
    X(PS_CONVERT, "cmpltps %xmm1, %xmm2")                                                          \
    X(PS_CONVERT, "cvtpi2ps %mm0, %xmm2")                                                          \
    X(PS_CONVERT, "cvttps2pi %xmm2, %mm0")                                                         \
    X(PS_CONVERT, "cvtdq2ps %xmm2, %xmm0")                                                         \
    X(PS_CONVERT, "cvttps2dq %xmm2, %xmm0")                                                        \
    X(PD_COMPUTE, "addpd %xmm1, %xmm2")                                                            \
    X(PD_COMPUTE, "sqrtpd %xmm1, %xmm2")                                                           \
    X(PD_CONVERT, "cmpeqpd %xmm1, %xmm2")                                                          \
    X(PD_CONVERT, "cvtpd2pi %xmm1, %mm0")                                                          \
    X(PD_CONVERT, "cvtpd2ps %xmm1, %xmm2")                                                         \
    X(PD_CONVERT, "cvtps2pd %xmm1, %xmm2")                                                         \
    X(PD_CONVERT, "cvtdq2pd %xmm1, %xmm2")                                                         \
    X(PD_CONVERT, "cvtpd2dq %xmm1, %xmm2")                                                         \
    X(PD_CONVERT, "cvttpd2dq %xmm1, %xmm2")                                                        \
    X(SS_COMPUTE, "addss %xmm1, %xmm2")                                                            \
    X(SS_COMPUTE, "rcpss %xmm1, %xmm2")                                                            \
    X(SS_CONVERT, "comiss %xmm1, %xmm2")                                                           \
    X(SS_CONVERT, "ucomiss (%rax), %xmm2")                                                         \
    X(SS_CONVERT, "cvtsi2ssq %rax, %xmm2")                                                         \
    X(SS_CONVERT, "cvttss2si %xmm2, %rax")                                                         \
    X(SD_COMPUTE, "divsd %xmm1, %xmm2")                                                            \
    X(SD_CONVERT, "cmpsd $0, %xmm1, %xmm2")                                                        \
    X(SD_CONVERT, "ucomisd %xmm1, %xmm2")                                                          \
    X(SD_CONVERT, "cvtsi2sdl %eax, %xmm2")                                                         \
    X(SD_CONVERT, "cvtss2sd %xmm1, %xmm2")                                                         \
    X(SD_CONVERT, "cvtsd2ss %xmm1, %xmm2")                                                         \
    X(PS_WEAK_STORE, "movntps %xmm1, (%rax)")                                                      \
    X(PD_WEAK_STORE, "movntpd %xmm1, (%rax)")                                                      \
    X(WEAK_STORE, "movnti %eax, (%rax)")                                                           \
    X(WEAK_STORE, "movntdq %xmm8, (%rax)")                                                         \
    X(WEAK_STORE, "maskmovdqu %xmm1, %xmm2")                                                       \
    X(PREFETCH_NTA, "prefetchnta (%rax)")                                                          \
    X(PREFETCH_T1, "prefetcht1 (%r10)")                                                            \
    X(PREFETCH_T2, "prefetcht2 (%rax)")                                                            \
    X(OTHER, "prefetcht0 (%rax)")                                                                  \
    X(OTHER, "prefetchw (%rax)") /* of 128 bits, or later than the P6 family: */                   \
    X(OTHER, "movdqa %xmm1, %xmm2")                                                                \
    X(OTHER, "movd %xmm1, %eax")                                                                   \
    X(OTHER, "movq %xmm1, (%rax)")                                                                 \
    X(OTHER, "paddsw %xmm1, %xmm2")                                                                \
    X(OTHER, "psllw $1, %xmm2")                                                                    \
    X(OTHER, "pxor %xmm1, %xmm2")                                                                  \
    X(OTHER, "pshufd $1, %xmm1, %xmm2")                                                            \
    X(LATER_PS, "haddps %xmm1, %xmm2")                                                             \
    X(LATER_PD, "hsubpd %xmm1, %xmm2")                                                             \
    X(LATER_PS, "addsubps (%rax), %xmm2")                                                          \
    X(TWICE_PS, "dpps $1, %xmm1, %xmm2")                                                           \
    X(TWICE_PD, "dppd $1, %xmm1, %xmm2")                                                           \
    X(OTHER, "movddup %xmm1, %xmm2")                                                               \
    X(OTHER, "pshufb %mm1, %mm2")                                                                  \
    X(OTHER, "popcnt %eax, %ebx")                                                                  \
    X(LATER_PS, "vrcpps %xmm1, %xmm2")                                                             \
    X(LATER_PD, "vmaxpd (%r9), %xmm2, %xmm3")                                                      \
    X(LATER_SS, "vrsqrtss %xmm1, %xmm2, %xmm3")                                                    \
    X(LATER_SD, "vmulsd %xmm1, %xmm2, %xmm13")                                                     \
    X(LATER_PS_256, "vaddps %ymm1, %ymm2, %ymm3")                                                  \
    X(LATER_PS_256, "vhaddps %ymm1, %ymm2, %ymm13")                                                \
    X(LATER_PD_256, "vsqrtpd (%rax,%r11), %ymm2")                                                  \
    X(TWICE_PS, "vfmadd132ps %xmm1, %xmm2, %xmm3")                                                 \
    X(TWICE_PD, "vfnmsub213pd (%rax), %xmm2, %xmm3")                                               \
    X(TWICE_SS, "vfmsub231ss %xmm1, %xmm2, %xmm3")                                                 \
    X(TWICE_SD, "vfmadd213sd %xmm9, %xmm2, %xmm3")                                                 \
    X(TWICE_PS_256, "vfmaddsub213ps %ymm1, %ymm2, %ymm3")                                          \
    X(TWICE_PS_256, "vdpps $1, %ymm1, %ymm2, %ymm3")                                               \
    X(TWICE_PD_256, "vfmsubadd231pd %ymm1, %ymm2, %ymm3")                                          \
    X(OTHER, "vcmpps $1, %ymm1, %ymm2, %ymm3")                                                     \
    X(OTHER, "vcvtps2pd %xmm1, %ymm2")                                                             \
    X(OTHER, "vmovaps %ymm1, %ymm2")                                                               \
    X(OTHER, "vxorpd %ymm1, %ymm2, %ymm3")                                                         \
    X(OTHER, "vzeroupper")                                                                         \
    X(OTHER, "vpmaxsd %ymm1, %ymm2, %ymm3")                                                        \
    X(OTHER, "vgatherdpd %ymm1, (%rax,%xmm2,8), %ymm3")                                            \
    X(OTHER, "vpmullw %xmm1, %xmm2, %xmm3")

/* Where each instruction is: begin and end, in a table of its own. */
#define X(class, text)                                                                             \
    __asm__(".pushsection .text\n1: " text "\n2: .popsection\n"                                    \
            ".pushsection instructions, \"aw\"\n.quad 1b, 2b\n.popsection\n");
INSTRUCTIONS
#undef X
extern const struct place {
    const uint8_t *begin, *end;
} __start_instructions[], __stop_instructions[];

#define X(class, text) {BX_CLASS_##class, text},
static const struct expected {
    enum bx_instruction_class class;
    const char *text;
} expected[] = {INSTRUCTIONS};
#undef X
enum { EXPECTED = sizeof expected / sizeof *expected };

static void by_its_bytes(void **state)
{
    (void)state;
    unsigned found[BX_CLASSES] = {0};
    assert_int_equal(__stop_instructions - __start_instructions, EXPECTED);
    for (unsigned i = 0; i < EXPECTED; i++) {
        const struct place *p = &__start_instructions[i];
        unsigned class = bx_instruction_class_of(p->begin, (size_t)(p->end - p->begin));
        if (class != expected[i].class)
            fail_msg("%s: class %u, not %u", expected[i].text, class, expected[i].class);
        found[class]++;
    }
    for (unsigned class = 0; class < BX_CLASSES; class ++)
        assert_true(found[class]);
}

/* Ports: 253666, appendix A; Agner Fog, instruction_tables.pdf, for what needs none. */
#define PORTED                                                                                     \
    Y("mov (%rax), %ebx", .loads = 1)                                                              \
    Y("mov %eax, (%rbx)", .operations = 0)                                                         \
    Y("mov %rax, %rbx", .operations = 0)                                                           \
    Y("mov $5, %eax", .operations = 1)                                                             \
    Y("movl $5, (%rax)", .operations = 0)                                                          \
    Y("movzbl (%r12), %eax", .loads = 1)                                                           \
    Y("movzbl %bl, %eax", .operations = 1)                                                         \
    Y("push %rax", .operations = 0)                                                                \
    Y("nopw (%rax)", .operations = 0)                                                              \
    Y("add (%rax), %ebx", .operations = 1)                                                         \
    Y("jz .", .operations = 1)                                                                     \
    Y("lea 1(%rax), %rbx", .operations = 1)                                                        \
    Y("imul %rax, %rbx", .operations = 1, .integer_multiplications = 1)                            \
    Y("mulq (%rax)", .operations = 1, .integer_multiplications = 1)                                \
    Y("div %ecx", .operations = 1, .divisions[BX_DIVIDE_32] = 1)                                   \
    Y("idivq (%r9)", .operations = 1, .divisions[BX_DIVIDE_128] = 1)                               \
    Y("not %rcx", .operations = 1)                                                                 \
    Y("movups (%rax), %xmm1", .loads = 1)                                                          \
    Y("movaps %xmm1, %xmm2", .operations = 0)                                                      \
    Y("movntps %xmm1, (%rax)", .operations = 0)                                                    \
    Y("addps %xmm1, %xmm2", .operations = 1, .additions = 1)                                       \
    Y("ucomisd (%rax), %xmm2", .operations = 1, .additions = 1)                                    \
    Y("mulsd %xmm1, %xmm12", .operations = 1, .multiplications = 1)                                \
    Y("divss %xmm1, %xmm2", .operations = 1, .divisions[BX_DIVIDE_SINGLE] = 1)                     \
    Y("divpd %xmm1, %xmm2", .operations = 1, .divisions[BX_DIVIDE_DOUBLE] = 1)                     \
    Y("sqrtsd %xmm1, %xmm2", .operations = 1, .divisions[BX_ROOT_DOUBLE] = 1)                      \
    Y("pxor %xmm1, %xmm2", .operations = 1)                                                        \
    Y("vmovupd (%rax), %ymm1", .loads = 1)                                                         \
    Y("vmovapd %ymm9, (%r10)", .operations = 0)                                                    \
    Y("vaddpd (%rax,%r11), %ymm2, %ymm3", .operations = 1, .additions = 1)                         \
    Y("vmulsd %xmm1, %xmm2, %xmm13", .operations = 1, .multiplications = 1)                        \
    Y("vdivps %ymm1, %ymm2, %ymm3", .operations = 1, .divisions[BX_DIVIDE_SINGLE] = 2)             \
    Y("vsqrtpd %xmm1, %xmm2", .operations = 1, .divisions[BX_ROOT_DOUBLE] = 1)                     \
    Y("vfmadd231pd %ymm1, %ymm2, %ymm3", .operations = 1, .multiplications = 1)

#define Y(text, ...)                                                                               \
    __asm__(".pushsection .text\n1: " text "\n2: .popsection\n"                                    \
            ".pushsection ported, \"aw\"\n.quad 1b, 2b\n.popsection\n");
PORTED
#undef Y
extern const struct place __start_ported[], __stop_ported[];

static void ports_by_bytes(void **state)
{
    (void)state;
#define Y(text, ...) {text, {__VA_ARGS__}},
    static const struct {
        const char *text;
        bx_trace_ports ports;
    } cases[] = {PORTED};
#undef Y
    assert_int_equal(__stop_ported - __start_ported, sizeof cases / sizeof *cases);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_trace_ports p = {0};
        const struct place *at = &__start_ported[i];
        enum bx_upper_half upper = BX_UPPER_HALF_ANY;
        bx_ports_add(&p, &upper, at->begin, (size_t)(at->end - at->begin));
        if (memcmp(&p, &cases[i].ports, sizeof p) != 0)
            fail_msg("%s", cases[i].text);
        bx_trace_recurrence chain = {0};
        uint64_t rest = bx_trace_divides_entry(p, chain);
        p = bx_trace_entry_ports(bx_trace_ports_entry(p));
        if (rest)
            bx_trace_read_divides(rest, &p, &chain);
        assert_memory_equal(&p, &cases[i].ports, sizeof p);
    }
}

/* Which division the last of some instructions is, by what those before it have left in RDX: their
 * bytes. */
static void divisions_by_their_upper_half(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        enum bx_division last;
    } cases[] = {
        {"48f7f1", BX_DIVIDE_128},
        {"31d2 48f7f1", BX_DIVIDE_64},         /* xor edx, edx; div rcx */
        {"33d2 48f7f1", BX_DIVIDE_64},         /* the same */
        {"29d2 48f7f1", BX_DIVIDE_64},         /* sub edx, edx */
        {"ba00000000 48f7f1", BX_DIVIDE_64},   /* mov edx, 0 */
        {"ba00000100 48f7f1", BX_DIVIDE_128},  /* mov edx, 10000H */
        {"4531d2 48f7f1", BX_DIVIDE_128},      /* xor r10d, r10d */
        {"6631d2 48f7f1", BX_DIVIDE_128},      /* xor dx, dx */
        {"31d2 4801c8 48f7f1", BX_DIVIDE_64},  /* add rax, rcx */
        {"31d2 48f7f1 48f7f1", BX_DIVIDE_128}, /* a remainder */
        {"31d2 48f7e1 48f7f1", BX_DIVIDE_128}, /* mul rcx */
        {"31d2 f7f1", BX_DIVIDE_32},           /* div ecx */
        {"4899 48f7f9", BX_DIVIDE_SIGNED},     /* cqo; idiv rcx */
        {"31d2 48f7f9", BX_DIVIDE_SIGNED},
        {"4899 48f7f1", BX_DIVIDE_128},
        {"99 48f7f9", BX_DIVIDE_128}, /* cdq */
        {"48f7f9", BX_DIVIDE_128},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bx_trace_ports p = {0};
        enum bx_upper_half upper = BX_UPPER_HALF_ANY;
        enum bx_division last = BX_DIVISIONS;
        for (const char *at = cases[c].bytes; *at; at += *at == ' ') {
            uint8_t bytes[8];
            size_t n = 0;
            for (unsigned value; sscanf(at, "%2x", &value) == 1 && *at != ' '; at += 2)
                bytes[n++] = (uint8_t)value;
            last = bx_ports_add(&p, &upper, bytes, n);
        }
        if (last != cases[c].last)
            fail_msg("%s: %u, not %u", cases[c].bytes, last, cases[c].last);
        assert_int_equal(p.divisions[last], 1);
    }
}

/* Any bytes: no byte past their end is read; sanitizers would notice it. */
static void of_any_bytes(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 256; first++)
        for (unsigned second = 0; second < 256; second++) {
            uint8_t *bytes = malloc(2);
            assert_non_null(bytes);
            bytes[0] = (uint8_t)first;
            bytes[1] = (uint8_t)second;
            for (size_t n = 0; n <= 2; n++) {
                assert_true(bx_instruction_class_of(bytes + 2 - n, n) < BX_CLASSES);
                bx_opcode_non_temporal(bytes + 2 - n, n);
                enum bx_upper_half upper = BX_UPPER_HALF_ANY;
                bx_ports_add(&(bx_trace_ports){0}, &upper, bytes + 2 - n, n);
            }
            free(bytes);
        }
}

/* What steers caches, and where it points to: 253666, 2.1.5 and 2.2.1. */
static void steering_instructions(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[12];
        unsigned length;
        int what, base, index;
        unsigned shift;
        int displacement;
        bool relative;
    } all[] = {
        {{0x0f, 0x18, 0x08}, 3, BX_TRACE_PREFETCH_T0, 0, -1, 0, 0, false},
        {{0x41, 0x0f, 0x18, 0x50, 0x40}, 5, BX_TRACE_PREFETCH_T1, 8, -1, 0, 64, false},
        {{0x0f, 0x18, 0x9c, 0xb3, 0xc0, 0xff, 0xff, 0xff},
         8,
         BX_TRACE_PREFETCH_T2,
         3,
         6,
         2,
         -64,
         false},
        {{0x42, 0x0f, 0x18, 0x04, 0x25, 0, 1, 0, 0},
         9,
         BX_TRACE_PREFETCH_NTA,
         -1,
         12,
         0,
         256,
         false},
        {{0x0f, 0x18, 0x04, 0x24}, 4, BX_TRACE_PREFETCH_NTA, 4, -1, 0, 0, false},
        {{0x0f, 0x0d, 0x0d, 0, 1, 0, 0}, 7, BX_TRACE_PREFETCH_W, -1, -1, 0, 256, true},
        {{0x0f, 0xae, 0x7d, 0x80}, 4, BX_TRACE_FLUSHES, 5, -1, 0, -128, false},
        {{0x66, 0x0f, 0xae, 0x38}, 4, BX_TRACE_FLUSHES, 0, -1, 0, 0, false},
        {{0x66, 0x0f, 0xae, 0x30}, 4, BX_TRACE_WRITES_BACK, 0, -1, 0, 0, false},
        {{0x0f, 0xae, 0xf8}, 3, -1, 0, 0, 0, 0, false}, /* SFENCE */
        {{0x0f, 0xae, 0x30}, 3, -1, 0, 0, 0, 0, false}, /* XSAVEOPT */
        {{0x0f, 0x18, 0xc8}, 3, -1, 0, 0, 0, 0, false},
        {{0x0f, 0x1f, 0x00}, 3, -1, 0, 0, 0, 0, false}, /* NOP */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bx_memory_operand m;
        assert_int_equal(bx_opcode_steers(all[i].bytes, all[i].length, &m), all[i].what);
        if (all[i].what < 0)
            continue;
        assert_int_equal(m.base, all[i].base);
        assert_int_equal(m.index, all[i].index);
        assert_int_equal(m.displacement, all[i].displacement);
        assert_int_equal(m.relative, all[i].relative);
        assert_int_equal(m.length, all[i].length);
        if (m.index >= 0)
            assert_int_equal(m.shift, all[i].shift);
    }
}

/* 253667, MOVS and STOS; 253666, 2.2.1.2: REX.W goes before 66. */
static void repeated_stores(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[5];
        unsigned length, stored;
    } all[] = {
        {{0xf3, 0xaa}, 2, 1},
        {{0xf3, 0xa4}, 2, 1},
        {{0xf3, 0xab}, 2, 4},
        {{0xf3, 0x48, 0xab}, 3, 8},
        {{0x66, 0xf3, 0xa5}, 3, 2},
        {{0xf3, 0x66, 0x48, 0xa5}, 4, 8},
        {{0xf3, 0x48, 0xaa}, 3, 1},
        {{0xaa}, 1, 0},                   /* without REP */
        {{0xf2, 0xaa}, 2, 0},             /* not REP */
        {{0xf3, 0xa6}, 2, 0},             /* CMPS */
        {{0xf3, 0xac}, 2, 0},             /* LODS */
        {{0x67, 0xf3, 0xaa}, 3, 0},       /* EDI, ECX */
        {{0xf3, 0x0f, 0x1e, 0xaa}, 4, 0}, /* another map */
        {{0xf3}, 1, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(bx_opcode_repeated_store(all[i].bytes, all[i].length), all[i].stored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steering_instructions),
        cmocka_unit_test(repeated_stores),
        cmocka_unit_test(by_its_bytes),
        cmocka_unit_test(ports_by_bytes),
        cmocka_unit_test(divisions_by_their_upper_half),
        cmocka_unit_test(of_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
