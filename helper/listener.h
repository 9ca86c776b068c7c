/* The socket that clients connect to, and the check of which clients are admitted. */
#ifndef BX_HELPER_LISTENER_H
#define BX_HELPER_LISTENER_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

#define BX_NO_GROUP ((gid_t)-1)

/* The users of the helper: root, the user who started it, and members of a group. */
typedef struct bx_admitted {
    uid_t starter;
    gid_t group; /* BX_NO_GROUP: no group */
} bx_admitted;

/* Makes a listening socket at a path, for the group alone (mode 0660, or 0600 without a group). A
 * stale socket is replaced. Its folder is made if needed; other users must not be able to write to
 * it. Returns the descriptor; negative: *e. */
int bx_listen_open(const char *path, gid_t group, bx_error *e);

typedef struct bx_peer {
    pid_t pid;
    uid_t uid;
    uint64_t start_time; /* from the client's HELLO (bx_owner); 0: not yet known */
} bx_peer;

/* Sets *peer to the client at the other end, by the kernel's credentials of the connection; false:
 * it may not use the helper. */
bool bx_listen_admits(int fd, const bx_admitted *who, bx_peer *peer);

#endif
