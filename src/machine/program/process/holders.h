/* Ends the processes that have a descriptor of a program's trace, in whatever state they are. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_HOLDERS_H
#define BX_MACHINE_PROGRAM_PROCESS_HOLDERS_H

#include <stddef.h>
#include <sys/types.h>

/* The files that such a process has open, each by its number. */
typedef struct bx_holders {
    ino_t socket;      /* the program's end of our socket */
    ino_t ours;        /* our end: a process that also has it is a copy of this one, no program */
    const ino_t *pipe; /* [pipes]: the leashes of programs that run without a trace */
    size_t pipes;
} bx_holders;

/* SIGKILL to all of them, and to those that they begin meanwhile. */
void bx_holders_end(const bx_holders *h);

/* The number of an open file; 0: unknown. */
ino_t bx_holders_file(int fd);

#endif
