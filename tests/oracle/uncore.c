/* The client's uncore: LLC, ARB, memory, GT and IO. */
#include "machine.h"

#include <stdlib.h>

/* The slice hash of Maurice et al., RAID 2015. */
static const uint64_t slice_mask[2] = {0x1b5f575440, 0x2eb5faa880};

/* ---- "QLRU_H11_M1_R0_U0": the LLC ---- */

static unsigned slice_of(const struct oracle *o, uint64_t line)
{
    uint64_t address = line * 64;
    unsigned first = (unsigned)__builtin_parityll(address & slice_mask[0]);
    unsigned second = (unsigned)__builtin_parityll(address & slice_mask[1]);

    if (o->slices == 1)
        return 0;
    if (o->slices == 2)
        return first;
    return first + 2 * second;
}

static struct llc_line *llc_set(const struct oracle *o, uint64_t line)
{
    return &o->llc[(slice_of(o, line) * o->llc_sets + (line & (o->llc_sets - 1))) * o->llc_ways];
}

static struct llc_line *llc_find(const struct oracle *o, uint64_t line)
{
    struct llc_line *set = llc_set(o, line);

    for (unsigned way = 0; way < o->llc_ways; way++)
        if (set[way].line == line && set[way].state != ORACLE_I)
            return &set[way];
    return NULL;
}

static struct llc_line *llc_victim(const struct oracle *o, uint64_t line)
{
    struct llc_line *set = llc_set(o, line);

    for (unsigned way = 0; way < o->llc_ways; way++)
        if (set[way].state == ORACLE_I)
            return &set[way];
    for (unsigned way = 0; way < o->llc_ways; way++)
        if (set[way].age == 3)
            return &set[way];
    abort(); /* llc_age_set leaves a way of age 3 in every full set */
}

/* After a hit or a fill: in a full set, a line has age 3. */
static void llc_age_set(struct oracle *o, uint64_t line)
{
    struct llc_line *set = llc_set(o, line);
    unsigned largest = 0;

    for (unsigned way = 0; way < o->llc_ways; way++) {
        if (set[way].state == ORACLE_I)
            return;
        if (set[way].age > largest)
            largest = set[way].age;
    }
    for (unsigned way = 0; way < o->llc_ways; way++)
        set[way].age += 3 - largest;
}

static void llc_hit_ages(struct oracle *o, struct llc_line *hit)
{
    hit->age = hit->age >= 2 ? 1 : 0;
    llc_age_set(o, hit->line);
}

static struct llc_line *llc_fill(struct oracle *o, struct llc_line *way, uint64_t line)
{
    *way = (struct llc_line){.line = line, .state = ORACLE_E, .age = 1};
    llc_age_set(o, line);
    return way;
}

static enum oracle_state state_of(const struct llc_line *line)
{
    return line ? line->state : ORACLE_I;
}

/* ---- "ARB and IMC" ---- */

static uint64_t transfer(struct oracle *o, uint64_t line, bool write, uint64_t t)
{
    if (o->dram) {
        count_transfer(o, write, t);
        return oracle_dram_request(o->dram, line, write, t);
    }
    uint64_t *channel_free = &o->channel_free[line & 1];
    uint64_t start = later(t + o->times.memory_transit, *channel_free);

    *channel_free = start + o->times.memory_transfer;
    count_transfer(o, write, t);
    return start + (write ? o->times.memory_transfer : o->times.memory_read);
}

static uint64_t imc_read(struct oracle *o, enum oracle_requester by, uint64_t line, uint64_t t)
{
    count_imc_request(o, by, t);
    return transfer(o, line, false, t);
}

/* "Merged writes". */
static uint64_t imc_write(struct oracle *o, struct last_write *last, enum oracle_requester by,
                          uint64_t line, bool partial, uint64_t t)
{
    bool merges = partial && last->partial && last->line == line;

    *last = (struct last_write){partial, line};
    count_imc_request(o, by, t);
    return merges ? t : transfer(o, line, true, t);
}

