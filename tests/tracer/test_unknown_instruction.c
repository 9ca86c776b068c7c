/* Kinds of instructions that Valgrind does not know. The bytes are the assembler's. */
#include "../cmocked.h"

#include "tracer/unknown_instruction.h"

#include <stdlib.h>
#include <string.h>

#define INSTRUCTIONS                                                                               \
    X("AVX-512", "vaddps %zmm0, %zmm1, %zmm2")                                                     \
    X("RDRAND", "rdrand %eax")                                                                     \
    X("RDSEED", "rdseed %rax")                                                                     \
    X("RDPID", "rdpid %rax")                                                                       \
    X("XSAVEC or XSAVES", "xsavec (%rdi)")                                                         \
    X("RDFSBASE or WRFSBASE", "rdfsbase %rax")                                                     \
    X("RDFSBASE or WRFSBASE", "wrgsbase %eax")                                                     \
    X("CLWB", "clwb (%rdi)")                                                                       \
    X("CLFLUSHOPT", "clflushopt (%rdi)")                                                           \
    X("XSAVEOPT or UMWAIT", "xsaveopt (%rdi)")                                                     \
    X("RDTSCP, XTEST or another one of 0F 01", "rdtscp")                                           \
    X("SHA", "sha256msg1 %xmm1, %xmm0")                                                            \
    X("SHA", "sha1rnds4 $0, %xmm8, %xmm1")                                                         \
    X("GFNI", "gf2p8mulb %xmm1, %xmm0")                                                            \
    X("GFNI", "vgf2p8mulb %ymm1, %ymm0, %ymm2")                                                    \
    X("VAES", "vaesenc %ymm0, %ymm1, %ymm2")                                                       \
    X("VPCLMULQDQ", "vpclmulqdq $0, %ymm0, %ymm1, %ymm2")                                          \
    X("ADX", "adcx %rax, %rcx")                                                                    \
    X("MOVBE", "movbe (%rdi), %eax")                                                               \
    X("MOVDIRI or MOVDIR64B", "movdiri %eax, (%rdi)")                                              \
    X("a VEX instruction", "vpaddd %ymm0, %ymm1, %ymm2")                                           \
    X("", "nop")

#define UNDEFINED                                                                                  \
    X("ud2")                                                                                       \
    X("ud1 %eax, %eax")                                                                            \
    X(".byte 0x06")                                                                                \
    X(".byte 0x27")

enum { ROOM = 16 };

/* Each in 16 bytes, filled with NOP. */
#define X(name, text) text "\n.balign 16, 0x90\n"
__asm__(".section .rodata\n.balign 16\nbx_unknown:\n" INSTRUCTIONS ".text\n");
#undef X
#define X(text) text "\n.balign 16, 0x90\n"
__asm__(".section .rodata\n.balign 16\nbx_undefined:\n" UNDEFINED ".text\n");
#undef X
extern const uint8_t bx_unknown[][ROOM], bx_undefined[][ROOM];

static void kinds_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {
#define X(name, text) name,
        INSTRUCTIONS
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bx_unknown_instruction kind;
        assert_true(bx_unknown_instruction_kind(bx_unknown[i], ROOM, &kind));
        assert_string_equal(kind.name, names[i]);
        assert_true(strlen(kind.try) > 0);
    }
}

static void undefined_ones_are_the_programs_own(void **state)
{
    (void)state;
    static const char *const texts[] = {
#define X(text) text,
        UNDEFINED
#undef X
    };
    bx_unknown_instruction kind;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(bx_unknown_instruction_kind(bx_undefined[i], ROOM, &kind));
    assert_false(bx_unknown_instruction_kind(bx_undefined[0], 0, &kind));
}

/* Prefixes make no difference, except LOCK, which is undefined (SDM volume 2, RDPMC). */
static void rdpmc_is_known(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n, size;
    } of[] = {{"\x0f\x33", 2, 2},         {"\x0f\x33\x90", 3, 2}, {"\x48\x0f\x33", 3, 3},
              {"\x66\xf2\x0f\x33", 4, 4}, {"\xf0\x0f\x33", 3, 0}, {"\x48\x66\x0f\x33", 4, 0},
              {"\x0f\x32", 2, 0},         {"\x33\x0f", 2, 0},     {"\x0f\x33", 1, 0},
              {"\x0f\x33", 0, 0}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        uint8_t *bytes = malloc(of[i].n + !of[i].n); /* nothing after them is read */
        memcpy(bytes, of[i].bytes, of[i].n);
        assert_int_equal(bx_rdpmc_size(bytes, of[i].n), of[i].size);
        free(bytes);
    }
    uint8_t longest[16] = {[13] = 0x0f, [14] = 0x33};
    memset(longest, 0x66, 13);
    assert_int_equal(bx_rdpmc_size(longest, 16), 15);
    const uint8_t longer[16] = {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x0f, 0x33};
    assert_int_equal(bx_rdpmc_size(longer, 16), 0);
}

/* Bytes end anywhere: nothing after them is read. */
static void cut_instructions_are_read_to_their_end(void **state)
{
    (void)state;
    bx_unknown_instruction kind;
    for (size_t n = 0; n < ROOM; n++) {
        uint8_t *bytes = malloc(n + !n);
        memcpy(bytes, bx_unknown[1], n);
        bx_unknown_instruction_kind(bytes, n, &kind);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_named),
        cmocka_unit_test(undefined_ones_are_the_programs_own),
        cmocka_unit_test(rdpmc_is_known),
        cmocka_unit_test(cut_instructions_are_read_to_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
