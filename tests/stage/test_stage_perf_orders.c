/* perf's events of several PMUs, opened, switched and closed in every order. Each must count what
 * it counts alone on an equal machine, and say that it ran all the time. */
#include "../cmocked.h"

#include "machine/machine.h"
#include "stage/perf/validation.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS = 5, SLICE = 400 /* cycles of work in one step */ };

/* The first three of a machine are of PMUs with a common enable, if the machine has such. */
static const struct machine {
    const char *name;
    struct {
        const char *source, *terms;
    } events[EVENTS]; /* of different boxes, or of one */
} machines[] = {
    {"virtual:skl,part=plain,cores=2,llc=1M",
     {{"uncore_imc", "event=0x1"},
      {"uncore_cbox_0", "event=0xff"},
      {"uncore_arb", "event=0x81,umask=0x1"},
      {"uncore_cbox_1", "event=0x34,umask=0x8f"},
      {"cpu", "event=0x3c"}}},
    {"virtual:ivbep,part=plain,cores=2,packages=1",
     {{"uncore_cbox_0", "event=0x0"},
      {"uncore_imc_0", "event=0x4,umask=0x3"},
      {"uncore_cbox_1", "event=0x35,umask=0x1,filter_opc=0x182"},
      {"uncore_imc_1", "event=0x4,umask=0x3"},
      {"cpu", "event=0xc0"}}},
    {"virtual:nhmex,part=plain,cores=2,packages=1",
     {{"uncore_ubox", "event=0x50"},
      {"uncore_cbox_0", "event=0x14,umask=0x7"},
      {"uncore_mbox_0", "inc_sel=0xd,fvc=0x2800"},
      {"uncore_wbox", "event=0xff"},
      {"uncore_bbox_0", "event=0x2,counter=1"}}},
    {"virtual:p6,part=plain",
     {{"cpu", "event=0x79"},
      {"cpu", "event=0x2e,umask=0xf"},
      {"cpu", "event=0x79"},
      {"cpu", "event=0x79"},
      {"cpu", "event=0x79"}}},
};

/* ---- a machine with perf's boxes ---- */

typedef struct rig {
    bx_machine *m;
    bx_event_sources sources;
    bx_staged_boxes boxes;
    bx_validation validation;
    uint64_t now; /* ns */
} rig;

static void rig_open(rig *r, const char *machine)
{
    *r = (rig){0};
    assert_int_equal(bx_machine_open(bx_catalog_builtin(), machine, &r->m, NULL), BX_OK);
    bx_event_sources_find(&r->sources, &r->m->topology, 100);
    assert_true(bx_staged_boxes_new(&r->boxes, &r->m->topology, &r->sources, r->m->bus));
    r->validation = (bx_validation){r->m, &r->sources, &r->boxes};
}

static void rig_close(rig *r)
{
    bx_staged_boxes_free(&r->boxes);
    bx_machine_close(r->m);
}

/* The workload begins again when it has ended, on all machines at the same step. */
static void rig_work(rig *r)
{
    bool done = false;
    if (r->now % 64000 == 0)
        assert_int_equal(bx_machine_load_workload(r->m, "stream,size=256K", NULL), BX_OK);
    assert_int_equal(bx_machine_run(r->m, bx_machine_now(r->m) + SLICE, &done, NULL), BX_OK);
    bx_vpmu_catch_up(bx_machine_vpmu(r->m));
    r->now += 1000;
}

static const bx_event_source *source_named(const rig *r, const char *name)
{
    for (size_t i = 0; i < r->sources.n; i++)
        if (strcmp(r->sources.all[i].name, name) == 0)
            return &r->sources.all[i];
    fail_msg("no source %s", name);
    return NULL;
}

