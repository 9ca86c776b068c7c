/* A guest under qemu-system-x86_64: Debian's kernel and tests/kernel/init.c, which executes one
 * command a line. Messages that the kernel sends over the third serial port meanwhile
 * (tests/kernel/carrier.S) go to a function. */
#ifndef BX_TESTS_KERNEL_GUEST_H
#define BX_TESTS_KERNEL_GUEST_H

#include "gdbstub.h"

typedef struct guest guest;

/* A message of the carrier, and its answer. */
enum { GUEST_MESSAGE = 16, GUEST_REPLY = 9 };
typedef void guest_message_fn(void *context, const uint8_t message[GUEST_MESSAGE],
                              uint8_t reply[GUEST_REPLY]);

typedef struct guest_options {
    const char *cpu; /* qemu's name for it, with features */
    unsigned packages, cores, threads;
    const char *more;   /* further options for qemu, or NULL */
    const char *kernel; /* further parameters of the kernel, or NULL */
    bool programs;      /* boxscore, boxscore-helper and `pause` are in the guest's /bin */
    guest_message_fn *on_message;
    void *context;
} guest_options;

/* Skips the test with a message if qemu or the kernel is missing. */
void guest_needed(void);

/* Returns when init is ready. */
guest *guest_boot(const guest_options *o);

/* Sends a command and returns its answer, which is valid until the next command. guest_ask() fails
 * the test if the answer begins with "failed: "; guest_try() returns it. */
const char *guest_ask(guest *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *guest_try(guest *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads the n bytes that follow an answer. */
void guest_bytes(guest *g, char *to, size_t n);

/* Stops the guest for a moment; `during` can read and write its memory. */
void guest_pause(guest *g, void (*during)(void *context, gdbstub *stub), void *context);

/* g may be NULL. */
void guest_free(guest *g);

#endif