/* A memory write of IA: of a dirty line of the LLC, or a non-temporal store. */
static uint64_t llc_write_to_memory(struct oracle *o, uint64_t line, bool partial, uint64_t t)
{
    uint64_t done = imc_write(o, &o->wrote, ORACLE_IA, line, partial, t);
    count_arb_entry(o, (struct oracle_entry){.begin = t, .end = done, .write = true});
    return done;
}

static uint64_t device_write(struct oracle *o, struct agent *agent, enum oracle_requester by,
                             const struct access *x, uint64_t t)
{
    return imc_write(o, &agent->wrote, by, x->line, x->partial, t);
}

/* The responses to the snoops of one lookup. */
struct answers {
    bool any, hit, dirty;
};

/* Every core with a bit set, except `except`, loses its copies and its bit. */
static struct answers snoop_all(struct oracle *o, struct llc_line *line, const struct core *except,
                                enum oracle_from from, uint64_t t)
{
    struct answers answers = {false, false, false};

    for (unsigned c = 0; c < o->cores; c++) {
        if (!line->core_valid[c] || &o->core[c] == except)
            continue;
        enum oracle_response response = snoop_to_invalidate(&o->core[c], line->line);
        count_xsnp(o, slice_of(o, line->line), from, response, t);
        line->core_valid[c] = false;
        answers.any = true;
        if (response != ORACLE_MISS)
            answers.hit = true;
        if (response == ORACLE_HITM)
            answers.dirty = true;
    }
    return answers;
}

static unsigned cores_with_bit(const struct oracle *o, const struct llc_line *line,
                               const struct core *except)
{
    unsigned n = 0;

    for (unsigned c = 0; c < o->cores; c++)
        if (line->core_valid[c] && &o->core[c] != except)
            n++;
    return n;
}

/* A reader snoops only if exactly one other core may have modified the line. */
static struct answers snoop_one(struct oracle *o, struct llc_line *line, const struct core *reader,
                                enum oracle_from from, uint64_t t)
{
    struct answers answers = {false, false, false};

    if (line->state == ORACLE_S || cores_with_bit(o, line, reader) != 1)
        return answers;
    for (unsigned c = 0; c < o->cores; c++) {
        if (!line->core_valid[c] || &o->core[c] == reader)
            continue;
        enum oracle_response response = snoop_to_share(&o->core[c], line->line);
        count_xsnp(o, slice_of(o, line->line), from, response, t);
        answers.any = true;
        answers.hit = response != ORACLE_MISS;
        if (response == ORACLE_MISS)
            line->core_valid[c] = false;
        if (response == ORACLE_HITM) {
            line->state = ORACLE_M;
            answers.dirty = true;
        }
    }
    return answers;
}

/* "Miss": makes the victim way free for the line. */
static struct llc_line *llc_make_room(struct oracle *o, uint64_t line, uint64_t t)
{
    struct llc_line *victim = llc_victim(o, line);

    if (victim->state == ORACLE_I)
        return victim;
    struct answers answers = snoop_all(o, victim, NULL, ORACLE_EVICTION, t);
    if (victim->state == ORACLE_M || answers.dirty)
        llc_write_to_memory(o, victim->line, false, t);
    victim->state = ORACLE_I;
    return victim;
}

void llc_write_back(struct oracle *o, uint64_t line, uint64_t t)
{
    struct llc_line *copy = need(llc_find(o, line)); /* the LLC is inclusive */

    count_lookup(o, slice_of(o, line), ORACLE_WRITE, copy->state, t);
    copy->state = ORACLE_M;
}

/* ---- "An uncore access of core c at time t" ---- */

/* Rule 2, RD and CODE. Returns the state that the core gets. */
static enum oracle_state hit_read(struct oracle *o, const struct core *core, struct llc_line *hit,
                                  struct answers *answers, uint64_t t)
{
    *answers = snoop_one(o, hit, core, ORACLE_XCORE, t);
    hit->core_valid[core->number] = true;
    if (cores_with_bit(o, hit, core) > 0) {
        if (hit->state == ORACLE_E)
            hit->state = ORACLE_S;
        return ORACLE_S;
    }
    return hit->state == ORACLE_S ? ORACLE_S : ORACLE_E;
}

