/* The rights of a program on stage. The stage usually has more rights than the program. Before it
 * acts on the host for a program, it drops the capabilities that the program lacks. So the host's
 * kernel decides what is allowed. */
#ifndef BX_STAGE_CALLS_CALLER_RIGHTS_H
#define BX_STAGE_CALLS_CALLER_RIGHTS_H

#include "stage/calls/calls.h"

#include <linux/capability.h>

typedef struct bx_own_rights {
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
} bx_own_rights;

/* Stores the capabilities of this thread in *ours. Then drops the effective ones that the caller
 * lacks. false, with nothing changed: the caller does not wait any more, or the capabilities cannot
 * be changed. */
bool bx_caller_rights_assume(const bx_call *call, bx_own_rights *ours);

/* Restores the capabilities that bx_caller_rights_assume() stored. */
void bx_caller_rights_end(const bx_own_rights *ours);

#endif
