/* Tries all selections of the PMUs with filters and privilege levels: every event, unit mask, pair
 * of unit masks, modifier and pair of modifiers. The quick suite tries one pair of modifiers in
 * three. The canonical string of an accepted selection is a fixed point. It means the same
 * registers, decoding these gives the string again, and perf's spelling means them, too. */
#include "space.h"

#include "../rounds.h"
#include "event/decode/decode.h"
#include "event/event.h"

/* Checks that the register contents, in the highest unit, are decoded to the same event. */
static void assert_decoded(const char *text, const bx_cat_pmu *pmu, const bx_evsel *event)
{
    bx_evsel placed = *event;
    placed.unit = (int16_t)(pmu->unit_max - 1);
    placed.package = BX_ANY;
    for (uint32_t can = bx_event_counters(built_in(), event); can; can &= can - 1) {
        unsigned counter = bx_lowest_bit(can);
        bx_regvalue to[1 + BX_EXTRAS];
        bx_raw raw[1 + BX_EXTRAS];
        bx_decoded decoded;
        char is[TEXT], should[TEXT];
        size_t n = bx_event_registers(built_in(), event, counter, to), found;
        for (size_t i = 0; i < n; i++)
            raw[i] = (bx_raw){bx_cat_regs(built_in())[to[i].reg].space,
                              address(to[i].reg, (unsigned)placed.unit), to[i].value};
        assert_int_equal(bx_decode(built_in(), pmu->cpu, raw, n, &decoded, 1, &found, NULL), BX_OK);
        /* The registers of a P6 event without a privilege level, with code and unit mask 0, would
         * select nothing. */
        assert_int_equal(found, 1);
        if (strcmp(canonical(&decoded.event, is), canonical(&placed, should)) != 0)
            fail_msg("'%s' is decoded to '%s' instead of '%s'", text, is, should);
        assert_int_equal(decoded.event.extras, event->extras);
        assert_true(space_same(decoded.event.extra, event->extras, event->extra, event->extras));
    }
}

/* Returns 1 if the text is accepted, after all checks; else 0. */
static unsigned long holds(const bx_cat_pmu *pmu, const char *text)
{
    char string[TEXT], again[TEXT], perf[TEXT];
    bx_evsel event;
    bx_error e = {0};
    if (bx_event_parse(built_in(), pmu->cpu, text, strlen(text), &event, &e)) {
        assert_true(e.message[0]);
        return 0;
    }
    space_canonical(pmu, text, &event, string);
    assert_decoded(text, pmu, &event);
    size_t n = bx_event_format_perf(built_in(), &event, perf, sizeof perf);
    if (!n)
        return 1;
    bx_evsel third = space_read_back(pmu, perf, text);
    if (strcmp(canonical(&third, again), string) != 0)
        fail_msg("'%s' gives '%s', which gives '%s'", text, perf, again);
    space_same_registers(text, perf, &event, &third);
    return 1;
}

/* ---- what to try ---- */

static unsigned long with_modifiers(const bx_cat_pmu *pmu, const char *text)
{
    static char settings[SETTINGS][SETTING];
    unsigned n = space_settings(pmu, settings);
    unsigned long held = holds(pmu, text);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = i; j < n; j++) {
            char both[TEXT];
            if (j > i && !is_tried(i + j, 3))
                continue;
            snprintf(both, sizeof both, "%.400s%.47s%.47s", text, settings[i],
                     j > i ? settings[j] : "");
            held += holds(pmu, both);
        }
    return held;
}

static unsigned long every_unit_mask(const bx_cat_pmu *pmu, const bx_cat_event *event)
{
    char text[TEXT];
    const bx_cat_umask *all = &bx_cat_umasks(built_in())[event->umasks.first];
    snprintf(text, sizeof text, "%s::%s", space_name(pmu->name), space_name(event->name));
    size_t n = strlen(text);
    unsigned long held = with_modifiers(pmu, text);
    for (unsigned i = 0; i < event->umasks.n; i++) {
        snprintf(text + n, sizeof text - n, ":%s", space_name(all[i].name));
        held += with_modifiers(pmu, text);
        for (unsigned j = i + 1; j < event->umasks.n; j++) {
            /* Unit masks that need a modifier get it. */
            uint32_t needs = all[i].needs | all[j].needs;
            bool node = false;
            for (; needs; needs &= needs - 1)
                node |=
                    strcmp(space_name(bx_cat_modifiers(
                                          built_in())[pmu->modifiers.first + bx_lowest_bit(needs)]
                                          .name),
                           "nf") == 0;
            snprintf(text + n, sizeof text - n, ":%s:%s%s", space_name(all[i].name),
                     space_name(all[j].name), node ? ":nf=2" : "");
            held += with_modifiers(pmu, text);
        }
    }
    for (unsigned number = 0; number < 256; number++) {
        snprintf(text + n, sizeof text - n, ":umask=0x%x", number);
        held += holds(pmu, text);
    }
    return held;
}

