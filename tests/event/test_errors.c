/* What is said about wrong event strings in the canonical spelling. */
#include "refusal.h"

/* clang-format off */
static const refusal pmus[] = {
    {"",
     "",
     BX_BAD_INPUT, "no event given",
     ""},
    {"   ",
     "   ",
     BX_BAD_INPUT, "no event given",
     ""},
    {"::",
     "^^",
     BX_BAD_INPUT, "no PMU before '::'",
     ""},
    {"::UNC_CLOCK",
     "^^",
     BX_BAD_INPUT, "no PMU before '::'",
     ""},
    {"skl_unc_cb::UNC_CBO_CACHE_LOOKUP:ANY_I",
     "^^^^^^^^^^",
     BX_NOT_FOUND, "unknown PMU 'skl_unc_cb'",
     "did you mean 'skl_unc_cbo'?"},
    {"foo3::BAR",
     "^^^^",
     BX_NOT_FOUND, "unknown PMU 'foo3'",
     "there are: skl_unc_cbo, skl_unc_arb, skl_unc_clock, skl_unc_imc"},
    {"UNC_CBO_CACHE_LOOKUP::ANY_I",
     "^^^^^^^^^^^^^^^^^^^^",
     BX_NOT_FOUND, "unknown PMU 'UNC_CBO_CACHE_LOOKUP'",
     "the name of an event is followed by one ':'"},
    {"skl_unc_cbo4::UNC_CBO_CACHE_LOOKUP:ANY_I",
     "           ^",
     BX_NOT_FOUND, "skl_unc_cbo has no such unit",
     "units are 0 to 3; without a number all are counted"},
    {"skl_unc_cbo99999999999999::UNC_CBO_CACHE_LOOKUP:ANY_I",
     "           ^^^^^^^^^^^^^^",
     BX_NOT_FOUND, "skl_unc_cbo has no such unit",
     "units are 0 to 3; without a number all are counted"},
    {"skl_unc_arb1::UNC_ARB_TRK_REQUESTS:ALL",
     "           ^",
     BX_NOT_FOUND, "skl_unc_arb has no such unit",
     "there is one only; its number is 0 or left out"},
    {"skl_unc_cbo@::UNC_CBO_CACHE_LOOKUP:ANY_I",
     "           ^",
     BX_BAD_INPUT, "no package number after '@'",
     "packages are numbered from 0"},
    {"skl_unc_cbo@x::UNC_CBO_CACHE_LOOKUP:ANY_I",
     "            ^",
     BX_BAD_INPUT, "no package number after '@'",
     "packages are numbered from 0"},
    {"skl_unc_cbo@99999::UNC_CBO_CACHE_LOOKUP:ANY_I",
     "            ^^^^^",
     BX_BAD_INPUT, "no package number after '@'",
     "packages are numbered from 0"},
};

