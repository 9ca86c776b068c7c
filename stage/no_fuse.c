/* Replaces the stage in a command that is built without FUSE. */
#include "stage/stage.h"

#include "base/error.h"

int bx_stage_open(bx_machine *m, const bx_stage_options *o, bx_stage **s, bx_error *e)
{
    (void)m;
    (void)o;
    (void)s;
    bx_fail(e, BX_NO_ACCESS, 0, 0,
            "this command was built without FUSE, which the stage is made of");
    bx_hint(e, "apt-get install libfuse3-dev fuse3, and build again");
    return BX_NO_ACCESS;
}

void bx_stage_close(bx_stage *s)
{
    (void)s;
}

const bx_error *bx_stage_trouble(const bx_stage *s)
{
    (void)s;
    return NULL;
}

bool bx_stage_was_asked_cpus(const bx_stage *s)
{
    (void)s;
    return false;
}

bool bx_stage_was_asked_task(const bx_stage *s)
{
    (void)s;
    return false;
}

bool bx_stage_was_asked_samples(const bx_stage *s)
{
    (void)s;
    return false;
}

uint64_t bx_stage_unsignalled(const bx_stage *s, const char **first)
{
    (void)s;
    *first = "";
    return 0;
}

int bx_stage_run(bx_stage *s, char *const argv[], int *status, bx_error *e)
{
    (void)s;
    (void)argv;
    (void)status;
    return bx_fail(e, BX_NO_ACCESS, 0, 0, "there is no stage");
}
