/* A guest under qemu-system-x86_64: Debian's kernel and tests/kernel/init.c, which does what it is
 * given line by line. What the kernel asks meanwhile over the third serial port
 * (tests/kernel/carrier.S) is handed on. */
#ifndef BX_TESTS_KERNEL_GUEST_H
#define BX_TESTS_KERNEL_GUEST_H

#include "gdbstub.h"

typedef struct guest guest;

/* A message of the carrier's, and its answer. */
enum { GUEST_MESSAGE = 16, GUEST_REPLY = 9 };
typedef void guest_message_fn(void *context, const uint8_t message[GUEST_MESSAGE],
                              uint8_t reply[GUEST_REPLY]);

typedef struct guest_options {
    const char *cpu; /* qemu's name, with features */
    unsigned packages, cores, threads;
    const char *more;   /* further options of qemu's, or NULL */
    const char *kernel; /* further parameters of the kernel, or NULL */
    bool programs;      /* boxscore, boxscore-helper and `pause` are there, in /bin */
    guest_message_fn *on_message;
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

/* What follows an answer: n bytes. */
void guest_bytes(guest *g, char *to, size_t n);

/* Stops the guest for a moment: its memory can be read and written in `during`. */
void guest_pause(guest *g, void (*during)(void *context, gdbstub *stub), void *context);

/* NULL is fine. */
void guest_free(guest *g);

#endif
