/* A program that writes lines with non-temporal stores of 4 bytes, as many lines by turns as it has
 * arguments, with its name: test_combining.c has the expected counts. The arrays of 256 lines are
 * an odd number of lines apart. */
__asm__(".globl _start\n"
        ".bss\n"
        ".balign 64\n"
        "lines: .fill 257 * 64 * 13, 1, 0\n"
        ".text\n"
        "_start:\n"
        "    mov (%rsp), %r8\n" /* argc */
        "    xor %ecx, %ecx\n"
        "1:  lea lines(%rip), %rdi\n"
        "    mov %r8, %rdx\n"
        "2:  movnti %ecx, (%rdi,%rcx,4)\n"
        "    add $257 * 64, %rdi\n"
        "    dec %rdx\n"
        "    jnz 2b\n"
        "    inc %ecx\n"
        "    cmp $256 * 16, %ecx\n"
        "    jne 1b\n"
        "    mov $60, %eax\n" /* exit(0) */
        "    xor %edi, %edi\n"
        "    syscall\n");
