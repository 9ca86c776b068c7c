/* Latencies of operations are those of the source that tracer/latency.c cites. */
#include "../cmocked.h"

#include "tracer/latencies.h"

static void those_of_the_source(void **state)
{
    (void)state;
    latencies_row row;
    unsigned n = 0;
    for (; latencies_of(n, &row); n++)
        if (row.is != row.cycles)
            fail_msg("%s: %u cycles, not %u", row.operation, row.is, row.cycles);
    assert_int_not_equal(n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(those_of_the_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