/* leader: NULL for a group of its own */
static bx_staged_event *event_open(rig *r, const char *name, const char *terms, bool on,
                                   bx_staged_event *leader)
{
    const bx_event_source *source = source_named(r, name);
    uint64_t words[3] = {0};
    bx_staged_event *e = calloc(1, sizeof *e);
    assert_non_null(e);
    assert_true(bx_event_source_words(&r->sources, source, bx_str_of(terms), words));
    e->request.attr = (struct perf_event_attr){.type = source->type,
                                               .size = sizeof e->request.attr,
                                               .config = words[0],
                                               .config1 = words[1],
                                               .config2 = words[2]};
    e->request.pid = -1;
    e->host = -1;
    e->state = on ? BX_STAGED_ON : BX_STAGED_OFF;
    e->times_updated = r->now;
    if (bx_validate_event(&r->validation, e) != 0)
        fail_msg("%s/%s/ is refused", name, terms);
    assert_int_equal(bx_validate_group(&r->validation, e, leader), 0);
    bx_staged_box_reschedule(&r->boxes, e->box, r->now, false);
    return e;
}

static void event_switch(rig *r, bx_staged_event *e, bool on)
{
    bx_staged_check_counters(&r->boxes, e->box);
    bx_staged_update_times(e, r->now);
    e->state = on ? BX_STAGED_ON : BX_STAGED_OFF;
    bx_staged_box_reschedule(&r->boxes, e->box, r->now, !on);
}

static void event_close(rig *r, bx_staged_event *e)
{
    bx_staged_leave(e);
    bx_staged_box_reschedule(&r->boxes, e->box, r->now, true);
    free(e);
}

static void event_read(rig *r, bx_staged_event *e)
{
    bx_staged_read_counters(&r->boxes, e->box);
    bx_staged_check_counters(&r->boxes, e->box);
    bx_staged_update_times(e, r->now);
}

/* ---- orders ---- */

/* Steps for the events a, b and c: a letter opens an event, or closes an open one; in upper case it
 * switches it off, or on again. A space lets the machine work, and all counts are then compared. */
static const char *const orders[] = {
    "a b c a b c ",   "a b c c b a ",    "ab c b ac ",       "a b a c b c ",     "abc A b A ca ",
    "a b A B A B ab", "a b A B c A c a", "abcABC A B C abc", "a bA cB A aB bc ", "a Ab A bc a c ",
};

typedef struct one {
    const char *source, *terms;
    bx_staged_event *open;
    uint64_t expected, alone_before;
    rig reference; /* counts it alone, all the time */
    bx_staged_event *alone;
} one;

static void one_work(one *o)
{
    rig_work(&o->reference);
    event_read(&o->reference, o->alone);
    if (o->open && o->open->state == BX_STAGED_ON)
        o->expected += o->alone->count - o->alone_before;
    o->alone_before = o->alone->count;
}

static void one_compare(rig *r, const one *o, const char *order)
{
    if (!o->open)
        return;
    event_read(r, o->open);
    if (o->open->count != o->expected || o->open->running != o->open->enabled)
        fail_msg("order '%s', %s/%s/: %llu in place of %llu, %llu of %llu ns", order, o->source,
                 o->terms, (unsigned long long)o->open->count, (unsigned long long)o->expected,
                 (unsigned long long)o->open->running, (unsigned long long)o->open->enabled);
}

static void one_step(rig *r, one *o, bool switches)
{
    if (switches) {
        event_switch(r, o->open, o->open->state != BX_STAGED_ON);
    } else if (o->open) {
        event_close(r, o->open);
        o->open = NULL;
    } else {
        o->open = event_open(r, o->source, o->terms, true, NULL);
        o->expected = 0;
    }
}

static void play_order(rig *r, one *all, const size_t *which, const char *order)
{
    for (const char *step = order; *step; step++) {
        if (*step != ' ') {
            bool switches = *step < 'a';
            one_step(r, &all[which[*step - (switches ? 'A' : 'a')]], switches);
            continue;
        }
        rig_work(r);
        for (size_t i = 0; i < EVENTS; i++) {
            one_work(&all[i]);
            one_compare(r, &all[i], order);
        }
    }
    for (size_t i = 0; i < EVENTS; i++)
        if (all[i].open)
            one_step(r, &all[i], false);
}

