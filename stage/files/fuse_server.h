/* Serves a tree of files through FUSE, in one thread: programs' accesses one by one, and in
 * between the time of the machine. */
#ifndef BX_STAGE_FILES_FUSE_SERVER_H
#define BX_STAGE_FILES_FUSE_SERVER_H

#include "stage/work/clock.h"
#include "stage/files/tree.h"

typedef struct bx_fuse_server bx_fuse_server;

/* Makes the tree visible at a folder, which must be empty. Both must outlive the server. watched:
 * it is unmounted even if we are killed, for which a second process waits. */
int bx_fuse_server_new(const bx_tree *tree, bx_stage_clock *clock, const char *folder, bool watched,
                       bx_fuse_server **s, bx_error *e);
void bx_fuse_server_free(bx_fuse_server *s); /* the folder is empty again; NULL is fine */

/* Serves until poll() would find one of the descriptors readable, or the folder is unmounted by
 * somebody else: *which is the descriptor's index, or n. */
int bx_fuse_server_run(bx_fuse_server *s, const int *descriptors, size_t n, size_t *which,
                       bx_error *e);

#endif
