#ifndef BX_TESTS_CLI_RUN_H
#define BX_TESTS_CLI_RUN_H

/* Runs the command as users do. */

typedef struct ran {
    int status; /* as a shell gives it: 128 + the signal */
    char *out, *err;
} ran;

/* Runs boxscore with these arguments and this standard input; NULL: empty. */
ran run(const char *input, const char *const arguments[]);
#define RUN(...) run(NULL, (const char *const[]){__VA_ARGS__, NULL})

/* The same with standard output going to a file, or closed for NULL; .out is "". */
ran run_into(const char *path, const char *const arguments[]);

void ran_free(ran *r);

/* Runs a shell script with $BOXSCORE in its environment; its standard output is .out. */
ran run_shell(const char *script);

/* Asserts the exit status and an empty standard error; frees r. */
void assert_silent(ran *r);

/* The same of a command that locks packages: to others than root it remarks that their lock is
 * private. */
void assert_locked_silent(ran *r);

/* Asserts a failure with this status, nothing on standard output, and exactly this on standard
 * error; frees r. */
void assert_failed(ran *r, int status, const char *err);

/* Asserts that text has part; shows both if not. */
void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);

#endif