/* Rule 2, RFO. */
static enum oracle_state hit_rfo(struct oracle *o, const struct core *core, struct llc_line *hit,
                                 struct answers *answers, uint64_t t)
{
    *answers = snoop_all(o, hit, core, ORACLE_XCORE, t);
    hit->core_valid[core->number] = true;
    if (answers->dirty)
        hit->state = ORACLE_M;
    else if (hit->state == ORACLE_S)
        hit->state = ORACLE_E;
    return ORACLE_M;
}

static uint64_t ring(const struct oracle *o, unsigned slice, unsigned core)
{
    return o->times.ring_hop * (slice > core ? slice - core : core - slice);
}

/* Rule 3, without the effects on the core. *way: the line in the LLC. Returns when it is there. */
static uint64_t llc_miss(struct oracle *o, const struct access *x, struct llc_line **way,
                         uint64_t t)
{
    struct llc_line *room = llc_make_room(o, x->line, t);
    uint64_t done = t + o->times.llc_hit;

    if (x->whole) { /* its data are not needed */
        *way = llc_fill(o, room, x->line);
        return done;
    }
    done = imc_read(o, ORACLE_IA, x->line, t);
    count_arb_entry(
        o, (struct oracle_entry){.begin = t, .end = done, .data_read = x->kind == BX_LOAD});
    *way = llc_fill(o, room, x->line);
    return done;
}

/* "Prefetchers": a prefetch of the streamer while most of the super queue is busy. Returns its
 * completion. */
uint64_t llc_prefetch(struct oracle *o, struct core *core, const struct access *x, uint64_t t)
{
    unsigned slice = slice_of(o, x->line);
    struct llc_line *line = llc_find(o, x->line);

    count_lookup(o, slice, ORACLE_READ, state_of(line), t);
    core->source = line ? ORACLE_LLC : ORACLE_MEMORY;
    if (line)
        return t + o->times.llc_hit + ring(o, slice, core->number);
    return llc_miss(o, x, &line, t);
}

/* When a line that a prefetch of the core requested arrives. */
static uint64_t arrives(const struct core *core, uint64_t line)
{
    uint64_t until = 0;

    for (unsigned i = 0; i < core->queue_entries; i++)
        if (core->queue[i].line == line)
            until = later(until, core->queue[i].until);
    return until;
}

/* Rules 1 to 3. Returns the completion; *granted is the state that the core gets. */
uint64_t llc_request(struct oracle *o, struct core *core, const struct access *x, uint64_t t,
                     enum oracle_state *granted)
{
    unsigned slice = slice_of(o, x->line);
    struct llc_line *hit = llc_find(o, x->line);
    struct answers answers;

    count_lookup(o, slice, ORACLE_READ, state_of(hit), t);
    if (hit) {
        llc_hit_ages(o, hit);
        *granted = x->kind == BX_STORE ? hit_rfo(o, core, hit, &answers, t)
                                       : hit_read(o, core, hit, &answers, t);
        core->source = oracle_source_in_llc(answers.any, answers.hit, answers.dirty);
        uint64_t snooping = answers.dirty ? o->times.snoop_dirty
                            : answers.any ? o->times.snoop_clean
                                          : 0;
        return later(t + o->times.llc_hit + snooping, arrives(core, x->line)) +
               ring(o, slice, core->number);
    }
    core->source = ORACLE_MEMORY;
    struct llc_line *way;
    uint64_t done = llc_miss(o, x, &way, t);
    way->core_valid[core->number] = true;
    *granted = x->kind == BX_STORE ? ORACLE_M : ORACLE_E;
    return done + ring(o, slice, core->number);
}

/* ---- "Non-temporal stores" ---- */

