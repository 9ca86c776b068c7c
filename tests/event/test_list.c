/* Lists of events: commas, groups, spans within the whole text. */
#include "refusal.h"

#include "base/nearest.h"

#include "event/hint.h"

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
    {"{UNC_CLOCK}:X",
     "           ^",
     BX_BAD_INPUT, "these letters after a group are not known",
     "D pins it, W gives it up where it does not fit, u and k choose privilege levels"},
    {"{UNC_CLOCK}:DD",
     "           ^",
     BX_BAD_INPUT, "these letters after a group are not known",
     "D pins it, W gives it up where it does not fit, u and k choose privilege levels"},
    {"UNC_CLOCK:D:D",
     "          ^",
     BX_NOT_FOUND, "UNC_CLOCK has no unit mask or modifier 'D'",
     "unit masks: SOCKET"},
    {"UNC_CLOCK{UNC_CLOCK}",
     "         ^",
     BX_BAD_INPUT, "a comma is missing here",
     ""},
    {"UNC_CLOCK, UNC_CLOK ,UNC_CLOCK",
     "           ^^^^^^^^",
     BX_NOT_FOUND, BX_UNKNOWN_EVENT("UNC_CLOK"),
     BX_DID_YOU_MEAN_NAME("UNC_CLOCK")},
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

/* Which events of a list are pinned, one letter for each event. */
static void assert_pinned(int cpu, const char *text, const char *pinned)
{
    bx_evsel events[4];
    bx_error e = {0};
    size_t n = 0;
    if (bx_events_parse(built_in(), cpu, text, events, 4, &n, &e))
        fail_msg("'%s': %s", text, e.message);
    assert_int_equal(n, strlen(pinned));
    for (size_t i = 0; i < n; i++)
        if (events[i].pinned != (pinned[i] == 'D'))
            fail_msg("'%s': event %zu", text, i);
}

/* perf-list(1): "D - pin the event to the PMU"; libpfm4's modifier of perf events is "pinned". */
static void pinned(void **state)
{
    (void)state;
    assert_pinned(skl(), "UNC_CLOCK", "-");
    assert_pinned(skl(), "UNC_CLOCK:D,DRAM_DATA_READS", "D-");
    assert_pinned(skl(), "UNC_CLOCK , DRAM_DATA_READS:pinned", "-D");
    assert_pinned(skl(), "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:ANY_I:t=1:D", "D");
    assert_pinned(skl(), "uncore_cbox_0/event=1,umask=2/D,uncore_cbox_0/event=1,umask=2/", "D-");
    assert_pinned(skl(), "CACHE_LOOKUP_ANY_M:CBOX3C0:D", "D");
    assert_pinned(skl(), "{UNC_CLOCK,DRAM_DATA_READS}:D,UNC_CLOCK", "DD-");
    assert_pinned(skl(), "{UNC_CLOCK,DRAM_DATA_READS}:pinned , UNC_CLOCK", "DD-");
    assert_pinned(skl(), "UNC_CLOCK:D,{UNC_CLOCK,DRAM_DATA_READS}", "D--");
    assert_pinned(skl(), "{UNC_CLOCK,DRAM_DATA_READS:D},{UNC_CLOCK}", "DD-");
}

/* The letters of privilege levels before it still have effect. */
static void pinned_beside_levels(void **state)
{
    (void)state;
    bx_evsel plain, event;
    size_t n;
    static const char *const spellings[][2] = {{"p6::INST_RETIRED:uD", "p6::INST_RETIRED:u"},
                                               {"p6::INST_RETIRED:u:D", "p6::INST_RETIRED:u"},
                                               {"cpu/event=0xc0/kD", "cpu/event=0xc0/k"}};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const char *text = spellings[i][0];
        int p6 = bx_cat_find_cpu(built_in(), BX_STR("p6"));
        assert_int_equal(bx_events_parse(built_in(), p6, text, &event, 1, &n, NULL), BX_OK);
        text = spellings[i][1];
        assert_int_equal(bx_events_parse(built_in(), p6, text, &plain, 1, &n, NULL), BX_OK);
        assert_true(event.pinned && !plain.pinned);
        assert_int_equal(event.control, plain.control);
    }
}

/* perf-list(1): letters after a group are those of its events; W: "if the group cannot be
 * scheduled, it is broken up". */
static void letters_behind_groups(void **state)
{
    (void)state;
    static const struct {
        const char *list, *first, *second;
        bool weak, pinned;
    } rows[] = {
        {"{cycles,instructions}:W", "skl_core::CPU_CLK_UNHALTED:THREAD_P",
         "skl_core::INST_RETIRED:ANY_P", true, false},
        {"{cycles,cpu/instructions/} :uWD", "skl_core::CPU_CLK_UNHALTED:THREAD_P:u=1",
         "skl_core::INST_RETIRED:ANY_P:u=1", true, true},
        {"{cpu/event=0xc4,name=a/,cpu/event=0xc5,period=7/k}:S",
         "skl_core::BR_INST_RETIRED:ALL_BRANCHES", "skl_core::BR_MISP_RETIRED:ALL_BRANCHES:k=1",
         false, false},
        {"uncore_cbox_[1-2]/event=0x34,umask=0x88/", "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I",
         "skl_unc_cbo2::UNC_CBO_CACHE_LOOKUP:ANY_I", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bx_evsel events[2];
        bx_error e = {0};
        size_t n = 0;
        char is[TEXT];
        if (bx_events_parse(built_in(), skl(), rows[i].list, events, 2, &n, &e))
            fail_msg("'%s': %s", rows[i].list, e.message);
        assert_int_equal(n, 2);
        assert_string_equal(canonical(&events[0], is), rows[i].first);
        assert_string_equal(canonical(&events[1], is), rows[i].second);
        assert_true(events[0].weak == rows[i].weak && events[1].weak == rows[i].weak);
        assert_true(events[0].pinned == rows[i].pinned && events[1].pinned == rows[i].pinned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_lists),
        cmocka_unit_test(refused_lists),
        cmocka_unit_test(pinned),
        cmocka_unit_test(pinned_beside_levels),
        cmocka_unit_test(letters_behind_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
