#include "machine.h"

#include <stdlib.h>

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

