/* Tries all selections of the Xeon 7500's boxes: every event, unit mask, pair of unit masks, place,
 * modifier and pair of modifiers. The canonical string of an accepted selection is a fixed point
 * and means the same registers. Decoding their contents, in any place, gives a string that means
 * them again, and perf's spelling means them, too. The long suite tries all. The quick suite tries
 * one pair in eleven, one in eleven of the events with many unit masks, and one string in five in
 * all places. */
#include "space.h"

#include "../rounds.h"
#include "event/decode/decode.h"
#include "event/event.h"

static uint64_t value_in(const bx_regvalue *all, size_t n, uint16_t reg)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].reg == reg)
            return all[i].value;
    return 0;
}

/* The same, but a register without an entry is 0. */
static bool same_machine(const bx_regvalue *a, size_t na, const bx_regvalue *b, size_t nb)
{
    bool same = true;
    for (size_t i = 0; i < na; i++)
        same &= a[i].value == value_in(b, nb, a[i].reg);
    for (size_t i = 0; i < nb; i++)
        same &= b[i].value == value_in(a, na, b[i].reg);
    return same;
}

static const bx_cat_counter *counter_of(const bx_evsel *event, unsigned index)
{
    return bx_pmu_counter(built_in(), event->pmu, index);
}

/* ---- one selection ---- */

/* Checks that the contents of a unit's registers, for one counter and one place, are decoded to a
 * string that means them again. */
static void assert_decoded(const bx_cat_pmu *pmu, const char *text, const bx_evsel *event,
                           unsigned unit, unsigned counter, uint16_t place)
{
    bx_regvalue to[1 + BX_EXTRAS], back[1 + BX_EXTRAS];
    bx_raw raw[1 + BX_EXTRAS];
    bx_decoded decoded;
    size_t found;
    char string[TEXT], again[TEXT];
    size_t n = bx_event_registers_at(built_in(), event, counter_of(event, counter), place, to);
    for (size_t i = 0; i < n; i++)
        raw[i] = (bx_raw){bx_cat_regs(built_in())[to[i].reg].space, address(to[i].reg, unit),
                          to[i].value};
    assert_int_equal(bx_decode(built_in(), pmu->cpu, raw, n, &decoded, 1, &found, NULL), BX_OK);
    assert_int_equal(found, 1);
    assert_int_equal(decoded.event.counter, counter);
    bx_evsel second = space_read_back(pmu, canonical(&decoded.event, string), text);
    if (strcmp(canonical(&second, again), string) != 0)
        fail_msg("'%s' is decoded to '%s', which gives '%s'", text, string, again);
    assert_int_equal(second.unit, pmu->unit_max > 1 ? (int)unit : BX_ANY);
    size_t m = bx_event_registers(built_in(), &second, counter, back);
    /* A raw code depends on all bits of a register that was read. If all settings of a name are 0,
     * the plain name is decoded, which does not use the register. */
    bool read = second.event == BX_RAW || strstr(text, "::DRAM_CMD:ALL_TRDOFF");
    if (read ? !same_machine(to, n, back, m) : !space_same(to, n, back, m)) {
        space_differ(text, string, to, n, back, m);
    }
}

static void assert_every_place(const bx_cat_pmu *pmu, const char *text, const bx_evsel *event)
{
    unsigned unit = event->unit == BX_ANY ? pmu->unit_max - 1u : (unsigned)event->unit;
    bx_evsel placed = *event;
    placed.unit = (int16_t)unit;
    for (uint32_t can = bx_event_counters(built_in(), event); can; can &= can - 1) {
        unsigned counter = bx_lowest_bit(can);
        bool borrows = false;
        if (event->event == BX_RAW && event->counter != BX_ANY &&
            counter != (unsigned)event->counter)
            continue;
        for (unsigned port = 0; port < (pmu->ports ? pmu->ports : 1u); port++) {
            uint16_t first;
            if (event->port != BX_ANY && (unsigned)event->port % pmu->ports != port)
                continue;
            unsigned n = bx_event_places(built_in(), event, port, &first);
            borrows |= n > 0;
            for (unsigned i = 0; i < n; i++)
                assert_decoded(pmu, text, &placed, unit, counter, (uint16_t)(first + i));
        }
        if (!borrows)
            assert_decoded(pmu, text, &placed, unit, counter, BX_NONE);
    }
}

