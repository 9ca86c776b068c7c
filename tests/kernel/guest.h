/* A guest under qemu-system-x86_64: Debian's kernel and tests/kernel/init.c, which does what it is
 * told line by line. Whatever stops the guest meanwhile is handed on. */
#ifndef BX_TESTS_GUEST_H
#define BX_TESTS_GUEST_H

#include "gdbstub.h"

typedef struct guest guest;

/* A CPU of the guest is stopped. Returns with registers set; the guest then goes on. */
typedef void guest_stop_fn(void *context, gdbstub *g, unsigned cpu);

typedef struct guest_options {
    const char *cpu; /* qemu's name, with features */
    unsigned packages, cores;
    const char *more; /* further options of qemu's, or NULL */
    guest_stop_fn *on_stop;
    void *context;
} guest_options;

/* Skips the test, saying why, where qemu or the kernel is not there. */
void guest_needed(void);

/* Returns when init answers. */
guest *guest_boot(const guest_options *o);

/* One command, and its answer; fails the test unless that is a good one. It is there until the next
 * command. `guest_try` returns bad ones too, which start with "failed: ". */
const char *guest_ask(guest *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *guest_try(guest *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Stops the guest for a moment: breakpoints can be set and memory read in `during`. */
void guest_pause(guest *g, void (*during)(void *context, gdbstub *stub));

/* NULL is fine. */
void guest_free(guest *g);

#endif