static const refusal events[] = {
    {"skl_unc_cbo::",
     "           ^^",
     BX_BAD_INPUT, "no event after '::'",
     ""},
    {"skl_unc_cbo:UNC_CBO_CACHE_LOOKUP:ANY_I",
     "^^^^^^^^^^^",
     BX_NOT_FOUND, "unknown event 'skl_unc_cbo'",
     "the name of a PMU is followed by '::'"},
    {"skl_unc_cbo::UNC_CBO_CACHE_LOOKUPS:ANY_I",
     "             ^^^^^^^^^^^^^^^^^^^^^",
     BX_NOT_FOUND, "skl_unc_cbo has no event 'UNC_CBO_CACHE_LOOKUPS'",
     "did you mean 'UNC_CBO_CACHE_LOOKUP'?"},
    {"skl_unc_cbo::UNC_ARB_TRK_REQUESTS:ALL",
     "             ^^^^^^^^^^^^^^^^^^^^",
     BX_NOT_FOUND, "skl_unc_cbo has no event 'UNC_ARB_TRK_REQUESTS'",
     "it is an event of skl_unc_arb"},
    {"skl_unc_cbo::FOO",
     "             ^^^",
     BX_NOT_FOUND, "skl_unc_cbo has no event 'FOO'",
     "it has: UNC_CBO_XSNP_RESPONSE, UNC_CBO_CACHE_LOOKUP"},
    {"skl_unc_package::FOO",
     "                 ^^^",
     BX_NOT_FOUND, "skl_unc_package has no event 'FOO'",
     "it counts nothing"},
    {"UNC_CBO_CACHE_LOKUP.ANY_I",
     "^^^^^^^^^^^^^^^^^^^",
     BX_NOT_FOUND, "unknown event 'UNC_CBO_CACHE_LOKUP'",
     "did you mean 'UNC_CBO_CACHE_LOOKUP'?"},
    {"  UNC_CBO_CACHE_LOKUP.ANY_I",
     "  ^^^^^^^^^^^^^^^^^^^",
     BX_NOT_FOUND, "unknown event 'UNC_CBO_CACHE_LOKUP'",
     "did you mean 'UNC_CBO_CACHE_LOOKUP'?"},
    {"L1D.REPLACEMENT",
     "^^^",
     BX_NOT_FOUND, "unknown event 'L1D'",
     "events are those of: skl_unc_cbo, skl_unc_arb, skl_unc_clock, skl_unc_imc"},
    {".ANY_I",
     "^",
     BX_BAD_INPUT, "no event before '.'",
     ""},
    {"bad\007\033name",
     "^^^^^^^^^",
     BX_NOT_FOUND, "unknown event 'bad??name'",
     "events are those of: skl_unc_cbo, skl_unc_arb, skl_unc_clock, skl_unc_imc"},
    {"unknownunknownunknownunknownunknownunknownunknownunknownunknownunknownunknown",
     "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
     BX_NOT_FOUND, "unknown event 'unknownunknownunknownunknownunknownunknownunknownunk…'",
     "events are those of: skl_unc_cbo, skl_unc_arb, skl_unc_clock, skl_unc_imc"},
};

static const refusal unit_masks[] = {
    {"UNC_CBO_CACHE_LOOKUP",
     "^^^^^^^^^^^^^^^^^^^^",
     BX_BAD_INPUT, "UNC_CBO_CACHE_LOOKUP needs a unit mask",
     "one or more of WRITE_M, ANY_M, READ_I, ANY_I, READ_MESI, WRITE_MESI, ANY_MESI, ANY_ES, READ_ES, WRITE_ES, STATE_M, STATE_E, STATE_S, STATE_I, READ_FILTER, WRITE_FILTER, …"},
    {"UNC_ARB_TRK_REQUESTS:t=1",
     "^^^^^^^^^^^^^^^^^^^^^^^^",
     BX_BAD_INPUT, "UNC_ARB_TRK_REQUESTS needs a unit mask",
     "one or more of ALL, WRITES, DATA_READ"},
    {"UNC_CBO_CACHE_LOOKUP:",
     "                    ^",
     BX_BAD_INPUT, "nothing after ':'",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:",
     "                          ^",
     BX_BAD_INPUT, "nothing after ':'",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I..t=1",
     "                          ^",
     BX_BAD_INPUT, "nothing after '.'",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_II",
     "                     ^^^^^^",
     BX_NOT_FOUND, "UNC_CBO_CACHE_LOOKUP has no unit mask or modifier 'ANY_II'",
     "did you mean 'ANY_I'?"},
    {"UNC_ARB_TRK_OCCUPANCY:FOOBAR",
     "                      ^^^^^^",
     BX_NOT_FOUND, "UNC_ARB_TRK_OCCUPANCY has no unit mask or modifier 'FOOBAR'",
     "unit masks: ALL, CYCLES_WITH_ANY_REQUEST, DATA_READ; modifiers: e, i, t"},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I ANY_M",
     "                     ^^^^^^^^^^^",
     BX_NOT_FOUND, "UNC_CBO_CACHE_LOOKUP has no unit mask or modifier 'ANY_I ANY_M'",
     "unit masks: WRITE_M, ANY_M, READ_I, ANY_I, READ_MESI, WRITE_MESI, ANY_MESI, ANY_ES, READ_ES, WRITE_ES, STATE_M, STATE_E, STATE_S, STATE_I, READ_FILTER, WRITE_FILTER, …; modifiers: e, i, t"},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I=1",
     "                     ^^^^^^^",
     BX_BAD_INPUT, "'ANY_I' is a unit mask and takes no value",
     ""},
    {"UNC_CLOCK:e",
     "          ^",
     BX_NOT_FOUND, "UNC_CLOCK has no unit mask or modifier 'e'",
     "unit masks: SOCKET"},
    {"DRAM_DATA_READS:FOO",
     "                ^^^",
     BX_NOT_FOUND, "DRAM_DATA_READS has no unit mask or modifier 'FOO'",
     "it has neither"},
};

