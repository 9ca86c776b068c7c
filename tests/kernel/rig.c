/* Implements rig.h. */
#include "rig.h"

#include "../cmocked.h"

#include "event/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bx_machine *open_machine(const char *spec)
{
    bx_error e = {0};
    bx_machine *m = NULL;
    if (bx_machine_open(bx_catalog_builtin(), spec, &m, &e))
        fail_msg("%s: %s", spec, e.message);
    return m;
}

/* qemu's processor for a machine, and whether its memory controller's registers are in memory, at
 * an address in a PCI function. */
static const struct kind {
    const char *machine, *cpu;
    bool memory;
} kinds[] = {
    {"virtual:skl", "Skylake-Client,-hypervisor,model=94", true},
    {"virtual:ivbep", "IvyBridge,-hypervisor,model=62", false},
    {"virtual:nhmex", "Nehalem,-hypervisor,model=46", false},
};

static const struct kind *kind_of(const char *machine)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(machine, kinds[i].machine, strlen(kinds[i].machine)) == 0)
            return &kinds[i];
    fail_msg("%s: qemu has no such processor", machine);
    return NULL;
}

static void start(rig *r, const char *machine, driver_options o)
{
    const struct kind *kind = kind_of(machine);
    o.cpu = kind->cpu;
    o.pci = kind->memory;
    if (kind->memory) {
        r->memory = window_new();
        o.memory = r->memory.path;
    }
    bx_machine *m = open_machine(machine);
    r->twin = open_machine(machine);
    r->here = bx_dialogue_new(m, NULL);
    r->there = bx_dialogue_new(r->twin, NULL);
    assert_true(r->here && r->there);
    driver_boot(&r->d, m, &o);
    if (!o.programs)
        guest_ask(r->d.guest, "insmod /intel-uncore.ko");
}

rig *rig_first(void **state, const char *machine, const driver_options *o)
{
    guest_needed();
    start(*state, machine, o ? *o : (driver_options){0});
    return *state;
}

rig *rig_needed(void **state)
{
    rig *r = *state;
    guest_needed();
    if (!r->twin)
        fail_msg("the driver has not started");
    return r;
}

void rig_has(const rig *r, const char *const *pmus, size_t n)
{
    for (size_t i = 0; i < n; i++)
        guest_ask(r->d.guest, "show /sys/bus/event_source/devices/uncore_%s/type", pmus[i]);
}

static void end(rig *r)
{
    bx_machine *m = r->d.machine;
    driver_end(&r->d);
    bx_dialogue_free(r->here);
    bx_dialogue_free(r->there);
    bx_machine_close(m);
    bx_machine_close(r->twin);
}

int rig_set_up(void **state)
{
    *state = calloc(1, sizeof(rig));
    return *state ? 0 : -1;
}

int rig_tear_down(void **state)
{
    rig *r = *state;
    if (r->twin)
        end(r);
    window_free(&r->memory);
    free(r);
    return 0;
}

void rig_refresh(rig *r)
{
    window_refresh(&r->memory, r->d.machine->bus);
}

/* ---- events ---- */

static int open_choice(rig *r, const char *perf, unsigned package, const rig_event *leader,
                       bool enabled)
{
    int fd;
    perf_choice c = spelling_resolve(&r->known, r->d.guest, perf, package);
    const char *answer =
        guest_try(r->d.guest, "open %u %u %" PRIx64 " %" PRIx64 " %" PRIx64 " %d %d", c.cpu, c.type,
                  c.config[0], c.config[1], c.config[2], leader ? leader->fd : -1, enabled);
    return sscanf(answer, "%d", &fd) == 1 ? fd : -1;
}

rig_event rig_open(rig *r, const char *event, const rig_event *leader, bool enabled)
{
    rig_event e = {.fd = -1};
    bx_error err = {0};
    char perf[512];
    const bx_machine *m = r->twin;
    if (bx_event_parse(bx_catalog_builtin(), m->topology.cpu, event, strlen(event), &e.what, &err))
        fail_msg("%s: %s", event, err.message);
    if (e.what.unit == BX_ANY && e.what.port == BX_ANY)
        e.what.unit = 0;
    if (e.what.package == BX_ANY)
        e.what.package = 0;
    bx_event_format(bx_catalog_builtin(), &e.what, e.name, sizeof e.name);
    if (!bx_event_format_perf(bx_catalog_builtin(), &e.what, perf, sizeof perf))
        fail_msg("%s has no spelling of perf's", e.name);
    e.fd = open_choice(r, perf, (unsigned)e.what.package, leader, enabled);
    if (e.fd < 0)
        fail_msg("%s, %s: the driver refuses it", e.name, perf);
    return e;
}

rig_event rig_try(rig *r, const char *perf, const rig_event *leader)
{
    rig_event e = {0};
    snprintf(e.name, sizeof e.name, "%s", perf);
    e.fd = open_choice(r, perf, 0, leader, true);
    return e;
}

void rig_enable(rig *r, const rig_event *e)
{
    guest_ask(r->d.guest, "enable %d", e->fd);
}

void rig_disable(rig *r, const rig_event *e)
{
    guest_ask(r->d.guest, "disable %d", e->fd);
}

