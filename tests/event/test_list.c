/* Lists of events: commas, groups, spans within the whole text. */
#include "refusal.h"

enum { ROOM = 2 };

static void assert_list(const char *text, size_t n, const char *const *canonicals, const char *at)
{
    bx_evsel events[4];
    bx_error e = {0};
    size_t found = 99;
    if (bx_events_parse(built_in(), skl(), text, events, 4, &found, &e))
        fail_msg("'%s': %s", text, e.message);
    assert_int_equal(found, n);
    for (size_t i = 0, offset = 0; i < n; i++) {
        char is[TEXT];
        assert_string_equal(canonical(&events[i], is), canonicals[i]);
        offset += strspn(at + offset, " ");
        assert_int_equal(events[i].at, offset);
        assert_int_equal(events[i].len, strspn(at + offset, "^"));
        offset += events[i].len;
    }
}

/* clang-format off */
static void good_lists(void **state)
{
    (void)state;
    static const char *const three[] = {"skl_unc_clock::UNC_CLOCK:SOCKET",
        "skl_unc_cbo0::RAW:code=0x1:umask=0x2:e=1", "skl_unc_imc::DRAM_DATA_READS"};
    assert_list("UNC_CLOCK", 1, three,
                "^^^^^^^^^");
    assert_list("UNC_CLOCK,uncore_cbox_0/event=1,umask=2,edge/,DRAM_DATA_READS", 3, three,
                "^^^^^^^^^ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ ^^^^^^^^^^^^^^^");
    assert_list(" UNC_CLOCK ,\tuncore_cbox_0/event=1,umask=2,edge/ , DRAM_DATA_READS ", 3, three,
                " ^^^^^^^^^   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^   ^^^^^^^^^^^^^^^ ");
    assert_list("{UNC_CLOCK,uncore_cbox_0/event=1,umask=2,edge/},DRAM_DATA_READS", 3, three,
                " ^^^^^^^^^ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^  ^^^^^^^^^^^^^^^");
    assert_list("{ UNC_CLOCK } , { uncore_cbox_0/event=1,umask=2,edge/ , DRAM_DATA_READS }", 3, three,
                "  ^^^^^^^^^       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^   ^^^^^^^^^^^^^^^");
}

static const refusal bad_lists[] = {
    {"",
     "",
     BX_BAD_INPUT, "no event given",
     ""},
    {" ",
     "",
     BX_BAD_INPUT, "no event given",
     ""},
    {"UNC_CLOCK,,UNC_CLOCK",
     "          ^",
     BX_BAD_INPUT, "an event is missing here",
     ""},
    {"UNC_CLOCK, ,UNC_CLOCK",
     "           ^",
     BX_BAD_INPUT, "an event is missing here",
     ""},
    {"UNC_CLOCK ,",
     "          ^",
     BX_BAD_INPUT, "an event is missing here",
     ""},
    {",UNC_CLOCK",
     "^",
     BX_BAD_INPUT, "an event is missing here",
     ""},
    {"{UNC_CLOCK",
     "         ^",
     BX_BAD_INPUT, "a group without its '}'",
     ""},
    {"{UNC_CLOCK,",
     "          ^",
     BX_BAD_INPUT, "an event is missing here",
     ""},
    {"UNC_CLOCK}",
     "         ^",
     BX_BAD_INPUT, "'}' without its '{'",
     ""},
    {"{UNC_CLOCK,{UNC_CLOCK}}",
     "           ^",
     BX_BAD_INPUT, "a group within a group",
     ""},
    {"{}",
     " ^",
     BX_BAD_INPUT, "an event is missing here",
     ""},
    {"{UNC_CLOCK}{UNC_CLOCK}",
     "           ^",
     BX_BAD_INPUT, "a comma is missing here",
     ""},
    {"{UNC_CLOCK}:S",
     "           ^",
     BX_BAD_INPUT, "letters behind a group",
     "write them behind each event: {a:u,b:u}; leave :S out"},
    {"UNC_CLOCK{UNC_CLOCK}",
     "         ^",
     BX_BAD_INPUT, "a comma is missing here",
     ""},
    {"UNC_CLOCK, UNC_CLOK ,UNC_CLOCK",
     "           ^^^^^^^^",
     BX_NOT_FOUND, "unknown event 'UNC_CLOK'",
     "did you mean 'UNC_CLOCK'?"},
    {"UNC_CLOCK,{UNC_CBO_CACHE_LOOKUP:ANY_I:t=99}",
     "                                      ^^^^",
     BX_BAD_INPUT, "t=99 is out of range 0..31",
     ""},
    {"uncore_cbox_0/event=1,umask=1,UNC_CLOCK",
     "             ^",
     BX_BAD_INPUT, "this '/' is not closed",
     "PMU/term,term/"},
    {"UNC_CLOCK,UNC_CLOCK,UNC_CLOCK",
     "                    ^^^^^^^^^",
     BX_BAD_INPUT, "more than 2 events",
     ""},
};
/* clang-format on */

static void refused_lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_lists / sizeof *bad_lists; i++) {
        bx_evsel events[ROOM], before[ROOM];
        bx_error e = {0};
        size_t n = 99;
        memset(events, 0x5a, sizeof events);
        memcpy(before, events, sizeof events);
        int code = bx_events_parse(built_in(), skl(), bad_lists[i].text, events, ROOM, &n, &e);
        assert_refusal(&bad_lists[i], code, &e);
        assert_int_equal(n, 99);
        assert_memory_equal(events, before, sizeof events);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_lists),
        cmocka_unit_test(refused_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