static unsigned long every_event_of(const char *pmu_name)
{
    const bx_cat_pmu *pmu = space_pmu(pmu_name);
    unsigned long held = 0;
    for (unsigned i = 0; i < pmu->events.n; i++)
        held += every_unit_mask(pmu, &bx_cat_events(built_in())[pmu->events.first + i]);
    print_message("%s: %lu event strings\n", pmu_name, held);
    return held;
}

static void ivybridge_ep_c_box(void **state)
{
    (void)state;
    /* 21 events with 175 rows of unit masks, each with every modifier and pair of modifiers */
    assert_true(every_event_of("ivbep_unc_cbo") > 175 * 100);
}

static void p6_family(void **state)
{
    (void)state;
    assert_true(every_event_of("ppro") > 68 * 50);
    assert_true(every_event_of("pii") > 78 * 50);
    assert_true(every_event_of("p6") > 80 * 50);
    assert_true(every_event_of("pm") > 102 * 50);
}

/* Spellings that differ a little from the usual one. */
static void near_the_usual(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "p6::L2_LD:m:e",
        "p6::L2_LD:M:e",
        "p6::L2_LD:e=1:M",
        "p6::L2_LD:E=1:M",
        "P6::l2_ld:M",
        "p6::L2_LD.M",
        "p6::L2_LD:M.E",
        "p6::L2_LD:M:",
        "p6::L2_LD::M",
        "p6:::L2_LD",
        "p60::L2_LD:M",
        "p600::L2_LD:M",

        "p6::L2_LD:M:c=012",
        "p6::L2_LD:M:c=256",
        "p6::L2_LD:M:c=0x1",
        "p6::L2_LD:M:c=1000",
        "p6::L2_LD:M:c",
        "p6::L2_LD:M:u=2",
        "p6::L2_LD:M=1",
        "p6::L2_LD:M:c=",
        "p6::L2_LD:M:c=1x",
        "p6::L2_LD:M ",
        " p6::L2_LD:M",
        "p6::L2_LD",
        "p6::",
        "p6:",
        "p6",
        "",
        "::",
        "p6::L2_LD:M:counter=1",
        "p6::L2_LD:M:umask=1",
        "p6::L2_LD:M:C=1",
        "p6::L2_LD:M:u:u",
        "p6::L2_LD:M:u:u=0",
        "p6::L2_LD:M:[=1",
        "p6::L2_LD:MESI",
        "p6::L2_LD:M?E",
        "p6::L2_LD:M;E",
        "p6::L2_LD:M:c=1:",
        "p6::BUS_TRAN_RFO",
        "p6::BUS_TRANS_RFO:ANY:SELF",
        "p6::BUS_TRANS_RFO:ANY:ANY",
        "p\xb6::L2_LD:M",
        "p6::L2_LD\xba:M",
        "p6::L2_LD:\xff:M",
    };
    const bx_cat_pmu *pmu = space_pmu("p6");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        holds(pmu, texts[i]);
}

/* Codes without an event, with all contents of their registers. */
static void raw_codes(void **state)
{
    (void)state;
    static const char *const pmus[] = {"ivbep_unc_cbo", "p6"};
    for (unsigned p = 0; p < 2; p++) {
        for (unsigned code = p; code < 256; code += p ? 5 : 3) { /* P6: 0 is no event */
            char text[TEXT];
            snprintf(text, sizeof text, "%s::RAW:code=0x%x:umask=0x%x", pmus[p], code,
                     code * 7 & 0xff);
            assert_true(with_modifiers(space_pmu(pmus[p]), text) > 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ivybridge_ep_c_box),
        cmocka_unit_test(p6_family),
        cmocka_unit_test(near_the_usual),
        cmocka_unit_test(raw_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
