/* Counts of the client's oracle, and the signals made of them. */
#include "machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- counting ---- */

static void log_event(struct oracle *o, struct oracle_event event)
{
    struct oracle_log *log = &o->log;

    if (!o->record)
        return;
    if (log->events == log->event_room) {
        log->event_room = log->event_room * 2 + 64;
        log->event = need(realloc(log->event, log->event_room * sizeof *log->event));
    }
    log->event[log->events++] = event;
}

void count_lookup(struct oracle *o, unsigned slice, enum oracle_request request,
                  enum oracle_state state, uint64_t t)
{
    o->counts.lookup[slice][request][state]++;
    log_event(o, (struct oracle_event){t, ORACLE_LOOKUP, slice, request, state});
}

void count_xsnp(struct oracle *o, unsigned slice, enum oracle_from from,
                enum oracle_response response, uint64_t t)
{
    o->counts.xsnp[slice][from][response]++;
    log_event(o, (struct oracle_event){t, ORACLE_XSNP, slice, from, response});
}

void count_coh(struct oracle *o, uint64_t t)
{
    o->counts.coh++;
    log_event(o, (struct oracle_event){t, ORACLE_COH, 0, 0, 0});
}

void count_imc_request(struct oracle *o, enum oracle_requester by, uint64_t t)
{
    o->counts.imc_requests[by]++;
    log_event(o, (struct oracle_event){t, ORACLE_IMC_REQUEST, 0, by, 0});
}

void count_transfer(struct oracle *o, bool write, uint64_t t)
{
    if (write)
        o->counts.data_writes++;
    else
        o->counts.data_reads++;
    log_event(o, (struct oracle_event){t, ORACLE_IMC_TRANSFER, 0, write, 0});
}

void count_arb_entry(struct oracle *o, struct oracle_entry entry)
{
    struct oracle_log *log = &o->log;
    uint64_t life = entry.end - entry.begin;

    o->counts.arb_all++;
    o->counts.occupancy_all += life;
    if (entry.data_read) {
        o->counts.arb_data_read++;
        o->counts.occupancy_data_read += life;
    }
    if (entry.write)
        o->counts.arb_writes++;
    if (!o->record)
        return;
    if (log->entries == log->entry_room) {
        log->entry_room = log->entry_room * 2 + 64;
        log->entry = need(realloc(log->entry, log->entry_room * sizeof *log->entry));
    }
    log->entry[log->entries++] = entry;
}

/* ---- "Signals" ---- */

/* C-Box 0x34: a state bit and a request bit must match. */
static bool lookup_fits(const struct oracle_event *event, unsigned umask)
{
    static const unsigned state_bit[ORACLE_STATES] = {
        [ORACLE_M] = 0x01, [ORACLE_E] = 0x02, [ORACLE_S] = 0x04, [ORACLE_I] = 0x08};
    static const unsigned request_bit[ORACLE_REQUESTS] = {
        [ORACLE_READ] = 0x10, [ORACLE_WRITE] = 0x20, [ORACLE_EXTSNP] = 0x40};
    bool any = umask & 0x80;

    return (umask & state_bit[event->second]) && (any || umask & request_bit[event->first]);
}

/* C-Box 0x22: a response bit and an origin bit must match. */
static bool xsnp_fits(const struct oracle_event *event, unsigned umask)
{
    static const unsigned response_bit[ORACLE_RESPONSES] = {
        [ORACLE_MISS] = 0x01, [ORACLE_HIT] = 0x04, [ORACLE_HITM] = 0x08};
    static const unsigned from_bit[ORACLE_FROMS] = {
        [ORACLE_EXTERNAL] = 0x20, [ORACLE_XCORE] = 0x40, [ORACLE_EVICTION] = 0x80};

    return (umask & response_bit[event->second]) && (umask & from_bit[event->first]);
}

/* ARB 0x80 and 0x81: one bit must match. */
static bool entry_fits(const struct oracle_entry *entry, unsigned umask)
{
    return (umask & 0x01) || (umask & 0x02 && entry->data_read) || (umask & 0x20 && entry->write);
}

/* An IMC counter is named by its offset. */
static bool imc_fits(const struct oracle_event *event, unsigned offset)
{
    static const unsigned requests[ORACLE_REQUESTERS] = {
        [ORACLE_GT] = 0x5040, [ORACLE_IA] = 0x5044, [ORACLE_IO] = 0x5048};
    static const unsigned transfers[2] = {0x5050, 0x5054};

    return (event->what == ORACLE_IMC_REQUEST && offset == requests[event->first]) ||
           (event->what == ORACLE_IMC_TRANSFER && offset == transfers[event->first]);
}

