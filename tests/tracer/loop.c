/* A program whose instructions and references are counted by hand; test_tracer.c has the expected
 * counts. */
#ifndef TURNS
#define TURNS "1000"
#endif

__asm__(".globl _start\n"
        ".data\n"
        "a: .quad 0\n"
        "b: .quad 0\n"
        ".text\n"
        "_start:\n"
        "    mov $" TURNS ", %ecx\n"
        "1:  mov a(%rip), %rax\n" /* a load */
        "    mov %rax, b(%rip)\n" /* a store */
        "    addq $1, a(%rip)\n"  /* a modification */
        "    dec %ecx\n"
        "    jnz 1b\n"
        "    mov $60, %eax\n" /* exit(7) */
        "    mov $7, %edi\n"
        "    syscall\n");
