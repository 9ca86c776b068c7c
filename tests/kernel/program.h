/* Runs programs in the guest: boxscore, as any user (tests/kernel/userland.h, jobs.h). */
#ifndef BX_TESTS_KERNEL_PROGRAM_H
#define BX_TESTS_KERNEL_PROGRAM_H

#include "guest.h"

enum { ROOT = 0, NOBODY = 65534 };

typedef struct printed {
    int status; /* exit status; 128 + the signal's number */
    char *text; /* standard output and error; free() */
    size_t n;
} printed;

/* Runs a command line whose words are separated by one blank: "/bin/boxscore doctor". */
printed program_run(guest *g, unsigned user, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same in two steps. program_begin() returns the process id. */
int program_begin(guest *g, unsigned user, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
printed program_end(guest *g, int pid);

/* program_reached() waits until `pause NAME` runs (true), or that process has ended (false).
 * program_let() lets `pause NAME` end. */
bool program_reached(guest *g, const char *name, int pid);
void program_let(guest *g, const char *name);

/* Runs a command; fails the test unless it has this status and prints all of these texts, up to
 * NULL. */
#define SAYS(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
void program_says(guest *g, unsigned user, const char *command, int status,
                  const char *const *says);
void printed_has(const printed *p, int status, const char *const *says);

/* Reads a whole file of the guest, or copies it to this machine. */
printed program_file(guest *g, const char *path);
void program_fetch(guest *g, const char *path, const char *to);

/* boxscore on the machine that the test runs on: "stat --replay …". */
printed program_here(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
