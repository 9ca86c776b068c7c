/* Runs shell scripts that use the command, and checks what this host supports. */
#ifndef BX_TESTS_STAGE_PLAY_H
#define BX_TESTS_STAGE_PLAY_H

#include "cli/run.h"

/* Runs a script with $B, the command, and $D, an empty folder. `registers CPU 'ADDRESS ...'` prints
 * MSRs of the machine that is served at $D. `await COMMAND` waits until the command succeeds, for a
 * minute at least: the host may be busy. */
ran play(const char *script);

/* Asserts that a script prints `out`, nothing on standard error, and exits with 0. */
void expect(const char *script, const char *out);

/* Each function skips the test, and prints the reason, if mounting is not allowed or the program is
 * not installed. As root with /dev/fuse mounting must work. */
void need_fuse(void);            /* for --at */
void need_mount_namespace(void); /* for a stage without --at */
void need_program(const char *name);

#endif
