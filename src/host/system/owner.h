/* Which process something belongs to, also after it has ended: its number and when it was born, as
 * numbers are used again. */
#ifndef BX_HOST_SYSTEM_OWNER_H
#define BX_HOST_SYSTEM_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct bx_owner {
    pid_t pid;
    uint64_t born; /* in the kernel's ticks since it was started */
} bx_owner;

bx_owner bx_owner_self(void);
bool bx_owner_lives(bx_owner o); /* not if it only waits to be reaped */

/* How it was called, its words separated by blanks; "" if that is not known. */
void bx_owner_command(pid_t pid, char *to, size_t room);

#endif