static const refusal modifiers[] = {
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:t",
     "                           ^",
     BX_BAD_INPUT, "the modifier 't' needs a value",
     "t=0 to t=31"},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:t=",
     "                           ^^",
     BX_BAD_INPUT, "no value after 't='",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:t=x",
     "                             ^",
     BX_BAD_INPUT, "'x' is not a number",
     "numbers are decimal, or hexadecimal with 0x, of at most 64 bits"},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:t=32",
     "                           ^^^^",
     BX_BAD_INPUT, "t=32 is out of range 0..31",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:t=-1",
     "                             ^^",
     BX_BAD_INPUT, "'-1' is not a number",
     "numbers are decimal, or hexadecimal with 0x, of at most 64 bits"},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:t=99999999999999999999",
     "                             ^^^^^^^^^^^^^^^^^^^^",
     BX_BAD_INPUT, "'99999999999999999999' is not a number",
     "numbers are decimal, or hexadecimal with 0x, of at most 64 bits"},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:e=2",
     "                           ^^^",
     BX_BAD_INPUT, "e=2 is out of range 0..1",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:t=3:t=4",
     "                               ^^^",
     BX_BAD_INPUT, "'t' has two values: 3 and 4",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:e:e=0",
     "                             ^^^",
     BX_BAD_INPUT, "'e' has two values: 1 and 0",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:thresh=1",
     "                           ^^^^^^",
     BX_NOT_FOUND, "skl_unc_cbo has no modifier 'thresh'",
     "it has: e, i, t, umask, counter"},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:cunter=1",
     "                           ^^^^^^",
     BX_NOT_FOUND, "skl_unc_cbo has no modifier 'cunter'",
     "did you mean 'counter'?"},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:=1",
     "                           ^^",
     BX_BAD_INPUT, "no name before '='",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:umask=0x100",
     "                           ^^^^^^^^^^^",
     BX_BAD_INPUT, "umask=0x100 is out of range 0..0xff",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:umask=1:umask=2",
     "                             ^^^^^^^",
     BX_BAD_INPUT, "'umask' has two values: 0x1 and 0x2",
     ""},
    {"UNC_CLOCK:t=1",
     "          ^",
     BX_NOT_FOUND, "skl_unc_clock has no modifier 't'",
     "it has: counter"},
    {"UNC_CLOCK:umask=1",
     "          ^^^^^^^",
     BX_BAD_INPUT, "skl_unc_clock has no register that takes a umask",
     ""},
    {"UNC_ARB_TRK_OCCUPANCY:CYCLES_WITH_ANY_REQUEST:t=2",
     "                                              ^^^",
     BX_BAD_INPUT, "CYCLES_WITH_ANY_REQUEST stands for t=1, not t=2",
     "leave out 't', or choose another unit mask"},
    {"UNC_ARB_TRK_OCCUPANCY:t=2:CYCLES_WITH_ANY_REQUEST",
     "                          ^^^^^^^^^^^^^^^^^^^^^^^",
     BX_BAD_INPUT, "CYCLES_WITH_ANY_REQUEST stands for t=1, not t=2",
     "leave out 't', or choose another unit mask"},
};

