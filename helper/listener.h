/* The socket that clients come to, and who is let in. */
#ifndef BX_HELPER_LISTENER_H
#define BX_HELPER_LISTENER_H

#include <boxscore/boxscore.h>

#include <sys/types.h>

#define BX_NO_GROUP ((gid_t)-1)

/* Who may use the helper: root, the user who started it, and members of a group. */
typedef struct bx_admitted {
    uid_t starter;
    gid_t group; /* BX_NO_GROUP: nobody else */
} bx_admitted;

/* A listening socket at a path, for the group alone (mode 0660, or 0600 without one). One that
 * nobody listens at any more is replaced; its folder is made, and has to be nobody else's.
 * Negative: *e tells. */
int bx_listen_open(const char *path, gid_t group, bx_error *e);

typedef struct bx_peer {
    pid_t pid;
    uid_t uid;
} bx_peer;

/* Who is at the other end, as the kernel noted it when they connected; false: not one of those. */
bool bx_listen_admits(int fd, const bx_admitted *who, bx_peer *peer);

#endif
