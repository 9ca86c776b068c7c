/* The rights of a program on stage. The stage usually has more: whatever it does on the host for a
 * program, it does with no more capabilities than the program has. So the host's kernel decides. */
#ifndef BX_STAGE_CALLS_CALLER_RIGHTS_H
#define BX_STAGE_CALLS_CALLER_RIGHTS_H

#include "stage/calls/calls.h"

#include <linux/capability.h>

typedef struct bx_own_rights {
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
} bx_own_rights;

/* Reduces the effective capabilities of this thread to those that the caller has too, and stores
 * ours. False, with nothing changed: the caller does not wait any more, or they cannot be changed.
 */
bool bx_caller_rights_assume(const bx_call *call, bx_own_rights *ours);

/* Takes back what bx_caller_rights_assume() stored. */
void bx_caller_rights_end(const bx_own_rights *ours);

#endif
