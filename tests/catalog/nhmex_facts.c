#include "../cmocked.h"

#include "nhmex_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void facts_check_row(const struct bx_catalog *c, uint16_t pmu, const struct event_row *row)
{
    const bx_cat_event *event = facts_event(c, pmu, row->event);
    const bx_cat_umask *umask = facts_umask(c, event, row->umask);
    const struct {
        const char *what;
        unsigned is, expected;
    } all[] = {
        {"code", event->code, row->code},
        {"unit mask", umask ? umask->value : 0, row->value},
        {"increment", event->max, row->max},
        {"confidence", umask ? umask->confidence : event->confidence, row->sure},
        {"need of a unit mask", event->umasks.n > 0, umask != NULL},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is != all[i].expected)
            fail_msg("%s:%s: %s is 0x%x, not 0x%x", row->event, row->umask, all[i].what, all[i].is,
                     all[i].expected);
}

static bool named(const struct event_row *rows, size_t n, const char *event, const char *umask)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].event, event) == 0 && strcmp(rows[i].umask, umask) == 0)
            return true;
    return false;
}

void facts_check_all_named(const struct bx_catalog *c, uint16_t pmu, const struct event_row *rows,
                           size_t n)
{
    bx_span events = bx_cat_pmus(c)[pmu].events;
    size_t found = 0;
    for (uint16_t i = events.first; i < events.first + events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[i];
        const char *name = bx_cat_z(c, event->name);
        for (uint16_t u = 0; u < event->umasks.n; u++, found++)
            if (!named(rows, n, name, bx_cat_z(c, bx_cat_umasks(c)[event->umasks.first + u].name)))
                fail_msg("%s has a unit mask of its own", name);
        if (event->umasks.n == 0 && !named(rows, n, name, ""))
            fail_msg("%s is in no list", name);
        found += event->umasks.n == 0;
    }
    assert_int_equal(found, n);
}

static void compare(const struct bx_catalog *c, const char *text, const bx_evsel *event,
                    const struct msr *expected, size_t n)
{
    bx_regvalue is[BX_EXTRAS + 2];
    int counter = bx_event_lowest_counter(c, event);
    size_t found = bx_event_registers(c, event, counter < 0 ? 0 : (unsigned)counter, is);
    if (found != n)
        fail_msg("%s needs %zu registers, not %zu", text, found, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t first = bx_cat_regs(c)[is[i].reg].first_addr;
        uint32_t at = bx_cat_addrs(c)[first + (unsigned)event->unit];
        size_t k = 0;
        while (k < n && expected[k].address != at)
            k++;
        if (k == n || (i == 0 && k != 0))
            fail_msg("%s writes 0x%x", text, at);
        if (is[i].value != expected[k].value)
            fail_msg("%s: 0x%x gets 0x%" PRIx64 ", not 0x%" PRIx64, text, at, is[i].value,
                     expected[k].value);
    }
}

void facts_check_registers(const struct bx_catalog *c, const char *pmu, unsigned unit,
                           const char *event, const char *umask, const struct msr *expected,
                           size_t n)
{
    char text[128];
    snprintf(text, sizeof text, "%s%u::%s%s%s", pmu, unit, event, *umask ? ":" : "", umask);
    bx_evsel evsel;
    bx_error e = {0};
    int cpu = bx_cat_find_cpu(c, BX_STR("nhmex"));
    if (bx_event_parse(c, cpu, text, strlen(text), &evsel, &e) != BX_OK)
        fail_msg("%s: %s", text, e.message);
    compare(c, text, &evsel, expected, n);
}
