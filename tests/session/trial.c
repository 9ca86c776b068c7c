/* Implements trial.h. */
#include "../cmocked.h"

#include "oracle.h"
#include "trial.h"

#include "machine/backend/backend.h"
#include "model/engine/workload.h"

#include <stdlib.h>
#include <string.h>

/* ---- events and machines ---- */

const char *trial_picks(void)
{
    const bx_catalog *c = bx_catalog_builtin();
    static char list[4096];
    bx_span picks = bx_cat_cpus(c)[0].defaults;
    list[0] = '\0';
    for (unsigned i = 0; i < picks.n; i++) {
        const char *event = bx_cat_z(c, bx_cat_picks(c)[picks.first + i].event);
        assert_true(strlen(list) + strlen(event) + 2 < sizeof list);
        strcat(strcat(list, i ? "," : ""), event);
    }
    return list;
}

size_t trial_parse(const char *list, bx_evsel *events)
{
    bx_error e = {0};
    size_t n = 0;
    if (bx_events_parse(bx_catalog_builtin(), 0, list, events, TRIAL_EVENTS, &n, &e) != BX_OK)
        fail_msg("%s, at %zu of %s", e.message, e.at, list);
    return n;
}

bx_machine *trial_machine(const char *spec)
{
    bx_error e = {0};
    bx_machine *m = NULL;
    if (bx_machine_open(bx_catalog_builtin(), spec, &m, &e) != BX_OK)
        fail_msg("%s: %s", spec, e.message);
    return m;
}

/* ---- sessions ---- */

bx_session *trial_start(bx_machine *m, const char *list)
{
    bx_evsel events[TRIAL_EVENTS];
    size_t n = trial_parse(list, events);
    bx_session *s = NULL;
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, NULL), BX_OK);
    assert_int_equal(bx_session_start(s, NULL), BX_OK);
    return s;
}

const bx_reading *trial_sample(bx_session *s)
{
    size_t n;
    assert_int_equal(bx_session_sample(s, NULL), BX_OK);
    const bx_reading *r = bx_session_readings(s, &n);
    assert_int_equal(n, 1);
    return r;
}

void trial_run(bx_machine *m, const bx_evsel *events, size_t n, const bx_session_options *o,
               uint64_t sample_every, struct trial_result *r)
{
    bx_error e = {0};
    bx_session *s;
    bool done = false;
    *r = (struct trial_result){.start = bx_machine_now(m)};
    if (bx_session_open(m, events, n, o, &s, &e) != BX_OK || bx_session_start(s, &e) != BX_OK)
        fail_msg("%s", e.message);
    while (!done) {
        uint64_t until = sample_every ? bx_machine_now(m) + sample_every : UINT64_MAX;
        assert_int_equal(bx_session_run(s, until, &done, &e), BX_OK);
        assert_int_equal(bx_session_sample(s, &e), BX_OK);
    }
    assert_int_equal(bx_session_stop(s, &e), BX_OK);
    assert_null(bx_session_trouble(s));
    const bx_reading *readings = bx_session_readings(s, &r->n);
    assert_true(r->n <= TRIAL_READINGS);
    memcpy(r->readings, readings, r->n * sizeof *readings);
    r->end = bx_machine_now(m);
    bx_session_close(s);
}

static unsigned passes_of(bx_machine *m, const bx_evsel *events, size_t n)
{
    bx_session *s;
    bx_error e = {0};
    assert_int_equal(bx_session_open(m, events, n, NULL, &s, &e), BX_OK);
    unsigned passes = bx_session_passes(s);
    bx_session_close(s);
    return passes;
}

void trial_repeat(const char *machine, const char *workload, const bx_evsel *events, size_t n,
                  struct trial_result *r)
{
    unsigned passes = 1;
    for (unsigned pass = 0; pass < passes; pass++) {
        bx_machine *m = trial_machine(machine);
        struct trial_result part;
        bx_session_options o = {.size = sizeof o, .repeat = true, .pass = pass};
        assert_int_equal(bx_machine_load_workload(m, workload, NULL), BX_OK);
        passes = passes_of(m, events, n);
        trial_run(m, events, n, &o, 0, &part);
        if (pass == 0)
            *r = part;
        assert_int_equal(part.n, r->n);
        assert_int_equal(part.end, r->end);
        for (size_t i = 0; i < part.n; i++)
            if (part.readings[i].state == BX_COUNTED)
                r->readings[i] = part.readings[i];
        bx_machine_close(m);
    }
}

