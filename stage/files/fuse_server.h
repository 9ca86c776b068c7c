/* Serves a tree of files through FUSE in one thread. Between requests it advances the machine's
 * time. */
#ifndef BX_STAGE_FILES_FUSE_SERVER_H
#define BX_STAGE_FILES_FUSE_SERVER_H

#include "stage/files/tree.h"
#include "stage/work/clock.h"

typedef struct bx_fuse_server bx_fuse_server;

/* Mounts the tree at a folder. Tree and clock must outlive the server. watched: the folder must be
 * empty, and a second process unmounts it even if we are killed. BX_NO_ACCESS with a hint:
 * it cannot be mounted. */
int bx_fuse_server_new(const bx_tree *tree, bx_stage_clock *clock, const char *folder, bool watched,
                       bx_fuse_server **s, bx_error *e);
void bx_fuse_server_free(bx_fuse_server *s); /* unmounts; NULL is fine */

/* Whether FUSE has accepted the kernel's first request; it refuses that request only for lack of
 * memory. */
bool bx_fuse_server_has_begun(const bx_fuse_server *s);

/* Serves until one of n descriptors is ready: *which is its index. *which = n: somebody else has
 * unmounted the folder. A descriptor of -1 is ignored. The first `urgent` descriptors also end a
 * long access. */
int bx_fuse_server_run(bx_fuse_server *s, const int *descriptors, size_t n, size_t urgent,
                       size_t *which, bx_error *e);

/* Whether a long access has to end now, because its process got a signal or an urgent descriptor is
 * ready. server: a bx_fuse_server. */
bool bx_fuse_server_interrupts(void *server);

#endif
