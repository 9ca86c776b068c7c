/* The stage's file to which a process writes a program that it is about to execute. If events wait
 * for this exec (perf stat -- PROGRAM), the stage has the program counted elsewhere, and the
 * process only waits for its end (stage/work/counted_program.h).
 *
 * open() fails if no event waits. Then the process writes a head and texts, each ended by a 0: the
 * working directory, argv, the environment. The first read starts the program; it fails as the exec
 * would. Each read returns the state. After it, an int that is written is a signal to the program.
 * Closing the file kills the program. */
#ifndef BX_STAGE_PRELOAD_PROGRAM_FILE_H
#define BX_STAGE_PRELOAD_PROGRAM_FILE_H

#include <stdint.h>

#define BX_PROGRAM_FILE "program" /* in the stage's folder */

typedef struct bx_program_head {
    uint32_t words, variables; /* of argv and of the environment */
} bx_program_head;

typedef struct bx_program_state {
    int32_t ended;
    int32_t status, signal; /* how, as a shell reports it; the signal that killed it, or 0 */
} bx_program_state;

#endif
