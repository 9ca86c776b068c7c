/* A program of known instructions: 100 rounds of a loop with some of each kind, and one round for
 * kinds that need another setting. test_mix.c has the expected counts. */
__asm__(".globl _start\n"
        ".data\n"
        ".balign 64\n"
        "one: .double 1\n"
        "bytes: .fill 120, 1, 0\n"
        "where: .quad nothing\n"
        ".text\n"
        "nothing: ret\n"
        "_start:\n"
        "    lea bytes(%rip), %rsi\n"
        "    mov $100, %ebx\n"
        "1:  mov $6, %eax\n"
        "    imul $3, %eax, %eax\n" /* integer multiplications: 5 */
        "    imul $300, %eax, %ecx\n"
        "    imul %ecx, %eax\n"
        "    mul %ecx\n"
        "    mov $3, %ecx\n"
        "    imul %ecx\n"
        "    xor %edx, %edx\n"
        "    div %ecx\n" /* divisions: 3 */
        "    xor %edx, %edx\n"
        "    idiv %ecx\n"
        "    mov $9, %eax\n"
        "    div %cl\n"
        "    fldl one(%rip)\n" /* x87: 2 additions, 1 comparison, 1 root, 2 others that compute */
        "    fld1\n"
        "    fadd %st(1), %st\n"
        "    fsubrl one(%rip)\n"
        "    fcomi %st(1), %st\n"
        "    fmul %st(1), %st\n" /* 2 multiplications */
        "    fmull one(%rip)\n"
        "    fdiv %st(1), %st\n" /* 1 division */
        "    fabs\n"
        "    fsqrt\n"
        "    fld1\n"
        "    fprem\n"
        "    fptan\n"
        "    fstp %st(0)\n"
        "    fstp %st(0)\n"
        "    fstp %st(0)\n"
        "    fstpl (%rsi)\n"
        "    movq (%rsi), %mm0\n" /* on MMX registers: 3 others, 1 store */
        "    movd %ebx, %mm1\n"
        "    pcmpeqb %mm2, %mm2\n"
        "    movq %mm0, 8(%rsi)\n"
        "    pmullw %mm1, %mm0\n" /* 2 multiplications */
        "    pmaddwd (%rsi), %mm0\n"
        "    psllw $3, %mm0\n" /* 3 shifts */
        "    psrad %mm1, %mm0\n"
        "    psrlq $1, %mm0\n"
        "    packuswb %mm1, %mm0\n" /* 2 packs */
        "    packssdw %mm1, %mm0\n"
        "    punpcklbw %mm1, %mm0\n" /* 1 unpack */
        "    pand %mm1, %mm0\n"      /* 4 logical */
        "    pandn %mm1, %mm0\n"
        "    por %mm1, %mm0\n"
        "    pxor %mm1, %mm0\n"
        "    paddb %mm1, %mm0\n" /* 2 arithmetic, 3 of them saturating */
        "    psubd %mm1, %mm0\n"
        "    paddsw %mm1, %mm0\n"
        "    paddusb %mm1, %mm0\n"
        "    psubsb %mm1, %mm0\n"
        "    movntq %mm0, 16(%rsi)\n" /* weakly ordered stores, one of each kind */
        "    emms\n"
        "    movups (%rsi), %xmm0\n" /* SSE: packed 3, 1 of them computes; and a store */
        "    xorps %xmm1, %xmm1\n"
        "    addps %xmm1, %xmm0\n"
        "    movntps %xmm1, 64-8(%rsi)\n"
        "    cvtsi2ss %ebx, %xmm2\n" /* scalar 4, 3 of them compute */
        "    mulss %xmm2, %xmm2\n"
        "    ucomiss %xmm2, %xmm2\n"
        "    movss %xmm2, (%rsi)\n"
        "    movupd (%rsi), %xmm3\n" /* SSE2: packed 2, 1 computes; and a store */
        "    addpd %xmm1, %xmm3\n"
        "    movntpd %xmm1, 64-8(%rsi)\n"
        "    movsd one(%rip), %xmm4\n" /* scalar 3, 2 compute */
        "    divsd %xmm4, %xmm4\n"
        "    sqrtsd %xmm4, %xmm4\n"
        "    movdqu (%rsi), %xmm5\n" /* of integers: none of these */
        "    paddsw %xmm5, %xmm5\n"
        "    movnti %eax, (%rsi)\n"
        "    movntdq %xmm1, 64-8(%rsi)\n"
        "    prefetchnta (%rsi)\n" /* 1, 2, 3; and T0 */
        "    prefetcht1 (%rsi)\n"
        "    prefetcht1 (%rsi)\n"
        "    prefetcht2 (%rsi)\n"
        "    prefetcht2 (%rsi)\n"
        "    prefetcht2 (%rsi)\n"
        "    prefetcht0 (%rsi)\n"
        "    call nothing\n" /* calls: 3, 2 of them indirect; 3 returns */
        "    call *where(%rip)\n"
        "    mov where(%rip), %rax\n"
        "    call *%rax\n"
        "    lea 2f(%rip), %rax\n"
        "    jmp *%rax\n" /* 1 indirect jump, 1 direct one */
        "    nop\n"
        "2:  jmp 3f\n"
        "    nop\n"
        "3:  dec %ebx\n"
        "    jnz 1b\n" /* 1 conditional branch, taken 99 times in all */
        "    mov $60, %eax\n"
        "    xor %edi, %edi\n"
        "    syscall\n");