void trial_at_once(const char *machine, const char *workload, const bx_evsel *events, size_t n,
                   const struct trial_result *r)
{
    struct trial_result once;
    bx_machine *m = trial_machine(machine);
    assert_int_equal(bx_machine_load_workload(m, workload, NULL), BX_OK);
    trial_run(m, events, n, NULL, 0, &once);
    bx_machine_close(m);
    assert_int_equal(once.n, r->n);
    assert_int_equal(once.end, r->end);
    assert_memory_equal(once.readings, r->readings, r->n * sizeof *r->readings);
}

/* ---- recording ---- */

struct recorder {
    bx_feed feed, *inner;
    bx_access *access;
    size_t n, room;
};

struct trial_record {
    struct recorder of[BX_AGENTS];
};

static enum bx_feed_state refill(bx_feed *feed)
{
    struct recorder *r = (struct recorder *)feed;
    bx_feed *inner = r->inner;
    inner->next = inner->end; /* all records were passed on */
    if (inner->refill(inner) != BX_FEED_MORE)
        return BX_FEED_END;
    size_t more = (size_t)(inner->end - inner->next);
    if (r->n + more > r->room) {
        r->room = 2 * (r->n + more);
        r->access = realloc(r->access, r->room * sizeof *r->access);
        assert_non_null(r->access);
    }
    memcpy(r->access + r->n, inner->next, more * sizeof *r->access);
    r->n += more;
    feed->next = inner->next;
    feed->end = inner->end;
    return BX_FEED_MORE;
}

struct trial_record *trial_record(bx_machine *m)
{
    struct trial_record *record = calloc(1, sizeof *record);
    assert_non_null(record);
    for (unsigned agent = 0; agent < BX_AGENTS; agent++) {
        bx_feed *inner = bx_workload_feed(m->backend->workload, agent);
        if (!inner)
            continue;
        assert_ptr_equal(inner->next, inner->end);
        record->of[agent] = (struct recorder){.feed = {.refill = refill}, .inner = inner};
        bx_model_feed(bx_machine_model(m), agent, &record->of[agent].feed);
    }
    return record;
}

void trial_record_free(struct trial_record *r)
{
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        free(r->of[agent].access);
    free(r);
}

/* ---- the truth ---- */

struct trial_truth {
    struct oracle *oracle;
    uint32_t *level;
    uint64_t cycles;
};

struct trial_truth *trial_truth(const bx_machine *m, const struct trial_record *r, uint64_t end)
{
    const bx_model_shape shape = {
        .packages = 1,
        .cores = m->topology.cores,
        .slices = (uint32_t)bx_topology_shape(&m->topology, "slices"),
        .llc_bytes = bx_topology_shape(&m->topology, "llc"),
    };
    struct oracle_trace traces[BX_AGENTS] = {0};
    for (unsigned agent = 0; agent < BX_AGENTS; agent++)
        traces[agent] = (struct oracle_trace){r->of[agent].access, r->of[agent].n};
    struct trial_truth *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->cycles = end;
    t->level = calloc(end + 1, sizeof *t->level);
    t->oracle = oracle_new(&shape, true);
    oracle_run(t->oracle, traces);
    assert_int_equal(oracle_counts(t->oracle)->end, end);
    return t;
}

void trial_truth_free(struct trial_truth *t)
{
    oracle_free(t->oracle);
    free(t->level);
    free(t);
}

/* Boxes in the order of catalog/skl/skl.cpu, after the package. */
static unsigned box_of(const bx_evsel *event)
{
    return event->pmu - bx_cat_cpus(bx_catalog_builtin())[0].pmus.first;
}

enum { CBOX = 1, ARB, CLOCK, IMC };

static enum oracle_box oracle_box_of(const bx_evsel *event)
{
    static const enum oracle_box boxes[] = {
        [CBOX] = ORACLE_BOX_CBOX,
        [ARB] = ORACLE_BOX_ARB,
        [CLOCK] = ORACLE_BOX_CLOCK,
        [IMC] = ORACLE_BOX_IMC,
    };
    return boxes[box_of(event)];
}