static void every_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        rig r;
        one all[EVENTS] = {0};
        rig_open(&r, machines[i].name);
        for (size_t j = 0; j < EVENTS; j++) {
            all[j].source = machines[i].events[j].source;
            all[j].terms = machines[i].events[j].terms;
            rig_open(&all[j].reference, machines[i].name);
            all[j].alone = event_open(&all[j].reference, all[j].source, all[j].terms, true, NULL);
        }
        bool one_box = strcmp(all[0].source, all[EVENTS - 1].source) == 0; /* two counters */
        for (size_t a = 0; a < EVENTS; a++)
            for (size_t b = 0; b < EVENTS; b++)
                for (size_t c = 0; c < EVENTS; c++)
                    for (size_t k = 0; a != b && a != c && b != c && !one_box &&
                                       k < sizeof orders / sizeof *orders;
                         k++)
                        play_order(&r, all, (size_t[]){a, b, c}, orders[k]);
        for (size_t k = 0; one_box && k < 4; k++)
            play_order(&r, all, (size_t[]){k & 1, !(k & 1), 2},
                       (const char *[]){"a b a b ", "a b A B A b a ", "ab A b a ", "a b b a "}[k]);
        for (size_t j = 0; j < EVENTS; j++) {
            /* nothing wakes a core here, so the U-Box has nothing to count */
            assert_true(all[j].alone->count > 0 || strcmp(all[j].source, "uncore_ubox") == 0);
            event_close(&all[j].reference, all[j].alone);
            rig_close(&all[j].reference);
        }
        rig_close(&r);
    }
}

/* When all events are closed, no enable remains. */
static void nothing_remains(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        uint32_t msr;
    } enables[] = {{"virtual:skl,part=plain,cores=2,llc=1M", 0xe01},
                   {"virtual:nhmex,part=plain,cores=2,packages=1", 0xc00}};
    for (size_t i = 0; i < sizeof enables / sizeof *enables; i++) {
        const struct machine *m = machines;
        while (strcmp(m->name, enables[i].machine) != 0)
            m++;
        for (size_t first = 0; first < 4; first++) {
            bx_staged_event *open[4];
            const bx_address at = {.space = BX_SPACE_MSR, .width = 64, .offset = enables[i].msr};
            uint64_t value;
            rig r;
            rig_open(&r, m->name);
            for (size_t j = 0; j < 4; j++)
                open[j] = event_open(&r, m->events[j].source, m->events[j].terms, true, NULL);
            for (size_t j = 0; j < 4; j++) {
                assert_int_equal(r.m->bus->read(r.m->bus, &at, &value), 0);
                assert_true(value != 0 || j == 3);
                event_close(&r, open[(first + j) % 4]);
            }
            assert_int_equal(r.m->bus->read(r.m->bus, &at, &value), 0);
            assert_int_equal(value, 0);
            rig_close(&r);
        }
    }
}

/* Groups of two PMUs, switched by their leaders. */
static void groups(void **state)
{
    (void)state;
    rig r, other;
    rig_open(&r, machines[0].name);
    rig_open(&other, machines[0].name);
    for (unsigned first = 0; first < 2; first++) {
        const char *const sources[] = {"uncore_cbox_0", "uncore_arb"};
        static const char *const terms[][2] = {{"event=0x34,umask=0x8f", "event=0x34,umask=0x88"},
                                               {"event=0x81,umask=0x1", "event=0x84,umask=0x1"}};
        bx_staged_event *e[2][2], *alone[2][2];
        for (unsigned k = 0; k < 2; k++) {
            unsigned pmu = first ^ k;
            for (unsigned i = 0; i < 2; i++) {
                e[pmu][i] =
                    event_open(&r, sources[pmu], terms[pmu][i], i == 1, i ? e[pmu][0] : NULL);
                alone[pmu][i] = event_open(&other, sources[pmu], terms[pmu][i], true, NULL);
            }
        }
        event_switch(&r, e[first][0], true);
        event_switch(&r, e[!first][0], true);
        for (unsigned k = 0; k < 3; k++) {
            rig_work(&r);
            rig_work(&other);
        }
        event_switch(&r, e[first][0], false);
        uint64_t stopped[2] = {e[first][0]->enabled, e[first][1]->enabled};
        rig_work(&r);
        for (unsigned i = 0; i < 2; i++) {
            event_read(&other, alone[first][i]);
            event_read(&r, e[first][i]);
            assert_int_equal(e[first][i]->count, alone[first][i]->count);
            assert_int_equal(e[first][i]->enabled, stopped[i]);
            assert_int_equal(e[first][i]->running, stopped[i]);
        }
        rig_work(&other);
        for (unsigned i = 0; i < 2; i++) {
            event_read(&other, alone[!first][i]);
            event_read(&r, e[!first][i]);
            assert_int_equal(e[!first][i]->count, alone[!first][i]->count);
            assert_int_equal(e[!first][i]->running, e[!first][i]->enabled);
        }
        for (unsigned k = 0; k < 4; k++) {
            event_close(&r, e[k / 2][1 - k % 2]);
            event_close(&other, alone[k / 2][1 - k % 2]);
        }
    }
    rig_close(&other);
    rig_close(&r);
}