static const refusal counters[] = {
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:counter=7",
     "                           ^^^^^^^^^",
     BX_NOT_FOUND, "skl_unc_cbo has no counter 7",
     "counters are 0 to 1"},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:counter=0:counter=1",
     "                                     ^^^^^^^^^",
     BX_BAD_INPUT, "a second counter for one event",
     ""},
    {"UNC_ARB_TRK_OCCUPANCY:ALL:counter=1",
     "                          ^^^^^^^^^",
     BX_NO_FIT, "UNC_ARB_TRK_OCCUPANCY cannot be counted on this counter",
     "counters that can: 0"},
    {"skl_unc_arb::RAW:code=0x80:umask=1:counter=1",
     "                                   ^^^^^^^^^",
     BX_NO_FIT, "UNC_ARB_TRK_OCCUPANCY cannot be counted on this counter",
     "counters that can: 0"},
};

static const refusal raw_codes[] = {
    {"RAW:code=1",
     "^^^",
     BX_BAD_INPUT, "RAW without a PMU",
     "write PMU::RAW:code=0x34:umask=0x88"},
    {"skl_unc_cbo::RAW",
     "^^^^^^^^^^^^^^^^",
     BX_BAD_INPUT, "RAW without a code",
     "write skl_unc_cbo::RAW:code=0x34:umask=0x88"},
    {"skl_unc_cbo::RAW:umask=1",
     "^^^^^^^^^^^^^^^^^^^^^^^^",
     BX_BAD_INPUT, "RAW without a code",
     "write skl_unc_cbo::RAW:code=0x34:umask=0x88"},
    {"skl_unc_cbo::RAW:code=0x100",
     "                 ^^^^^^^^^^",
     BX_BAD_INPUT, "code=0x100 is out of range 0..0xff",
     ""},
    {"skl_unc_cbo::RAW:code=1:code=2",
     "                        ^^^^^^",
     BX_BAD_INPUT, "'code' has two values: 0x1 and 0x2",
     ""},
    {"skl_unc_cbo::RAW:code=1:ANY_I",
     "                        ^^^^^",
     BX_NOT_FOUND, "RAW has no unit mask or modifier 'ANY_I'",
     "modifiers: e, i, t"},
    {"skl_unc_clock::RAW:code=1",
     "                   ^^^^^^",
     BX_BAD_INPUT, "skl_unc_clock has no register that takes a code",
     ""},
    {"UNC_CBO_CACHE_LOOKUP:ANY_I:code=0x34",
     "                           ^^^^^^^^^",
     BX_BAD_INPUT, "UNC_CBO_CACHE_LOOKUP has a code of its own",
     "the event word RAW takes any code"},
};

/* clang-format on */

static void about_pmus(void **state)
{
    (void)state;
    assert_refused(pmus, sizeof pmus / sizeof *pmus);
}

static void about_events(void **state)
{
    (void)state;
    assert_refused(events, sizeof events / sizeof *events);
}

static void about_unit_masks(void **state)
{
    (void)state;
    assert_refused(unit_masks, sizeof unit_masks / sizeof *unit_masks);
}

static void about_modifiers(void **state)
{
    (void)state;
    assert_refused(modifiers, sizeof modifiers / sizeof *modifiers);
}

static void about_counters(void **state)
{
    (void)state;
    assert_refused(counters, sizeof counters / sizeof *counters);
}

static void about_raw_codes(void **state)
{
    (void)state;
    assert_refused(raw_codes, sizeof raw_codes / sizeof *raw_codes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(about_pmus),       cmocka_unit_test(about_events),
        cmocka_unit_test(about_unit_masks), cmocka_unit_test(about_modifiers),
        cmocka_unit_test(about_counters),   cmocka_unit_test(about_raw_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
