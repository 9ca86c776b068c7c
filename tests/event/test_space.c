/* Tries all event selections: every event, unit mask, modifier and pair of modifiers. The canonical
 * string is a fixed point and encodes to the same registers again. Decoding these gives the string,
 * and perf's spelling means the same registers. */
#include "space.h"
#include "event/decode/decode.h"
#include "event/event.h"

/* Checks that the event's register contents, in the highest unit, are decoded to the same event. */
static void assert_decoded(const char *text, const bx_evsel *event)
{
    bx_evsel placed = *event;
    placed.unit = (int16_t)(bx_cat_pmus(built_in())[event->pmu].unit_max - 1);
    uint32_t can = bx_event_counters(built_in(), event);
    for (unsigned counter = 0; counter < 32; counter++) {
        bx_regvalue to[1 + BX_EXTRAS];
        bx_decoded decoded[2];
        size_t n;
        char is[TEXT], should[TEXT];
        if (!(can >> counter & 1) || !bx_event_registers(built_in(), event, counter, to))
            continue;
        bx_raw raw = {bx_cat_regs(built_in())[to[0].reg].space,
                      address(to[0].reg, (unsigned)placed.unit), to[0].value};
        assert_int_equal(bx_decode(built_in(), skl(), &raw, 1, decoded, 2, &n, NULL), BX_OK);
        assert_int_equal(n, 1);
        if (strcmp(canonical(&decoded[0].event, is), canonical(&placed, should)) != 0)
            fail_msg("'%s' is decoded to '%s' instead of '%s'", text, is, should);
        assert_int_equal(decoded[0].event.counter, counter);
        assert_true(decoded[0].event.control == to[0].value);
    }
}

static unsigned long holds(const char *text)
{
    char string[TEXT], again[TEXT], perf[TEXT];
    bx_evsel event = parsed(text);
    bx_evsel second = space_canonical(&bx_cat_pmus(built_in())[event.pmu], text, &event, string);
    assert_true(second.control == event.control);
    assert_decoded(text, &event);
    size_t n = bx_event_format_perf(built_in(), &event, perf, sizeof perf);
    /* Linux takes code 0xff with unit mask 0 for the clock: uncore_snb.c. */
    if (event.code == 0xff && !event.umask) {
        assert_int_equal(n,
                         event.pmu == parsed("skl_unc_arb::RAW:code=0xff").pmu ? strlen(perf) : 0);
        return 1;
    }
    assert_int_equal(n, strlen(perf));
    bx_evsel third = parsed(perf);
    if (third.control != event.control || strcmp(canonical(&third, again), string) != 0)
        fail_msg("'%s' gives '%s', which gives '%s'", text, perf, again);
    space_same_registers(text, perf, &event, &third);
    return 1;
}

/* ---- what to try ---- */

enum { VALUES = 4 };

/* Boundary values of a modifier. */
static unsigned values_of(const bx_cat_modifier *m, uint64_t values[VALUES])
{
    uint64_t hi = m->flag ? 1 : m->hi, lo = m->flag ? 0 : m->lo;
    const uint64_t all[VALUES] = {lo, lo + 1, hi / 2, hi};
    unsigned n = 0;
    for (unsigned i = 0; i < VALUES; i++)
        if (all[i] <= hi && (n == 0 || all[i] > values[n - 1]))
            values[n++] = all[i];
    return n;
}

static void append(char *text, const bx_cat_modifier *m, uint64_t value)
{
    size_t n = strlen(text);
    snprintf(text + n, TEXT - n, ":%s=%llu", bx_cat_z(built_in(), m->name),
             (unsigned long long)value);
}

/* Checks the text, unless its modifiers contradict those that the unit mask stands for. */
static unsigned long holds_if_allowed(const char *text)
{
    bx_evsel event;
    bx_error e = {0};
    if (bx_event_parse(built_in(), skl(), text, strlen(text), &event, &e) == BX_OK)
        return holds(text);
    assert_non_null(strstr(e.message, " stands for "));
    return 0;
}

/* The text alone, with each modifier, and with each pair of modifiers. */
static unsigned long with_modifiers(const char *text, const bx_cat_pmu *pmu)
{
    const bx_cat_modifier *all = &bx_cat_modifiers(built_in())[pmu->modifiers.first];
    unsigned long n = holds(text);
    for (unsigned i = 0; i < pmu->modifiers.n; i++) {
        uint64_t mine[VALUES], other[VALUES];
        for (unsigned a = 0, as = values_of(&all[i], mine); a < as; a++) {
            char one[TEXT];
            snprintf(one, sizeof one, "%s", text);
            append(one, &all[i], mine[a]);
            n += holds_if_allowed(one);
            for (unsigned j = i + 1; j < pmu->modifiers.n; j++)
                for (unsigned b = 0, bs = values_of(&all[j], other); b < bs; b++) {
                    char two[TEXT];
                    snprintf(two, sizeof two, "%s", one);
                    append(two, &all[j], other[b]);
                    n += holds_if_allowed(two);
                }
        }
    }
    return n;
}

