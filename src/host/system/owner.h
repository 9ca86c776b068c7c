/* Identifies a process that owns something, even after it has ended: its number and start time,
 * because numbers are reused. */
#ifndef BX_HOST_SYSTEM_OWNER_H
#define BX_HOST_SYSTEM_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct bx_owner {
    pid_t pid;
    uint64_t start_time; /* clock ticks since the kernel was booted */
    bool is_helper;      /* boxscore-helper, on behalf of a client */
} bx_owner;

bx_owner bx_owner_self(void);
bool bx_owner_lives(bx_owner o);                  /* a zombie is not alive */
bool bx_owner_is_parent(bx_owner o, pid_t child); /* and both are alive */

/* The process's command line, words separated by blanks; "" if unknown. */
void bx_owner_command(pid_t pid, char *to, size_t room);

#endif
