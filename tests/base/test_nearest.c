/* The nearest known name to a misspelled one, for hints. */
#include "../cmocked.h"

#include "base/nearest.h"

#include <string.h>

static bx_nearest among(const char *wanted, const char *const *names, size_t n)
{
    bx_nearest nearest = bx_nearest_to(bx_str_of(wanted));
    for (size_t i = 0; i < n; i++)
        bx_nearest_offer(&nearest, names[i]);
    return nearest;
}

static const char *const names[] = {"CACHE_LOOKUP", "XSNP_RESPONSE", "TRK_REQUESTS", "e"};

static void nearest_wins(void **state)
{
    (void)state;
    assert_string_equal(among("CACHE_LOKUP", names, 4).name, "CACHE_LOOKUP");
    assert_string_equal(among("trk_request", names, 4).name, "TRK_REQUESTS");
    assert_string_equal(among("XSNP_RESPONSE", names, 4).name, "XSNP_RESPONSE");
    static const char *const equal[] = {"ab", "ac"}; /* the first of several equally near names */
    assert_string_equal(among("ad", equal, 2).name, "ab");
}

static void unlike_names_are_none(void **state)
{
    (void)state;
    assert_string_equal(among("DRAM_DATA_READS", names, 4).name, "");
    assert_string_equal(among("", names, 3).name, "");
    assert_string_equal(among("CACHE_LOOKUP", names, 0).name, "");
    char longer[80];
    memset(longer, 'x', sizeof longer - 1);
    longer[79] = '\0';
    const char *const too_long[] = {longer};
    assert_string_equal(among(longer, too_long, 1).name, "");
}

static void hint(void **state)
{
    (void)state;
    bx_error e = {0};
    bx_nearest nearest = among("TRK_REQESTS", names, 4), none = bx_nearest_to(BX_STR("q"));
    bx_nearest_hint(&e, &none);
    assert_string_equal(e.hint, "");
    bx_nearest_hint(&e, &nearest);
    assert_string_equal(e.hint, "did you mean 'TRK_REQUESTS'?");
    bx_nearest_hint(NULL, &nearest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_wins),
        cmocka_unit_test(unlike_names_are_none),
        cmocka_unit_test(hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