/* Whether the names select something: names of one kind of bits alone are refused. */
static bool are_whole(const bx_cat_event *event, const bx_cat_umask *a, const bx_cat_umask *b)
{
    uint32_t value = a->value | b->value;
    return (!event->each[0] || value & event->each[0]) &&
           (!event->each[1] || value & event->each[1]);
}

static unsigned long every_unit_mask(const bx_cat_pmu *pmu, const bx_cat_event *event)
{
    char text[TEXT];
    unsigned long n = 0;
    if (!event->umasks.n || event->umask_default != BX_NONE) {
        snprintf(text, sizeof text, "%s::%s", space_name(pmu->name), space_name(event->name));
        n += with_modifiers(text, pmu);
    }
    const bx_cat_umask *all = &bx_cat_umasks(built_in())[event->umasks.first];
    for (unsigned i = 0; i < event->umasks.n; i++) {
        snprintf(text, sizeof text, "%s::%s:%s", space_name(pmu->name), space_name(event->name),
                 space_name(all[i].name));
        n += are_whole(event, &all[i], &all[i]) ? with_modifiers(text, pmu) : 0;
        for (unsigned j = 0; j < event->umasks.n; j++) {
            if (!are_whole(event, &all[i], &all[j]))
                continue;
            snprintf(text, sizeof text, "%s::%s:%s:%s", space_name(pmu->name),
                     space_name(event->name), space_name(all[i].name), space_name(all[j].name));
            n += holds(text);
        }
    }
    return n;
}

/* Events of the uncore, which take all modifiers. */
static void every_event(void **state)
{
    (void)state;
    unsigned long n = 0;
    bx_span pmus = bx_cat_cpus(built_in())[skl()].pmus;
    for (unsigned p = pmus.first; p < pmus.first + pmus.n; p++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(built_in())[p];
        for (unsigned i = 0; pmu->scope == BX_SCOPE_PACKAGE && i < pmu->events.n; i++)
            n += every_unit_mask(pmu, &bx_cat_events(built_in())[pmu->events.first + i]);
    }
    print_message("%lu event strings\n", n);
    /* 55 unit masks of the C-Box and ARB, 25 modifier settings each, and more. */
    assert_true(n > 55 * 25);
}

/* Unit masks without a name have a spelling, too: 334060-001 table 2-7, 8 bits. */
static void every_unit_mask_number(void **state)
{
    (void)state;
    static const char *const events[] = {"UNC_CBO_CACHE_LOOKUP", "UNC_CBO_XSNP_RESPONSE",
                                         "UNC_ARB_TRK_OCCUPANCY", "UNC_ARB_TRK_REQUESTS"};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned umask = 0; umask < 256; umask++) {
            char text[TEXT];
            bx_evsel event;
            snprintf(text, sizeof text, "%s:umask=0x%x", events[i], umask);
            event = parsed(text);
            assert_int_equal(event.control >> 8 & 0xff, umask);
            with_modifiers(text, &bx_cat_pmus(built_in())[event.pmu]);
        }
}

static void every_code(void **state)
{
    (void)state;
    static const char *const pmus[] = {"skl_unc_cbo", "skl_unc_arb"};
    static const unsigned umasks[] = {0, 1, 0x88, 0xff};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned code = 0; code < 256; code++)
            for (unsigned j = 0; j < 4; j++) {
                char text[TEXT];
                snprintf(text, sizeof text, "%s::RAW:code=%u:umask=%u:t=%u", pmus[i], code,
                         umasks[j], j);
                /* An empty register would select nothing, but EN is always set. */
                holds(text);
            }
}

/* The C-Box register: each value of its fields is an event, and the event gives this value. */
static void every_field_value(void **state)
{
    (void)state;
    for (unsigned umask = 0; umask < 256; umask++)
        for (unsigned thr = 0; thr < 32; thr++)
            for (unsigned flags = 0; flags < 4; flags++) {
                uint64_t value = 0x400034 | umask << 8 | (flags & 1) << 18 | (flags >> 1) << 23 |
                                 (uint64_t)thr << 24;
                bx_raw raw = {BX_SPACE_MSR, 0x700, value};
                bx_decoded decoded;
                size_t n;
                char text[TEXT];
                assert_int_equal(bx_decode(built_in(), skl(), &raw, 1, &decoded, 1, &n, NULL),
                                 BX_OK);
                bx_evsel event = parsed(canonical(&decoded.event, text));
                assert_true(event.control == value);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event),
        cmocka_unit_test(every_unit_mask_number),
        cmocka_unit_test(every_code),
        cmocka_unit_test(every_field_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
