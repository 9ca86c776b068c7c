/* The folder of a sweep's unfinished work, beside its results: PATH.work. It is removed when the
 * sweep is complete. */
#ifndef BX_SWEEP_JOB_FILES_H
#define BX_SWEEP_JOB_FILES_H

#include "base/arena.h"
#include "base/error.h"

enum bx_job_file {
    BX_JOB_RESULT, /* of a point: what `stat -j` wrote */
    BX_JOB_ERRORS, /* of a point: its messages */
    BX_JOB_TRACE,  /* of an environment: the program's trace */
    BX_JOB_OUTPUT, /* of an environment: the program's output */
    BX_JOB_SAYS,   /* of an environment: its messages */
    BX_JOB_PART,   /* of an engine's task: its results */
    BX_JOB_BATCH,  /* the number of a batch job */
    BX_JOB_LOG     /* of a batch job's task: what it said */
};

/* Makes the folder, if it is not there. */
int bx_job_folder_make(const char *path, bx_error *e);

/* The same for a folder of the user. */
int bx_job_folder_of_user(const char *name, bx_error *e);
void bx_job_folder_remove(const char *path);

/* The name of a file there; NULL: out of memory. */
const char *bx_job_file(const char *path, enum bx_job_file kind, size_t number, bx_arena *a);

#endif
