/* Runs libpfm4's functions that allocate with each of their allocations failing. They return
 * PFM_ERR_NOMEM and hand out nothing. */
#include "../cmocked.h"

#include "memory/failing.h"
#include "pfm/calls.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { NOMEM = -7, NOTSUPP = -1 };

typedef struct tried {
    const char *event;
    int os, usual; /* its return value with enough memory */
} tried;

static unsigned long checked(const tried *t, unsigned long nth, int code)
{
    unsigned long done = failing_end();
    assert_int_equal(code, nth && nth <= done ? NOMEM : t->usual);
    return done;
}

static unsigned long find(void *context, unsigned long nth, bool later)
{
    const tried *t = context;
    failing_begin(nth, later);
    int code = pfm_find_event(t->event);
    unsigned long done = failing_end();
    if (nth && nth <= done)
        assert_int_equal(code, NOMEM);
    else
        assert_true(code > 0);
    return done;
}

static unsigned long encode_words(void *context, unsigned long nth, bool later)
{
    const tried *t = context;
    char *fstr = NULL;
    uint64_t *codes = NULL;
    int count = 0, idx = -1;
    failing_begin(nth, later);
    int code = pfm_get_event_encoding(t->event, 9, &fstr, &idx, &codes, &count);
    unsigned long done = checked(t, nth, code);
    assert_true((code == 0) == (fstr && codes && count > 0 && idx >= 0));
    assert_true(code == 0 || (!fstr && !codes && count == 0 && idx == -1));
    free(fstr);
    free(codes);
    return done;
}

static unsigned long encode_perf(void *context, unsigned long nth, bool later)
{
    const tried *t = context;
    struct perf_event_attr attr = {.size = sizeof attr};
    char *fstr = NULL;
    bx_pfmlib_perf_arg arg = {.attr = &attr, .fstr = &fstr, .size = sizeof arg};
    failing_begin(nth, later);
    int code = pfm_get_os_event_encoding(t->event, 9, t->os, &arg);
    unsigned long done = checked(t, nth, code);
    assert_true((code == 0) == (fstr != NULL));
    free(fstr);
    return done;
}

static void each(failing_try *try, const char *event, int os, int usual)
{
    tried t = {event, os, usual};
    try(&t, 0, false);
    assert_true(failing_each(try, &t) > 0);
}

static void test_each_allocation(void **state)
{
    (void)state;
    static const char cbo[] = "ivbep_unc_cbo0::UNC_C_TOR_INSERTS:ALL";
    each(encode_words, cbo, BX_PFMLIB_OS_NONE, 0);
    each(encode_words, "UNC_C_TOR_INSERTS:ALL", BX_PFMLIB_OS_NONE, 0);
    each(find, "UNC_C_TOR_INSERTS:ALL", BX_PFMLIB_OS_NONE, 0);
    each(encode_perf, "ppro::BUS_TRAN_MEM", BX_PFMLIB_OS_PERF, 0);
    each(encode_perf, "ppro::BUS_TRAN_MEM:u:period=1000", BX_PFMLIB_OS_PERF_EXT, 0);
    each(encode_perf, cbo, BX_PFMLIB_OS_PERF, NOTSUPP); /* this kernel has no such PMU */
}

static int start(void **state)
{
    (void)state;
    setenv("BOXSCORE_LIBPFM", "", 1);
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    setenv("LIBPFM_FORCE_PMU", "ivbep_unc_cbo0", 1);
    return pfm_initialize();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation),
    };
    failing_load();
    return cmocka_run_group_tests_name("pfm_memory", tests, start, NULL);
}
