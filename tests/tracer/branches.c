/* A program with branches and misaligned references that are counted by hand; test_tracer.c has the
 * expected counts. */
__asm__(".globl _start\n"
        ".data\n"
        ".balign 64\n"
        "bytes: .fill 64, 1, 0\n"
        ".text\n"
        "nothing: ret\n"
        "_start:\n"
        "    mov $1000, %ecx\n"
        "1:  test $3, %ecx\n"
        "    jz 2f\n" /* taken 250 times */
        "    nop\n"
        "2:  dec %ecx\n"
        "    jnz 1b\n" /* taken 999 times */
        "    mov $100, %ebx\n"
        "3:  call nothing\n" /* with its return 200 */
        "    jmp 4f\n"       /* 100 */
        "    nop\n"
        "4:  xor %eax, %eax\n"
        "    jz 5f\n" /* always: 100 */
        "    nop\n"
        "5:  jnz 6f\n" /* never */
        "    nop\n"
        "6:  dec %ebx\n"
        "    jnz 3b\n" /* 99 */
        "    mov $50, %ebx\n"
        "    lea bytes(%rip), %rsi\n"
        "    lea bytes(%rip), %rdi\n"
        "7:  mov 4(%rsi), %rdx\n" /* misaligned */
        "    mov 4(%rsi), %eax\n"
        "    mov 7(%rsi), %cx\n"  /* misaligned */
        "    mov %eax, 5(%rsi)\n" /* misaligned */
        "    movups 8(%rsi), %xmm1\n"
        "    movups 12(%rsi), %xmm0\n" /* misaligned */
        "    mov 60(%rsi), %rax\n"     /* misaligned, in two lines */
        "    mov $4, %ecx\n"
        "    rep movsb\n" /* not a branch; one access for each byte */
        "    lea bytes(%rip), %rsi\n"
        "    lea bytes(%rip), %rdi\n"
        "    dec %ebx\n"
        "    jg 7b\n"         /* 49 */
        "    mov $60, %eax\n" /* exit(7) */
        "    mov $7, %edi\n"
        "    syscall\n");
