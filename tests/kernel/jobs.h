/* Programs that init runs: what they print is kept, and whoever started them learns how they
 * ended. Files: /tmp/PID.out, /tmp/NAME.reached, /tmp/NAME.go. */
#ifndef BX_TESTS_KERNEL_JOBS_H
#define BX_TESTS_KERNEL_JOBS_H

#include <stdio.h>

/* "UID PROGRAM WORDS…": starts it as that user. Answers its process. */
void job_begin(FILE *answer, char *words);

/* "PID": waits for its end. Answers the exit status (128 and the signal) and what it has printed:
 * "STATUS BYTES", and so many bytes behind that line. */
void job_end(FILE *answer, const char *words);

/* "NAME PID": until `pause NAME` runs, "1", or that process has ended, "0". */
void job_reached(FILE *answer, const char *words);

/* "NAME": lets `pause NAME` end. */
void job_let(FILE *answer, const char *words);

/* "PATH": a whole file, answered as the end of a program. */
void job_file(FILE *answer, const char *path);

/* The program `pause NAME`: tells that it runs, and waits to be let go. */
int job_pause(const char *name);

#endif
