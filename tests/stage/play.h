/* Scripts that use the command, and what of it this machine can do. */
#ifndef BX_TESTS_STAGE_PLAY_H
#define BX_TESTS_STAGE_PLAY_H

#include "cli/run.h"

/* Runs a script that has $B (the command) and $D (an empty folder). */
ran play(const char *script);

/* Asserts what it prints, and that it says nothing else and succeeds. */
void expect(const char *script, const char *out);

/* Skips the test where this machine does not let us mount, or the program is not installed; why is
 * printed. As root with /dev/fuse it must be possible. */
void need_fuse(void);            /* for --at */
void need_mount_namespace(void); /* for a file system view of our own */
void need_program(const char *name);

#endif
