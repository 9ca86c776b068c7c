/* Whether one selection's counts include another's. By docs/reference/events.md, a selection
 * without a unit number, package or counter is for all units, all packages or any counter. */
#include "event_case.h"

#include "event/event.h"

static void parts(void **state)
{
    (void)state;
    static const struct {
        const char *whole, *part;
        bool is;
    } rows[] = {
        {"UNC_CBO_CACHE_LOOKUP:ANY_I", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I", true},
        {"UNC_CBO_CACHE_LOOKUP:ANY_I", "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I", true},
        {"UNC_CBO_CACHE_LOOKUP:ANY_I", "skl_unc_cbo@1::UNC_CBO_CACHE_LOOKUP:ANY_I", true},
        {"skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I", "UNC_CBO_CACHE_LOOKUP:ANY_I", false},
        {"skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I", "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I",
         false},
        {"UNC_CBO_CACHE_LOOKUP:ANY_I", "uncore_cbox/event=0x34,umask=0x88/", true},
        {"UNC_CBO_CACHE_LOOKUP:ANY_I", "UNC_CBO_CACHE_LOOKUP:ANY_I:t=0:e=0", true},
        {"UNC_CBO_CACHE_LOOKUP:ANY_I", "UNC_CBO_CACHE_LOOKUP:ANY_I:t=2", false},
        {"UNC_CBO_CACHE_LOOKUP:ANY_I", "UNC_CBO_CACHE_LOOKUP:ANY_M", false},
        {"UNC_CBO_CACHE_LOOKUP:ANY_I", "UNC_ARB_TRK_REQUESTS:ALL", false},
        {"UNC_CBO_CACHE_LOOKUP:ANY_I", "UNC_CBO_CACHE_LOOKUP:ANY_I:counter=1", false},
        {"UNC_CBO_CACHE_LOOKUP:ANY_I:counter=1", "UNC_CBO_CACHE_LOOKUP:ANY_I", true},
        {"skl_unc_arb::UNC_ARB_TRK_REQUESTS:ALL", "skl_unc_arb0::UNC_ARB_TRK_REQUESTS:ALL", true},
        {"skl_unc_arb0::UNC_ARB_TRK_REQUESTS:ALL", "UNC_ARB_TRK_REQUESTS:ALL", true},
        {"{UNC_CLOCK:SOCKET}", "UNC_CLOCK", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_evsel whole[1], part[1];
        size_t n;
        bx_error e = {0};
        if (bx_events_parse(built_in(), 0, rows[i].whole, whole, 1, &n, &e) ||
            bx_events_parse(built_in(), 0, rows[i].part, part, 1, &n, &e))
            fail_msg("%s, %s: %s", rows[i].whole, rows[i].part, e.message);
        if (bx_event_is_part(built_in(), whole, part) != rows[i].is)
            fail_msg("%s of %s", rows[i].part, rows[i].whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