static rig_value value_of(const rig_event *e, const char *answer)
{
    rig_value v;
    if (sscanf(answer, "%" SCNu64 " %" SCNu64 " %" SCNu64, &v.count, &v.enabled, &v.running) != 3)
        fail_msg("%s: %s", e->name, answer);
    return v;
}

rig_value rig_read(rig *r, const rig_event *e)
{
    return value_of(e, guest_ask(r->d.guest, "read %d", e->fd));
}

rig_value rig_take(rig *r, rig_event *e)
{
    int fd = e->fd;
    e->fd = -1;
    return value_of(e, guest_ask(r->d.guest, "take %d", fd));
}

void rig_close(rig *r, rig_event *e)
{
    if (e->fd >= 0)
        guest_ask(r->d.guest, "close %d", e->fd);
    e->fd = -1;
}

/* ---- work, and the truth about it ---- */

static void play(bx_dialogue *d, const char *lines)
{
    bx_buf printed = {0};
    bx_error e = {0};
    bx_str rest = bx_str_of(lines);
    while (rest.p) {
        bx_str line = bx_str_cut(&rest, '\n');
        if (bx_dialogue_line(d, line, &printed, &e))
            fail_msg("%.*s: %s", (int)line.n, line.p, e.message);
    }
    bx_buf_free(&printed);
}

void rig_work(rig *r, const char *lines)
{
    play(r->here, lines);
    play(r->there, lines);
    assert_int_equal(bx_machine_now(r->d.machine), bx_machine_now(r->twin));
}

rig_truth_of rig_watch(rig *r, const rig_event *events, size_t n)
{
    rig_truth_of t = {0};
    bx_evsel what[RIG_EVENTS];
    bx_error e = {0};
    assert_in_range(n, 1, RIG_EVENTS);
    for (size_t i = 0; i < n; i++)
        what[i] = events[i].what;
    if (bx_session_open(r->twin, what, n, NULL, &t.session, &e))
        fail_msg("%s: %s", events[0].name, e.message);
    if (bx_session_passes(t.session) != 1)
        fail_msg("%s and what is beside it cannot be counted at once", events[0].name);
    if (bx_session_start(t.session, &e))
        fail_msg("%s: %s", events[0].name, e.message);
    return t;
}

void rig_truth_end(rig_truth_of *t)
{
    assert_int_equal(bx_session_stop(t->session, NULL), BX_OK);
    assert_null(bx_session_trouble(t->session));
    t->readings = bx_session_readings(t->session, &t->n);
}

uint64_t rig_truth(const rig_truth_of *t, size_t event)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->readings[i].event == event) {
            if (t->readings[i].state != BX_COUNTED)
                fail_msg("event %zu: the twin did not count it", event);
            return t->readings[i].count;
        }
    fail_msg("no reading of event %zu", event);
    return 0;
}

static bool agrees(rig *r, const char *const *events, size_t n, bool group, const char *work,
                   uint64_t *counts, rig_difference *why)
{
    rig_event e[RIG_EVENTS];
    bool same = true;
    assert_in_range(n, 1, RIG_EVENTS);
    for (size_t i = 0; i < n; i++)
        e[i] = rig_open(r, events[i], group && i ? &e[0] : NULL, true);
    rig_truth_of t = rig_watch(r, e, n);
    rig_work(r, work);
    rig_truth_end(&t);
    for (size_t i = 0; i < n; i++) {
        rig_value v = rig_take(r, &e[i]);
        uint64_t truth = rig_truth(&t, i);
        if (counts)
            counts[i] = v.count;
        if (same && (v.count != truth || v.enabled != v.running || v.running == 0)) {
            same = false;
            snprintf(why->text, sizeof why->text,
                     "%s: the guest counts %" PRIu64 " (%" PRIu64 " of %" PRIu64
                     " ns), the model %" PRIu64,
                     e[i].name, v.count, v.running, v.enabled, truth);
        }
    }
    bx_session_close(t.session);
    return same;
}

bool rig_agrees(rig *r, const char *const *events, size_t n, const char *work, uint64_t *counts,
                rig_difference *why)
{
    return agrees(r, events, n, false, work, counts, why);
}

void rig_counts(rig *r, const char *const *events, size_t n, const char *work, uint64_t *counts)
{
    rig_difference why;
    if (!agrees(r, events, n, false, work, counts, &why))
        fail_msg("%s: %s", work, why.text);
}

void rig_group_counts(rig *r, const char *const *events, size_t n, const char *work)
{
    rig_difference why;
    if (!agrees(r, events, n, true, work, NULL, &why))
        fail_msg("%s: %s", work, why.text);
}

void rig_no_fault(const rig *r)
{
    char text[4096];
    if (r->d.faults == 0)
        return;
    driver_explained(&r->d, 0, "faulted", text, sizeof text);
    fail_msg("%zu accesses of the driver's faulted:\n%s\n%s", r->d.faults, text,
             r->d.explained.p ? r->d.explained.p : "");
}

void rig_no_warning(const rig *r)
{
    char text[4096];
    if (driver_explained(&r->d, 0, "warning:", text, sizeof text))
        fail_msg("%s", text);
}

void rig_warnings(void **state)
{
    rig *r = rig_needed(state);
    bx_explain_end(r->d.explain, &r->d.explained);
    rig_no_warning(r);
}