static void assert_perf(const bx_cat_pmu *pmu, const char *text, const bx_evsel *event)
{
    char perf[TEXT];
    bx_evsel one = *event;
    bx_regvalue a[1 + BX_EXTRAS], b[1 + BX_EXTRAS];
    if (one.unit == BX_ANY)
        one.unit = 0;
    if (!bx_event_format_perf(built_in(), &one, perf, sizeof perf))
        return;
    bx_evsel second = space_read_back(pmu, perf, text);
    int lowest = bx_event_lowest_counter(built_in(), &one);
    unsigned counter = lowest < 0 ? 0 : (unsigned)lowest;
    size_t n = bx_event_registers(built_in(), &one, counter, a);
    size_t m = bx_event_registers(built_in(), &second, counter, b);
    if (!same_machine(a, n, b, m))
        space_differ(text, perf, a, n, b, m);
}

static unsigned long accepted;

/* Returns 1 if the text is accepted, after all checks; else 0. */
static unsigned long holds(const bx_cat_pmu *pmu, const char *text)
{
    char string[TEXT];
    bx_evsel event;
    bx_error e = {0};
    if (bx_event_parse(built_in(), pmu->cpu, text, strlen(text), &event, &e)) {
        assert_true(e.message[0]);
        return 0;
    }
    space_canonical(pmu, text, &event, string);
    if (is_tried(accepted++, 5))
        assert_every_place(pmu, text, &event);
    assert_perf(pmu, text, &event);
    return 1;
}

/* ---- what to try ---- */

static unsigned long with_modifiers(const bx_cat_pmu *pmu, const char *text, bool pairs)
{
    static char settings[SETTINGS][SETTING];
    unsigned n = space_settings(pmu, settings);
    unsigned long held = holds(pmu, text);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = i; j < (pairs ? n : i + 1); j++) {
            char both[TEXT];
            if (j > i && !is_tried(i + j, 11))
                continue;
            snprintf(both, sizeof both, "%.400s%.47s%.47s", text, settings[i],
                     j > i ? settings[j] : "");
            held += holds(pmu, both);
        }
    return held;
}

static unsigned long with_places(const bx_cat_pmu *pmu, const char *text, bool pairs)
{
    unsigned long held = with_modifiers(pmu, text, pairs);
    for (unsigned port = 0; port < pmu->ports * (unsigned)pmu->unit_max; port++)
        for (int place = -1; place < 3; place++) {
            char there[TEXT];
            int n = snprintf(there, sizeof there, "%.400s:port=%u", text, port);
            if (place >= 0)
                snprintf(there + n, sizeof there - (size_t)n, ":place=%d", place);
            held += port % 3 ? holds(pmu, there) : with_modifiers(pmu, there, false);
        }
    for (unsigned place = 0; !pmu->ports && place < 5; place++) {
        char there[TEXT];
        snprintf(there, sizeof there, "%.400s:place=%u", text, place);
        held += with_modifiers(pmu, there, false);
    }
    return held;
}

static unsigned long every_unit_mask(const bx_cat_pmu *pmu, const bx_cat_event *event)
{
    char text[TEXT];
    const bx_cat_umask *all = &bx_cat_umasks(built_in())[event->umasks.first];
    snprintf(text, sizeof text, "%s::%s", space_name(pmu->name), space_name(event->name));
    size_t n = strlen(text);
    unsigned long held = with_places(pmu, text, true);
    for (unsigned i = 0; i < event->umasks.n; i++) {
        snprintf(text + n, sizeof text - n, ":%s", space_name(all[i].name));
        held += i < 4 || is_tried(i, 11) ? with_places(pmu, text, i < 2) : holds(pmu, text);
        for (unsigned j = i + 1; j < event->umasks.n; j++) {
            if (!is_tried(i + j, 11))
                continue;
            snprintf(text + n, sizeof text - n, ":%s:%s", space_name(all[i].name),
                     space_name(all[j].name));
            held += holds(pmu, text);
        }
    }
    for (unsigned number = 0; number < 260; number++) {
        snprintf(text + n, sizeof text - n, ":umask=0x%x", number);
        held += holds(pmu, text);
    }
    return held;
}