static bool fits(const struct oracle_event *event, const struct oracle_signal *s)
{
    switch (s->box) {
    case ORACLE_BOX_CBOX:
        if (event->slice != s->unit)
            return false;
        return (s->code == 0x34 && event->what == ORACLE_LOOKUP && lookup_fits(event, s->umask)) ||
               (s->code == 0x22 && event->what == ORACLE_XSNP && xsnp_fits(event, s->umask));
    case ORACLE_BOX_ARB:
        return s->code == 0x84 && event->what == ORACLE_COH;
    case ORACLE_BOX_IMC:
        return imc_fits(event, s->code);
    default:
        return false;
    }
}

static void add(uint32_t *level, size_t cycles, uint64_t begin, uint64_t end)
{
    for (uint64_t t = begin; t < end && t < cycles; t++)
        level[t]++;
}

void oracle_levels(const struct oracle_log *log, const struct oracle_signal *s, uint32_t *level,
                   size_t cycles)
{
    bool arb = s->box == ORACLE_BOX_ARB;

    memset(level, 0, cycles * sizeof *level);
    if (s->box == ORACLE_BOX_CLOCK)
        add(level, cycles, 0, cycles);
    for (size_t i = 0; i < log->events; i++)
        if (fits(&log->event[i], s))
            add(level, cycles, log->event[i].time, log->event[i].time + 1);
    for (size_t i = 0; i < log->entries; i++) {
        const struct oracle_entry *entry = &log->entry[i];
        if (arb && s->code == 0x80 && entry_fits(entry, s->umask))
            add(level, cycles, entry->begin, entry->end);
        if (arb && s->code == 0x81 && entry_fits(entry, s->umask))
            add(level, cycles, entry->begin, entry->begin + 1);
    }
}

/* ---- comparing ---- */

static bool differs(uint64_t a, uint64_t b, char *to, size_t room, const char *name)
{
    if (a != b)
        snprintf(to, room, "%s: %" PRIu64 ", not %" PRIu64, name, a, b);
    return a != b;
}

static bool lookups_differ(const struct oracle_counts *a, const struct oracle_counts *b, char *to,
                           size_t room)
{
    static const char *const request_name[] = {"READ", "WRITE", "EXTSNP"};
    char name[64];

    for (unsigned slice = 0; slice < ORACLE_SLICES; slice++)
        for (unsigned r = 0; r < ORACLE_REQUESTS; r++)
            for (unsigned state = 0; state < ORACLE_STATES; state++) {
                snprintf(name, sizeof name, "lookup[%u][%s][%c]", slice, request_name[r],
                         "ISEM"[state]);
                if (differs(a->lookup[slice][r][state], b->lookup[slice][r][state], to, room, name))
                    return true;
            }
    return false;
}

static bool xsnps_differ(const struct oracle_counts *a, const struct oracle_counts *b, char *to,
                         size_t room)
{
    static const char *const from_name[] = {"EXTERNAL", "XCORE", "EVICTION"};
    static const char *const response_name[] = {"MISS", "HIT", "HITM"};
    char name[64];

    for (unsigned slice = 0; slice < ORACLE_SLICES; slice++)
        for (unsigned from = 0; from < ORACLE_FROMS; from++)
            for (unsigned r = 0; r < ORACLE_RESPONSES; r++) {
                snprintf(name, sizeof name, "xsnp[%u][%s][%s]", slice, from_name[from],
                         response_name[r]);
                if (differs(a->xsnp[slice][from][r], b->xsnp[slice][from][r], to, room, name))
                    return true;
            }
    return false;
}

bool oracle_difference(const struct oracle_counts *a, const struct oracle_counts *b, char *to,
                       size_t room)
{
    return lookups_differ(a, b, to, room) || xsnps_differ(a, b, to, room) ||
           differs(a->arb_all, b->arb_all, to, room, "arb_all") ||
           differs(a->arb_data_read, b->arb_data_read, to, room, "arb_data_read") ||
           differs(a->arb_writes, b->arb_writes, to, room, "arb_writes") ||
           differs(a->coh, b->coh, to, room, "coh") ||
           differs(a->imc_requests[ORACLE_GT], b->imc_requests[ORACLE_GT], to, room, "imc gt") ||
           differs(a->imc_requests[ORACLE_IA], b->imc_requests[ORACLE_IA], to, room, "imc ia") ||
           differs(a->imc_requests[ORACLE_IO], b->imc_requests[ORACLE_IO], to, room, "imc io") ||
           differs(a->data_reads, b->data_reads, to, room, "data_reads") ||
           differs(a->data_writes, b->data_writes, to, room, "data_writes") ||
           differs(a->end, b->end, to, room, "end") ||
           differs(a->occupancy_all, b->occupancy_all, to, room, "occupancy_all") ||
           differs(a->occupancy_data_read, b->occupancy_data_read, to, room,
                   "occupancy_data_read") ||
           differs(a->accesses, b->accesses, to, room, "accesses");
}