/* While another program has switched a counter off, or made it count something else, it is not
 * running. */
static void registers_of_others(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *source, *terms;
        uint32_t msr;
        uint64_t value;
    } cases[] = {
        {"virtual:skl,part=plain,cores=2,llc=1M", "uncore_cbox_0", "event=0x34,umask=0x8f", 0xe01,
         0},
        {"virtual:skl,part=plain,cores=2,llc=1M", "uncore_cbox_0", "event=0x34,umask=0x8f", 0x700,
         0},
        {"virtual:skl,part=plain,cores=2,llc=1M", "uncore_cbox_0", "event=0x34,umask=0x8f", 0x700,
         0x408834},
        {"virtual:skl,part=plain,cores=2,llc=1M", "cpu", "event=0x3c", 0x38f, 0},
        {"virtual:nhmex,part=plain,cores=2,packages=1", "uncore_cbox_0", "event=0x14,umask=0x7",
         0xc00, 1},
        {"virtual:nhmex,part=plain,cores=2,packages=1", "uncore_cbox_0", "event=0x14,umask=0x7",
         0xd00, 0},
        {"virtual:nhmex,part=plain,cores=2,packages=1", "uncore_mbox_0", "inc_sel=0xd,fvc=0x2800",
         0xcab, 0},
        {"virtual:ivbep,part=plain,cores=2,packages=1", "uncore_cbox_1",
         "event=0x35,umask=0x1,filter_opc=0x182", 0xd3a, 0},
        {"virtual:ivbep,part=plain,cores=2,packages=1", "uncore_cbox_0", "event=0x0", 0xc00,
         0x80000000},
        {"virtual:ivbep,part=plain,cores=2,packages=1", "uncore_cbox_0", "event=0x0", 0xd04, 0x100},
        {"virtual:p6,part=plain", "cpu", "event=0x79", 0x186, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bx_address at = {.space = BX_SPACE_MSR, .width = 64, .offset = cases[i].msr};
        uint64_t before;
        rig r;
        rig_open(&r, cases[i].machine);
        bx_staged_event *e = event_open(&r, cases[i].source, cases[i].terms, true, NULL);
        rig_work(&r);
        bx_staged_boxes_tick(&r.boxes, r.now, r.now);
        assert_int_equal(r.m->bus->read(r.m->bus, &at, &before), 0);
        assert_int_equal(r.m->bus->write(r.m->bus, &at, cases[i].value), 0);
        rig_work(&r);
        bx_staged_boxes_tick(&r.boxes, r.now, r.now);
        assert_int_equal(r.m->bus->write(r.m->bus, &at, before), 0);
        rig_work(&r);
        event_read(&r, e);
        if (e->enabled != 3000 || e->running != 2000)
            fail_msg("case %zu: %llu of %llu ns", i, (unsigned long long)e->running,
                     (unsigned long long)e->enabled);
        event_close(&r, e);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order),
        cmocka_unit_test(nothing_remains),
        cmocka_unit_test(groups),
        cmocka_unit_test(registers_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