static void every_event(void **state)
{
    char *pmu_name = *state;
    const bx_cat_pmu *pmu = space_pmu(pmu_name);
    unsigned long held = 0;
    for (unsigned i = 0; i < pmu->events.n; i++)
        held += every_unit_mask(pmu, &bx_cat_events(built_in())[pmu->events.first + i]);
    print_message("%s: %lu event strings\n", pmu_name, held);
    assert_true(held > pmu->events.n);
}

/* Codes without an event, and contents of registers that no event's names give. */
static void raw_codes(void **state)
{
    (void)state;
    static const char *const pmus[] = {"nhmex_unc_ubox", "nhmex_unc_cbox", "nhmex_unc_bbox",
                                       "nhmex_unc_sbox", "nhmex_unc_rbox", "nhmex_unc_mbox",
                                       "nhmex_unc_wbox"};
    for (unsigned p = 0; p < 7; p++) {
        const bx_cat_pmu *pmu = space_pmu(pmus[p]);
        unsigned long held = 0;
        for (unsigned code = 0; code < 256; code++)
            for (unsigned i = 0; i < 12; i++) {
                char text[TEXT];
                int n = snprintf(text, sizeof text, "%s::RAW:code=0x%x", pmus[p], code);
                if (i % 4)
                    n += snprintf(text + n, sizeof text - (size_t)n, ":umask=0x%x",
                                  i % 4 * code * 7 & 0xff);
                if (i / 4)
                    snprintf(text + n, sizeof text - (size_t)n, ":counter=%u", i / 4 - 1);
                held += with_modifiers(pmu, text, i == 0 && code < 8);
            }
        assert_true(held > 0);
    }
}

/* Every selection in a port's registers. */
static void raw_choices(void **state)
{
    (void)state;
    const bx_cat_pmu *pmu = space_pmu("nhmex_unc_rbox");
    for (unsigned bit = 0; bit < 32; bit++)
        for (unsigned other = 0; other < 32; other++) {
            char text[TEXT];
            snprintf(text, sizeof text, "nhmex_unc_rbox::RAW:code=1:umask=0x%x:port=5:place=1",
                     1u << bit | 1u << other);
            assert_int_equal(holds(pmu, text), 1);
        }
    for (unsigned choice = 0; choice < 256; choice++) {
        char text[TEXT];
        snprintf(text, sizeof text, "nhmex_unc_rbox::RAW:code=2:umask=0x%x:port=2", choice);
        assert_int_equal(holds(pmu, text), 1);
    }
}

/* Every condition of the M-Box's flag mode, also those without an event. INC_SEL selects nothing in
 * this mode and is not varied. */
static void flags(void **state)
{
    (void)state;
    const bx_cat_pmu *pmu = space_pmu("nhmex_unc_mbox");
    for (uint64_t flag = 0; flag < 8; flag++)
        for (uint64_t code = 0; code < 32; code++) {
            uint64_t control = flag << 19 | 1 << 7 | 0x41;
            bx_raw raw = {BX_SPACE_MSR, 0xcb0, control | code << 9};
            bx_decoded decoded;
            size_t found;
            char string[TEXT];
            assert_int_equal(bx_decode(built_in(), pmu->cpu, &raw, 1, &decoded, 1, &found, NULL),
                             BX_OK);
            assert_int_equal(found, 1);
            bx_evsel event =
                space_read_back(pmu, canonical(&decoded.event, string), "a control register");
            bx_regvalue to[1 + BX_EXTRAS];
            bx_event_registers(built_in(), &event, 0, to);
            if (to[0].value != control)
                fail_msg("flag %u, code %u: '%s' gives 0x%llx", (unsigned)flag, (unsigned)code,
                         string, (unsigned long long)to[0].value);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_event, (char[]){"nhmex_unc_ubox"}),
        cmocka_unit_test_prestate(every_event, (char[]){"nhmex_unc_cbox"}),
        cmocka_unit_test_prestate(every_event, (char[]){"nhmex_unc_bbox"}),
        cmocka_unit_test_prestate(every_event, (char[]){"nhmex_unc_sbox"}),
        cmocka_unit_test_prestate(every_event, (char[]){"nhmex_unc_rbox"}),
        cmocka_unit_test_prestate(every_event, (char[]){"nhmex_unc_mbox"}),
        cmocka_unit_test_prestate(every_event, (char[]){"nhmex_unc_wbox"}),
        cmocka_unit_test(raw_codes),
        cmocka_unit_test(raw_choices),
        cmocka_unit_test(flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