/* 334060-001 table 2-7: threshold 28:24, invert 23, edge 18. */
uint64_t trial_true_count(const struct trial_truth *t, const bx_evsel *event, unsigned unit)
{
    const struct oracle_signal signal = {
        .box = oracle_box_of(event),
        .unit = unit,
        .code = event->code,
        .umask = event->umask,
    };
    bool select = box_of(event) == CBOX || box_of(event) == ARB;
    uint32_t threshold = select ? event->control >> 24 & 0x1f : 0;
    bool invert = select && (event->control >> 23 & 1), edge = select && (event->control >> 18 & 1);
    oracle_levels(oracle_log(t->oracle), &signal, t->level, t->cycles);
    uint64_t count = 0;
    bool before = false;
    for (uint64_t i = 0; i < t->cycles; i++) {
        bool holds = threshold ? (t->level[i] >= threshold) != invert : t->level[i] != 0;
        if (edge)
            count += holds && !before;
        else
            count += threshold ? holds : t->level[i];
        before = holds;
    }
    return count;
}

static uint64_t lookups(const struct bx_client_counts *c, unsigned slice, uint32_t umask)
{
    /* docs/explanation/model-client.md, Signals: state bits M 1, E 2, S 4, I 8; READ 10H, WRITE
     * 20H, EXTSNP 40H, ANY 80H. */
    static const unsigned states[] = {BX_LINE_M, BX_LINE_E, BX_LINE_S, BX_LINE_I};
    uint64_t sum = 0;
    for (unsigned request = 0; request < BX_CLIENT_LOOKUPS; request++)
        for (unsigned bit = 0; bit < 4; bit++)
            if (umask >> bit & 1 && (umask & 0x80 || umask >> (4 + request) & 1))
                sum += c->lookup[slice][request][states[bit]];
    return sum;
}

static uint64_t snoops(const struct bx_client_counts *c, unsigned slice, uint32_t umask)
{
    /* MISS 1, HIT 4, HITM 8; EXTERNAL 20H, XCORE 40H, EVICTION 80H. */
    static const uint32_t responses[BX_SNOOP_RESPONSES] = {1, 4, 8};
    uint64_t sum = 0;
    for (unsigned from = 0; from < BX_SNOOP_SOURCES; from++)
        for (unsigned response = 0; response < BX_SNOOP_RESPONSES; response++)
            if (umask >> (5 + from) & 1 && umask & responses[response])
                sum += c->xsnp[slice][from][response];
    return sum;
}

static uint64_t requests(const struct bx_client_counts *c, uint32_t umask)
{
    uint64_t sum = 0; /* ALL 1, DATA_READ 2, WRITES 20H */
    if (umask & (1 | 2))
        sum += c->arb[BX_ARB_DATA_READ];
    if (umask & 1)
        sum += c->arb[BX_ARB_OTHER_READ];
    if (umask & (1 | 0x20))
        sum += c->arb[BX_ARB_WRITE];
    return sum;
}

static uint64_t dram(const struct bx_client_counts *c, unsigned offset)
{
    switch (offset) { /* table 3-3 */
    case 0x5040:
        return c->imc[BX_IMC_GT];
    case 0x5044:
        return c->imc[BX_IMC_IA];
    case 0x5048:
        return c->imc[BX_IMC_IO];
    case 0x5050:
        return c->data_reads;
    default:
        return c->data_writes;
    }
}

bool trial_model_count(const bx_machine *m, const bx_evsel *event, unsigned unit, uint64_t *count)
{
    const struct bx_client_counts *c = bx_client_counts_of(bx_machine_model(m));
    unsigned box = box_of(event);
    if ((box == CBOX || box == ARB) && event->control >> 18 & 0x7c1) /* edge, threshold */
        return false;
    if (box == CLOCK || (box == ARB && event->code == 0x80))
        return false;
    if (box == IMC)
        *count = dram(c, event->code);
    else if (box == ARB)
        *count = event->code == 0x84 ? c->coh : requests(c, event->umask);
    else
        *count =
            event->code == 0x34 ? lookups(c, unit, event->umask) : snoops(c, unit, event->umask);
    return true;
}
