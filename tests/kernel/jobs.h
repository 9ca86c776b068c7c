/* Commands of init that run programs, keep their output and report how they ended. Files:
 * /tmp/PID.out, /tmp/NAME.reached, /tmp/NAME.go. */
#ifndef BX_TESTS_KERNEL_JOBS_H
#define BX_TESTS_KERNEL_JOBS_H

#include <stdio.h>

/* "UID PROGRAM WORDS…": starts the program as that user. Answers with its process id. */
void job_begin(FILE *answer, char *words);

/* "PID": waits for the process to end. Answers "STATUS BYTES": its exit status (128 + the signal)
 * and the size of its output, which follows the line. */
void job_end(FILE *answer, const char *words);

/* "NAME PID": waits until `pause NAME` runs, and answers "1", or until that process has ended, and
 * answers "0". */
void job_reached(FILE *answer, const char *words);

/* "NAME": lets `pause NAME` end. */
void job_let(FILE *answer, const char *words);

/* "PATH": answers with a whole file, in the format of job_end(). */
void job_file(FILE *answer, const char *path);

/* The program `pause NAME`: reports that it runs, and waits until job_let(). */
int job_pause(const char *name);

#endif
