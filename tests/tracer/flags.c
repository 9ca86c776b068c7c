/* A program with dependent loads and non-temporal stores that are counted by hand; test_tracer.c
 * has the expected counts. */
__asm__(".globl _start\n"
        ".data\n"
        ".balign 64\n"
        "cell: .quad cell\n" /* points to itself */
        "index: .quad 1\n"
        "table: .fill 2, 8, 0\n"
        ".bss\n"
        ".balign 64\n"
        "line: .fill 64 * 64, 1, 0\n"
        ".text\n"
        "_start:\n"
        "    mov $1000, %ecx\n"
        "    lea cell(%rip), %rax\n"
        "1:  mov (%rax), %rax\n" /* a chase */
        "    dec %ecx\n"
        "    jnz 1b\n"
        "    mov $1000, %ecx\n"
        "    lea table(%rip), %rbx\n"
        "2:  mov index(%rip), %rdx\n"   /* the next load waits for it, … */
        "    mov (%rbx,%rdx,8), %rax\n" /* … and nothing waits for this one */
        "    dec %ecx\n"
        "    jnz 2b\n"
        "    mov $8 * 64, %ecx\n"
        "    lea line(%rip), %rdi\n"
        "3:  movnti %rcx, (%rdi)\n" /* 64 lines */
        "    add $8, %rdi\n"
        "    dec %ecx\n"
        "    jnz 3b\n"
        "    lea line(%rip), %rdi\n"
        "    movnti %ecx, 62(%rdi)\n" /* a part of two lines */
        "    movnti %ecx, 68(%rdi)\n" /* the rest of the second one */
        "    mov $60, %eax\n"         /* exit(7) */
        "    mov $7, %edi\n"
        "    syscall\n");
