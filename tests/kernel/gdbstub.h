/* The part of gdb's remote serial protocol that is needed to read and write a guest's memory, code
 * included. The other side is qemu's stub; what it refuses fails the test. */
#ifndef BX_TESTS_KERNEL_GDBSTUB_H
#define BX_TESTS_KERNEL_GDBSTUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gdbstub gdbstub;

/* Over a connected socket, which from now on is the stub's. The guest has been stopped by this. */
gdbstub *gdbstub_new(int fd);
void gdbstub_free(gdbstub *g); /* NULL is fine; lets the guest run on */

/* Stops the guest, and lets it continue. */
void gdbstub_interrupt(gdbstub *g);
void gdbstub_continue(gdbstub *g);

/* The guest is stopped. What is written is there with the next call of another kind. */
void gdbstub_read(gdbstub *g, uint64_t address, void *to, size_t n);
void gdbstub_write(gdbstub *g, uint64_t address, const void *from, size_t n);

#endif