uint64_t llc_write_past(struct oracle *o, struct core *core, const struct access *x, uint64_t t)
{
    unsigned slice = slice_of(o, x->line);
    struct llc_line *hit = llc_find(o, x->line);

    if (snoop_to_invalidate(core, x->line) == ORACLE_HITM)
        llc_write_back(o, x->line, t);
    count_lookup(o, slice, ORACLE_WRITE, state_of(hit), t);
    if (hit) {
        struct answers answers = snoop_all(o, hit, core, ORACLE_XCORE, t);
        if (x->partial && (answers.dirty || hit->state == ORACLE_M))
            llc_write_to_memory(o, x->line, false, t);
        hit->state = ORACLE_I;
    }
    if (x->steer) /* a flush writes no more */
        return t + o->times.llc_hit + ring(o, slice, core->number);
    return llc_write_to_memory(o, x->line, x->partial, t) + ring(o, slice, core->number);
}

/* ---- "GT and IO" ---- */

static void hit_external_load(struct oracle *o, struct llc_line *hit, uint64_t t)
{
    snoop_one(o, hit, NULL, ORACLE_EXTERNAL, t);
    if (cores_with_bit(o, hit, NULL) > 0 && hit->state == ORACLE_E)
        hit->state = ORACLE_S;
}

static uint64_t gt_load(struct oracle *o, const struct access *x, uint64_t t)
{
    struct llc_line *hit = llc_find(o, x->line);

    count_lookup(o, slice_of(o, x->line), ORACLE_READ, state_of(hit), t);
    if (hit) {
        llc_hit_ages(o, hit);
        hit_external_load(o, hit, t);
        return t + o->times.llc_hit;
    }
    struct llc_line *way = llc_make_room(o, x->line, t);
    uint64_t done = imc_read(o, ORACLE_GT, x->line, t);
    count_arb_entry(o, (struct oracle_entry){.begin = t, .end = done});
    llc_fill(o, way, x->line);
    return done;
}

static uint64_t gt_store(struct oracle *o, struct agent *gt, const struct access *x, uint64_t t)
{
    struct llc_line *hit = llc_find(o, x->line);

    count_lookup(o, slice_of(o, x->line), ORACLE_WRITE, state_of(hit), t);
    if (hit) {
        snoop_all(o, hit, NULL, ORACLE_EXTERNAL, t);
        hit->state = ORACLE_M;
        return t + o->times.llc_hit;
    }
    uint64_t done = device_write(o, gt, ORACLE_GT, x, t);
    count_arb_entry(o, (struct oracle_entry){.begin = t, .end = done, .write = true});
    return done;
}

static uint64_t io_load(struct oracle *o, const struct access *x, uint64_t t)
{
    struct llc_line *hit = llc_find(o, x->line);

    count_coh(o, t);
    count_lookup(o, slice_of(o, x->line), ORACLE_EXTSNP, state_of(hit), t);
    if (!hit)
        return imc_read(o, ORACLE_IO, x->line, t);
    hit_external_load(o, hit, t);
    return t + o->times.llc_hit;
}

static uint64_t io_store(struct oracle *o, struct agent *io, const struct access *x, uint64_t t)
{
    struct llc_line *hit = llc_find(o, x->line);

    count_coh(o, t);
    count_lookup(o, slice_of(o, x->line), ORACLE_EXTSNP, state_of(hit), t);
    if (hit) {
        struct answers answers = snoop_all(o, hit, NULL, ORACLE_EXTERNAL, t);
        if ((hit->state == ORACLE_M || answers.dirty) && x->partial)
            llc_write_to_memory(o, x->line, false, t);
        hit->state = ORACLE_I;
    }
    return device_write(o, io, ORACLE_IO, x, t);
}

void device_execute(struct oracle *o, struct agent *agent)
{
    const struct access *x = &agent->access;
    uint64_t completion, t = agent->time;

    if (agent->number == BX_AGENT_GT)
        completion = x->kind == BX_STORE ? gt_store(o, agent, x, t) : gt_load(o, x, t);
    else
        completion = x->kind == BX_STORE ? io_store(o, agent, x, t) : io_load(o, x, t);
    if (x->dependent)
        agent->clock = completion;
    work_lasts_until(o, completion);
    agent_next(agent);
}
