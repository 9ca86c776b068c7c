/* Implements measured.h. */
#include "measured.h"

#include "../cmocked.h"

#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *measured_command(char to[600], const char *options, const char *events,
                             const char *name)
{
    snprintf(to, 600, STAT "%s%s-x, -e %s -- /bin/pause %s", options, *options ? " " : "", events,
             name);
    return to;
}

void says(const rig *r, unsigned user, const char *command, int status, const char *const *words)
{
    program_says(r->d.guest, user, command, status, words);
}

void measured_events(measured *m, const rig *r, const char *events)
{
    bx_error e = {0};
    bx_evsel what[RIG_EVENTS];
    if (bx_machine_events_parse(r->twin, events, what, RIG_EVENTS, &m->n, &e))
        fail_msg("%s: %s", events, e.message);
    for (size_t i = 0; i < m->n; i++) {
        m->events[i].what = what[i];
        bx_event_format(bx_catalog_builtin(), &what[i], m->events[i].name,
                        sizeof m->events[i].name);
    }
}

void measured_begin(measured *m, rig *r, unsigned user, const char *options, const char *events)
{
    char command[600];
    *m = (measured){0};
    measured_events(m, r, events);
    snprintf(m->name, sizeof m->name, "p%u", ++r->pauses);
    measured_command(command, options, events, m->name);
    m->pid = program_begin(r->d.guest, user, "%s", command);
    if (!program_reached(r->d.guest, m->name, m->pid)) {
        printed p = program_end(r->d.guest, m->pid);
        fail_msg("%s: status %d:\n%s", command, p.status, p.text);
    }
    m->truth = rig_watch(r, m->events, m->n);
}

uint64_t measured_truth(const measured *m, size_t event)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->truth.n; i++)
        if (m->truth.readings[i].event == event) {
            assert_int_equal(m->truth.readings[i].state, BX_COUNTED);
            sum += m->truth.readings[i].count;
        }
    return sum;
}

/* Reads one event's line, "COUNT,UNIT,EVENT,…,DRIVER"; lines are in the order of the events. */
static void take_line(measured *m, size_t event, const char *line, const char *all)
{
    char name[160];
    const char *last = strrchr(line, ',');
    if (sscanf(line, "%" SCNu64 ",%*[^,],%159[^,]", &m->counts[event], name) != 2 || !last ||
        strcmp(name, m->events[event].name) != 0)
        fail_msg("%s: not counted in '%s':\n%s", m->events[event].name, line, all);
    snprintf(m->driver[event], sizeof m->driver[event], "%s", last + 1);
}

void measured_end(measured *m, rig *r)
{
    rig_truth_end(&m->truth);
    program_let(r->d.guest, m->name);
    printed p = program_end(r->d.guest, m->pid);
    char *all = strdup(p.text), *rest = p.text;
    if (p.status)
        fail_msg("status %d:\n%s", p.status, all);
    size_t n = 0;
    for (char *line; n < m->n && (line = strsep(&rest, "\n"));)
        if (line[0] >= '0' && line[0] <= '9')
            take_line(m, n++, line, all);
    if (n < m->n)
        fail_msg("%zu events of %zu:\n%s", n, m->n, all);
    for (size_t i = 0; i < m->n; i++)
        if (m->counts[i] != measured_truth(m, i))
            fail_msg("%s: the guest counts %" PRIu64 ", the model %" PRIu64, m->events[i].name,
                     m->counts[i], measured_truth(m, i));
    bx_session_close(m->truth.session);
    free(p.text);
    free(all);
}

void measured_work(measured *m, rig *r, unsigned user, const char *options, const char *events,
                   const char *work)
{
    measured_begin(m, r, user, options, events);
    rig_work(r, work);
    measured_end(m, r);
}

/* ---- registers ---- */

/* A time stamp is left out, because it always runs. */
static void add_register(const rig *r, unsigned package, unsigned unit, unsigned reg, bx_buf *to)
{
    const bx_topology *t = &r->d.machine->topology;
    const bx_cat_reg *what = &bx_cat_regs(t->catalog)[reg];
    bx_address at = bx_plan_address(t, package, unit, reg);
    uint64_t value;
    if (at.space != BX_SPACE_MSR || what->bits.runs ||
        r->d.machine->bus->read(r->d.machine->bus, &at, &value))
        return;
    char name[64];
    bx_cat_expand(name, sizeof name, bx_cat_z(t->catalog, what->name), unit, 0);
    bx_buf_f(to, "%s@%u 0x%" PRIx64 "\n", name, package, value);
}

char *measured_registers(const rig *r)
{
    const bx_topology *t = &r->d.machine->topology;
    bx_span pmus = bx_cat_cpus(t->catalog)[t->cpu].pmus;
    bx_buf text = {0};
    for (unsigned p = pmus.first; p < (unsigned)pmus.first + pmus.n; p++) {
        bx_span regs = bx_cat_pmus(t->catalog)[p].regs;
        if (bx_cat_pmus(t->catalog)[p].only_virtual) /* nobody programs it: it counts always */
            continue;
        for (unsigned package = 0; package < t->packages; package++)
            for (unsigned unit = 0; unit < bx_topology_units(t, (uint16_t)p); unit++)
                for (unsigned i = regs.first; i < (unsigned)regs.first + regs.n; i++)
                    add_register(r, package, unit, i, &text);
    }
    assert_true(text.n > 0 && !text.failed);
    return text.p;
}

void measured_unchanged(const rig *r, char *before)
{
    char *now = measured_registers(r), *a = before, *b = now;
    for (char *was, *is; (was = strsep(&a, "\n")) && (is = strsep(&b, "\n"));)
        if (strcmp(was, is) != 0)
            fail_msg("it was %s, it is %s", was, is);
    free(before);
    free(now);
}
