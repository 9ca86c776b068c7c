/* Marks of regions in the stream of a traced thread. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_MARK_H
#define BX_MACHINE_PROGRAM_PROCESS_MARK_H

/* A mark: a region ends, begins or is reset, or the thread ends. */
enum bx_mark_kind { BX_MARK_END, BX_MARK_BEGIN, BX_MARK_RESET, BX_MARK_THREAD_ENDS };
typedef struct bx_mark {
    enum bx_mark_kind kind;
    unsigned thread;  /* bx_task.number */
    int core;         /* -1: the thread has no core yet, or no longer, or runs on a host */
    const char *name; /* of the region */
} bx_mark;
typedef void bx_mark_fn(void *context, const bx_mark *mark);

#endif
