/* Code that is put into the guest's kernel in the place of functions that access registers. Each
 * access becomes a message of 16 bytes on the third serial port: what ('r', 'w' an MSR; 'p', 'q'
 * read or write PCI configuration space), the CPU's APIC id, bytes, 0; where (32 bits); the value
 * (64 bits). The answer is 9 bytes: the value, and 0, 1 (it faults) or 2 (not ours: the kernel's own
 * function does it).
 *
 * Calling conventions are those of the functions replaced (Linux arch/x86/include/asm/msr.h,
 * arch/x86/pci/direct.c). */
    .text
    .globl carrier_begin, carrier_end, carrier_read_msr, carrier_write_msr
    .globl carrier_read_msr_safe, carrier_write_msr_safe, carrier_pci_read, carrier_pci_write
    .globl carrier_own_pci_read, carrier_own_pci_write

    .set PORT, 0x3e8
    .set STATUS, PORT + 5

carrier_begin:

/* u64 (u32 msr); what faults reads 0 */
carrier_read_msr:
    mov $'r', %r10d
    xor %esi, %esi
    call carry
    mov %rdx, %rax
    ret

/* u64 (u32 msr, int *error) */
carrier_read_msr_safe:
    push %rsi
    mov $'r', %r10d
    xor %esi, %esi
    call carry
    pop %rsi
    imul $-5, %eax, %eax /* EIO */
    mov %eax, (%rsi)
    mov %rdx, %rax
    ret

/* void (u32 msr, u32 low, u32 high); int with the same */
carrier_write_msr:
carrier_write_msr_safe:
    mov $'w', %r10d
    shl $32, %rdx
    mov %esi, %esi
    or %rdx, %rsi
    call carry
    imul $-5, %eax, %eax
    ret

/* int (unsigned segment, bus, function; int offset, bytes; u32 *value) */
carrier_pci_read:
    mov $'p', %r10d
    xor %eax, %eax
    call carry_pci
    cmp $2, %eax
    je 1f
    mov %r11d, (%r9)
    xor %eax, %eax
    ret
1:  jmp *carrier_own_pci_read(%rip)

/* the same, u32 value */
carrier_pci_write:
    mov $'q', %r10d
    mov %r9d, %eax
    call carry_pci
    cmp $2, %eax
    je 1f
    xor %eax, %eax
    ret
1:  jmp *carrier_own_pci_write(%rip)

/* As carry; the value is in RAX and comes back in R11. Arguments stay. */
carry_pci:
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %r8
    push %r9
    shl $16, %r8d
    or %r8d, %r10d
    mov %esi, %edi
    shl $20, %edi
    shl $12, %edx
    or %edx, %edi
    or %ecx, %edi
    mov %rax, %rsi
    call carry
    mov %rdx, %r11
    pop %r9
    pop %r8
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    ret

/* R10D: what, and bytes; EDI: where; RSI: the value. Returns EAX: how it went; RDX: the value.
 * Nothing comes in between: neither an interrupt of this CPU nor another one's message. */
carry:
    push %rbx
    sub $16, %rsp
    mov %r10d, (%rsp)
    mov %edi, 4(%rsp)
    mov %rsi, 8(%rsp)
    pushfq
    cli
    mov $1, %eax
    cpuid
    shr $24, %ebx
    mov %bl, 9(%rsp)
1:  lock btsl $0, lock(%rip)
    jnc 2f
    pause
    jmp 1b
2:  lea 8(%rsp), %rsi
    mov $PORT, %edx
    mov $16, %ecx
    rep outsb
    lea 8(%rsp), %rdi
    mov $9, %ecx
3:  mov $STATUS, %edx
4:  in (%dx), %al
    test $1, %al
    jnz 5f
    pause
    jmp 4b
5:  mov $PORT, %edx
    insb
    dec %ecx
    jnz 3b
    movl $0, lock(%rip)
    popfq
    mov (%rsp), %rdx
    movzbl 8(%rsp), %eax
    add $16, %rsp
    pop %rbx
    ret

    .balign 8
carrier_own_pci_read:
    .quad 0
carrier_own_pci_write:
    .quad 0
lock:
    .long 0
carrier_end:

    .section .note.GNU-stack, "", @progbits
