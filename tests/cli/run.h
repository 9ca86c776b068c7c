/* Runs the command as users do. */
#ifndef BX_TESTS_CLI_RUN_H
#define BX_TESTS_CLI_RUN_H

#include "boxscore/boxscore.h"

typedef struct ran {
    int status; /* as in a shell: 128 + the signal's number */
    char *out, *err;
} ran;

/* Runs boxscore with these arguments and this standard input; NULL: empty. */
ran run(const char *input, const char *const arguments[]);
#define RUN(...) run(NULL, (const char *const[]){__VA_ARGS__, NULL})

/* Runs it with standard output going to a file, or closed for NULL; .out is "". */
ran run_into(const char *path, const char *const arguments[]);

void ran_free(ran *r);

/* Runs a shell script with $BOXSCORE in its environment. `.out` is the script's standard output. */
ran run_shell(const char *script);

/* Asserts the exit status and an empty standard error; frees r. */
void assert_silent(ran *r);

/* Does the same for a command that locks packages. Users other than root get a remark that their
 * lock is private. */
void assert_locked_silent(ran *r);

/* Asserts a failure with this status, nothing on standard output, and exactly this on standard
 * error; frees r. */
void assert_failed(ran *r, int status, const char *err);

/* Asserts that text has part, with one space where they have several: tests/report compares how
 * wide columns are. Shows both if not. */
void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);

/* Whether a value in the text is the word of a state (enum bx_state), between these parts. How the
 * words read is a matter of the tests of reports. */
void assert_has_state(const char *text, const char *before, unsigned state, const char *after);

#endif
