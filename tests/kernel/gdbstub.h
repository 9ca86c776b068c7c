/* The part of gdb's remote serial protocol that is needed to stand behind an instruction of a
 * guest's: breakpoints, registers, memory. The other side is qemu's stub; what it refuses fails the
 * test. */
#ifndef BX_TESTS_GDBSTUB_H
#define BX_TESTS_GDBSTUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As the protocol numbers x86-64's registers. */
enum gdb_register {
    GDB_RAX,
    GDB_RBX,
    GDB_RCX,
    GDB_RDX,
    GDB_RSI,
    GDB_RDI,
    GDB_RBP,
    GDB_RSP,
    GDB_R8,
    GDB_R9,
    GDB_RIP = 16,
    GDB_REGISTERS,
};

typedef struct gdbstub gdbstub;

/* Over a connected socket, which from now on is the stub's. The guest has been stopped by this. */
gdbstub *gdbstub_new(int fd);
void gdbstub_free(gdbstub *g); /* NULL is fine; lets the guest run on */
int gdbstub_fd(const gdbstub *g);
bool gdbstub_waits(const gdbstub *g); /* something has arrived with what was read last */

/* The guest runs: only these two then. `stopped` takes what has arrived: false if that is not yet a
 * whole answer; else *cpu is the one that a breakpoint, a step or the interrupt stopped. */
void gdbstub_interrupt(gdbstub *g);
bool gdbstub_stopped(gdbstub *g, unsigned *cpu);

/* The guest is stopped. Registers are those of the CPU that stopped it; a register that is set
 * takes effect with the next call of any other kind, and so do breakpoints. */
void gdbstub_registers(gdbstub *g, uint64_t r[GDB_REGISTERS]);
void gdbstub_set(gdbstub *g, enum gdb_register n, uint64_t value);
void gdbstub_read(gdbstub *g, uint64_t address, void *to, size_t n);
void gdbstub_write(gdbstub *g, uint64_t address, const void *from, size_t n);
void gdbstub_break(gdbstub *g, uint64_t address, bool set);
void gdbstub_continue(gdbstub *g);
/* That CPU alone carries out one instruction. */
void gdbstub_step(gdbstub *g, unsigned cpu);

#endif
