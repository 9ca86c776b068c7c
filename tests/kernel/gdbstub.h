/* The part of gdb's remote serial protocol that reads and writes a guest's memory, including its
 * code. The other side is qemu's stub; an error from it fails the test. */
#ifndef BX_TESTS_KERNEL_GDBSTUB_H
#define BX_TESTS_KERNEL_GDBSTUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gdbstub gdbstub;

/* Uses a connected socket, which then belongs to the stub. Connecting has stopped the guest. */
gdbstub *gdbstub_new(int fd);
void gdbstub_free(gdbstub *g); /* g may be NULL; the guest continues */

/* Stops the guest, or lets it continue. */
void gdbstub_interrupt(gdbstub *g);
void gdbstub_continue(gdbstub *g);

/* Access the memory of a stopped guest. Writes are complete when another function is called. */
void gdbstub_read(gdbstub *g, uint64_t address, void *to, size_t n);
void gdbstub_write(gdbstub *g, uint64_t address, const void *from, size_t n);

#endif
