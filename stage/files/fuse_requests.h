/* The requests of FUSE, for fuse_server.c, which receives them. */
#ifndef BX_STAGE_FILES_FUSE_REQUESTS_H
#define BX_STAGE_FILES_FUSE_REQUESTS_H

#define FUSE_USE_VERSION 34

#include "stage/files/fuse_server.h"
#include "stage/process/unmount_watchdog.h"

#include <fuse_lowlevel.h>
#include <time.h>

/* A write that waits until the write that is executed now has ended. */
typedef struct bx_waiting_write {
    struct bx_waiting_write *next;
    fuse_req_t request;
    const bx_tree_node *node;
    uint64_t number, offset;
    size_t n;
    char bytes[];
} bx_waiting_write;

struct bx_fuse_server {
    const bx_tree *tree;
    bx_stage_clock *clock;
    struct fuse_session *session;
    struct fuse_buf request;
    struct fuse_buf inner;     /* a request that arrives during a long write */
    bx_waiting_write *waiting; /* in the order of their arrival */
    fuse_req_t writes;         /* the write that is executed now; NULL: none */
    const int *urgent; /* the write ends when one of these n_urgent descriptors is readable */
    size_t n_urgent;
    uint64_t look_ups;
    bool mounted, out_of_memory;
    bool begun;  /* FUSE has accepted the kernel's first request */
    bool within; /* requests are served during a long write */
    bx_unmount_watchdog watchdog;
    struct timespec made;
};

extern const struct fuse_lowlevel_ops bx_fuse_operations;

/* Continues the first write that waits. */
void bx_fuse_continue_write(bx_fuse_server *s);

/* Ends writes that wait with EINTR: those of interrupted processes, or all. */
void bx_fuse_drop_writes(bx_fuse_server *s, bool all);

#endif
