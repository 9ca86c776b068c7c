/* A program that overwrites 256 lines, or copies others to them, in a way that the number of its
 * arguments names: test_combining.c has the expected counts. It first reads the lines of its own
 * code. */
__asm__(".globl _start\n"
        ".bss\n"
        ".balign 4096\n"
        "to: .fill 256 * 64, 1, 0\n"
        ".data\n"
        ".balign 4096\n"
        "from: .fill 256 * 64, 1, 1\n"
        ".text\n"
        ".balign 64\n"
        "_start:\n"
        "    mov (%rsp), %r8\n" /* argc */
        "    mov _start(%rip), %eax\n"
        "    mov _start + 64(%rip), %eax\n"
        "    mov _start + 128(%rip), %eax\n"
        "    lea to(%rip), %rdi\n"
        "    lea from(%rip), %rsi\n"
        "    mov $256 * 8, %ecx\n"
        "    dec %r8\n"
        "    jz 1f\n"
        "    dec %r8\n"
        "    jz 2f\n"
        "    dec %r8\n"
        "    jz 3f\n"
        "    dec %r8\n"
        "    jz 4f\n"
        "    dec %r8\n"
        "    jz 5f\n"
        "0:  mov %rax, -8(%rdi,%rcx,8)\n" /* by ordinary stores */
        "    dec %ecx\n"
        "    jnz 0b\n"
        "    jmp 9f\n"
        "1:  shl $3, %ecx\n" /* by bytes */
        "    rep stosb\n"
        "    jmp 9f\n"
        "2:  lea -2(,%rcx,8), %ecx\n" /* except for the first byte and the last one */
        "    inc %rdi\n"
        "    rep stosb\n"
        "    jmp 9f\n"
        "3:  lea -8(%rdi,%rcx,8), %rdi\n" /* downwards */
        "    std\n"
        "    rep stosq\n"
        "    jmp 9f\n"
        "4:  shl $1, %ecx\n" /* a copy */
        "    rep movsl\n"
        "    jmp 9f\n"
        "5:  mov %ecx, %edx\n" /* by single string instructions */
        "6:  stosq\n"
        "    dec %edx\n"
        "    jnz 6b\n"
        "9:  mov $60, %eax\n" /* exit(0) */
        "    xor %edi, %edi\n"
        "    syscall\n");
