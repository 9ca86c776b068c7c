#include "oracle.h"

#include <stdlib.h>

/* ---- "The client machine": sizes and times of docs/model.md ---- */

enum {
    L1_SETS = 64,
    L1_WAYS = 8,
    L2_SETS = 1024,
    L2_WAYS = 4,
    LLC_WAYS = 16,
    FILL_BUFFERS = 10,
    CHANNELS = 2,

    L2_HIT = 2,
    L2_HIT_DEPENDENT = 8,
    LLC_HIT = 34,
    RING_HOP = 2,
    SNOOP_CLEAN = 25,
    SNOOP_DIRTY = 35,
    MEMORY_FRONT = 20,
    CHANNEL_BUSY = 12,
    MEMORY_READ = 130,
    MEMORY_WRITE = 12,
};

static const uint64_t slice_mask[2] = {0x1b5f575440, 0x2eb5faa880};

/* A private copy of a line; state I: the way is empty. L1I copies are E, which means "present". */
struct copy {
    uint64_t line;
    enum oracle_state state;
};

struct cache {
    unsigned sets, ways;
    struct copy *copy; /* [sets][ways] */
    bool *upper_next;  /* [sets][ways - 1]: the bits of tree-PLRU, a heap per set */
};

struct core {
    unsigned number;
    struct cache l1d, l1i, l2;
    uint64_t buffer_free[FILL_BUFFERS];
    unsigned next_buffer;
};

struct llc_line {
    uint64_t line;
    enum oracle_state state;
    unsigned age;
    bool core_valid[ORACLE_CORES];
};

struct access {
    uint64_t line;
    unsigned kind, cost;
    bool dependent, partial;
};

/* A core, GT or IO, and how far it has come. */
struct agent {
    unsigned number;
    struct core *core; /* NULL: GT or IO */
    const bx_access *next, *end;
    uint64_t clock;
    bool waiting; /* for its turn at the uncore, with: */
    struct access access;
    uint64_t time;
    bool needs_buffer;
    /* The last memory write of GT or IO, for merging. */
    bool wrote_partial;
    uint64_t wrote_line;
};

struct oracle {
    unsigned cores, slices;
    uint64_t llc_sets; /* of a slice */
    struct core core[ORACLE_CORES];
    struct agent agent[ORACLE_CORES + 2]; /* cores, GT, IO: in the order of their turns */
    struct llc_line *llc;                 /* [slices][sets][ways] */
    uint64_t channel_free[CHANNELS];
    struct oracle_counts counts;
    bool record;
    struct oracle_log log;
};

static void *need(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

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

static void count_lookup(struct oracle *o, unsigned slice, enum oracle_request request,
                         enum oracle_state state, uint64_t t)
{
    o->counts.lookup[slice][request][state]++;
    log_event(o, (struct oracle_event){t, ORACLE_LOOKUP, slice, request, state});
}

static void count_xsnp(struct oracle *o, unsigned slice, enum oracle_from from,
                       enum oracle_response response, uint64_t t)
{
    o->counts.xsnp[slice][from][response]++;
    log_event(o, (struct oracle_event){t, ORACLE_XSNP, slice, from, response});
}

static void count_coh(struct oracle *o, uint64_t t)
{
    o->counts.coh++;
    log_event(o, (struct oracle_event){t, ORACLE_COH, 0, 0, 0});
}

static void count_imc_request(struct oracle *o, enum oracle_requester by, uint64_t t)
{
    o->counts.imc_requests[by]++;
    log_event(o, (struct oracle_event){t, ORACLE_IMC_REQUEST, 0, by, 0});
}

static void count_transfer(struct oracle *o, bool write, uint64_t t)
{
    if (write)
        o->counts.data_writes++;
    else
        o->counts.data_reads++;
    log_event(o, (struct oracle_event){t, ORACLE_IMC_TRANSFER, 0, write, 0});
}

static void count_arb_entry(struct oracle *o, struct oracle_entry entry)
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

/* ---- "Tree-PLRU": the private caches ---- */

static struct copy *set_of(const struct cache *cache, uint64_t line)
{
    return &cache->copy[(line & (cache->sets - 1)) * cache->ways];
}

static bool *tree_of(const struct cache *cache, uint64_t line)
{
    return &cache->upper_next[(line & (cache->sets - 1)) * (cache->ways - 1)];
}

static struct copy *find(const struct cache *cache, uint64_t line)
{
    struct copy *set = set_of(cache, line);

    for (unsigned way = 0; way < cache->ways; way++)
        if (set[way].line == line && set[way].state != ORACLE_I)
            return &set[way];
    return NULL;
}

static void touch(struct cache *cache, const struct copy *copy)
{
    bool *upper_next = tree_of(cache, copy->line);
    unsigned way = (unsigned)(copy - set_of(cache, copy->line));
    unsigned node = 0;

    for (unsigned half = cache->ways / 2; half > 0; half /= 2) {
        bool upper = way >= half;
        upper_next[node] = !upper;
        node = upper ? 2 * node + 2 : 2 * node + 1;
        if (upper)
            way -= half;
    }
}

static struct copy *victim_for(const struct cache *cache, uint64_t line)
{
    struct copy *set = set_of(cache, line);
    const bool *upper_next = tree_of(cache, line);
    unsigned node = 0, way = 0;

    for (unsigned w = 0; w < cache->ways; w++)
        if (set[w].state == ORACLE_I)
            return &set[w];
    for (unsigned half = cache->ways / 2; half > 0; half /= 2) {
        bool upper = upper_next[node];
        node = upper ? 2 * node + 2 : 2 * node + 1;
        if (upper)
            way += half;
    }
    return &set[way];
}

/* Fills the line over the victim and returns what the victim was. */
static struct copy fill(struct cache *cache, uint64_t line, enum oracle_state state)
{
    struct copy *way = victim_for(cache, line);
    struct copy old = *way;

    *way = (struct copy){line, state};
    touch(cache, way);
    return old;
}

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
    return &o->llc[(slice_of(o, line) * o->llc_sets + (line & (o->llc_sets - 1))) * LLC_WAYS];
}

static struct llc_line *llc_find(const struct oracle *o, uint64_t line)
{
    struct llc_line *set = llc_set(o, line);

    for (unsigned way = 0; way < LLC_WAYS; way++)
        if (set[way].line == line && set[way].state != ORACLE_I)
            return &set[way];
    return NULL;
}

static struct llc_line *llc_victim(const struct oracle *o, uint64_t line)
{
    struct llc_line *set = llc_set(o, line);

    for (unsigned way = 0; way < LLC_WAYS; way++)
        if (set[way].state == ORACLE_I)
            return &set[way];
    for (unsigned way = 0; way < LLC_WAYS; way++)
        if (set[way].age == 3)
            return &set[way];
    abort(); /* llc_age_set leaves a way of age 3 in every full set */
}

/* After a hit or a fill: a full set has a line of age 3. */
static void llc_age_set(struct oracle *o, uint64_t line)
{
    struct llc_line *set = llc_set(o, line);
    unsigned largest = 0;

    for (unsigned way = 0; way < LLC_WAYS; way++) {
        if (set[way].state == ORACLE_I)
            return;
        if (set[way].age > largest)
            largest = set[way].age;
    }
    for (unsigned way = 0; way < LLC_WAYS; way++)
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
    uint64_t *channel_free = &o->channel_free[line & 1];
    uint64_t start = later(t + MEMORY_FRONT, *channel_free);

    *channel_free = start + CHANNEL_BUSY;
    count_transfer(o, write, t);
    return start + (write ? MEMORY_WRITE : MEMORY_READ);
}

static uint64_t imc_read(struct oracle *o, enum oracle_requester by, uint64_t line, uint64_t t)
{
    count_imc_request(o, by, t);
    return transfer(o, line, false, t);
}

/* A dirty line of the LLC goes to memory. */
static void llc_write_to_memory(struct oracle *o, uint64_t line, uint64_t t)
{
    count_imc_request(o, ORACLE_IA, t);
    uint64_t done = transfer(o, line, true, t);
    count_arb_entry(o, (struct oracle_entry){.begin = t, .end = done, .write = true});
}

/* A memory write of GT or IO: a partial one may merge with the one before. */
static uint64_t device_write(struct oracle *o, struct agent *agent, enum oracle_requester by,
                             const struct access *x, uint64_t t)
{
    bool merges = x->partial && agent->wrote_partial && agent->wrote_line == x->line;

    agent->wrote_partial = x->partial;
    agent->wrote_line = x->line;
    count_imc_request(o, by, t);
    return merges ? t : transfer(o, x->line, true, t);
}

/* ---- snoops ---- */

static enum oracle_response snoop(const struct core *core, uint64_t line)
{
    const struct copy *l1d = find(&core->l1d, line), *l2 = find(&core->l2, line);

    if ((l1d && l1d->state == ORACLE_M) || (l2 && l2->state == ORACLE_M))
        return ORACLE_HITM;
    return l1d || l2 || find(&core->l1i, line) ? ORACLE_HIT : ORACLE_MISS;
}

static void become(struct cache *cache, uint64_t line, enum oracle_state state)
{
    struct copy *copy = find(cache, line);

    if (copy)
        copy->state = state;
}

/* The core is snooped by a reader: what it keeps is shared. */
static enum oracle_response snoop_to_share(struct core *core, uint64_t line)
{
    enum oracle_response response = snoop(core, line);

    become(&core->l1d, line, ORACLE_S);
    become(&core->l2, line, ORACLE_S);
    return response;
}

/* The core is snooped by somebody who wants the line alone, or it leaves the LLC. */
static enum oracle_response snoop_to_lose(struct core *core, uint64_t line)
{
    enum oracle_response response = snoop(core, line);

    become(&core->l1d, line, ORACLE_I);
    become(&core->l1i, line, ORACLE_I);
    become(&core->l2, line, ORACLE_I);
    return response;
}

/* How the snoops of one lookup were answered. */
struct answers {
    bool any, dirty;
};

/* Every core with a bit set, but for `except`, loses its copies and its bit. */
static struct answers snoop_all(struct oracle *o, struct llc_line *line, const struct core *except,
                                enum oracle_from from, uint64_t t)
{
    struct answers answers = {false, false};

    for (unsigned c = 0; c < o->cores; c++) {
        if (!line->core_valid[c] || &o->core[c] == except)
            continue;
        enum oracle_response response = snoop_to_lose(&o->core[c], line->line);
        count_xsnp(o, slice_of(o, line->line), from, response, t);
        line->core_valid[c] = false;
        answers.any = true;
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

/* A reader's snoop: only of a line that exactly one other core may have modified. */
static struct answers snoop_one(struct oracle *o, struct llc_line *line, const struct core *reader,
                                enum oracle_from from, uint64_t t)
{
    struct answers answers = {false, false};

    if (line->state == ORACLE_S || cores_with_bit(o, line, reader) != 1)
        return answers;
    for (unsigned c = 0; c < o->cores; c++) {
        if (!line->core_valid[c] || &o->core[c] == reader)
            continue;
        enum oracle_response response = snoop_to_share(&o->core[c], line->line);
        count_xsnp(o, slice_of(o, line->line), from, response, t);
        answers.any = true;
        if (response == ORACLE_MISS)
            line->core_valid[c] = false;
        if (response == ORACLE_HITM) {
            line->state = ORACLE_M;
            answers.dirty = true;
        }
    }
    return answers;
}

/* "Miss": empties the victim way for the line. */
static struct llc_line *llc_make_room(struct oracle *o, uint64_t line, uint64_t t)
{
    struct llc_line *victim = llc_victim(o, line);

    if (victim->state == ORACLE_I)
        return victim;
    struct answers answers = snoop_all(o, victim, NULL, ORACLE_EVICTION, t);
    if (victim->state == ORACLE_M || answers.dirty)
        llc_write_to_memory(o, victim->line, t);
    victim->state = ORACLE_I;
    return victim;
}

/* ---- fills of the private caches, and the write-backs that they cause ---- */

static void write_back(struct oracle *o, uint64_t line, uint64_t t)
{
    struct llc_line *copy = need(llc_find(o, line)); /* the LLC is inclusive */

    count_lookup(o, slice_of(o, line), ORACLE_WRITE, copy->state, t);
    copy->state = ORACLE_M;
}

static void fill_l2(struct oracle *o, struct core *core, uint64_t line, enum oracle_state state,
                    uint64_t t)
{
    struct copy victim = fill(&core->l2, line, state);

    if (victim.state == ORACLE_M)
        write_back(o, victim.line, t);
}

static void fill_l1d(struct oracle *o, struct core *core, uint64_t line, enum oracle_state state,
                     uint64_t t)
{
    struct copy victim = fill(&core->l1d, line, state);

    if (victim.state != ORACLE_M)
        return;
    if (find(&core->l2, victim.line))
        become(&core->l2, victim.line, ORACLE_M);
    else
        fill_l2(o, core, victim.line, ORACLE_M, t);
}

/* A copy that is there already is kept, touched, and gets the state; else the line is filled. */
static void keep_or_fill_l2(struct oracle *o, struct core *core, uint64_t line,
                            enum oracle_state state, uint64_t t)
{
    struct copy *copy = find(&core->l2, line);

    if (!copy) {
        fill_l2(o, core, line, state, t);
        return;
    }
    copy->state = state;
    touch(&core->l2, copy);
}

static void keep_or_fill_l1d(struct oracle *o, struct core *core, uint64_t line,
                             enum oracle_state state, uint64_t t)
{
    struct copy *copy = find(&core->l1d, line);

    if (!copy) {
        fill_l1d(o, core, line, state, t);
        return;
    }
    copy->state = state;
    touch(&core->l1d, copy);
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

static uint64_t ring(unsigned slice, unsigned core)
{
    return RING_HOP * (slice > core ? slice - core : core - slice);
}

/* Rules 1 to 3. Returns the completion; *granted is the state that the core gets. */
static uint64_t ask_llc(struct oracle *o, struct core *core, const struct access *x, uint64_t t,
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
        uint64_t snooping = answers.dirty ? SNOOP_DIRTY : answers.any ? SNOOP_CLEAN : 0;
        return t + LLC_HIT + ring(slice, core->number) + snooping;
    }
    struct llc_line *way = llc_make_room(o, x->line, t);
    uint64_t done = imc_read(o, ORACLE_IA, x->line, t);
    count_arb_entry(
        o, (struct oracle_entry){.begin = t, .end = done, .data_read = x->kind == BX_LOAD});
    way = llc_fill(o, way, x->line);
    way->core_valid[core->number] = true;
    *granted = x->kind == BX_STORE ? ORACLE_M : ORACLE_E;
    return done + ring(slice, core->number);
}

static uint64_t uncore_access(struct oracle *o, struct core *core, const struct access *x, uint64_t t)
{
    enum oracle_state granted;
    uint64_t completion = ask_llc(o, core, x, t, &granted);

    /* Rule 4. */
    keep_or_fill_l2(o, core, x->line, x->kind == BX_STORE ? ORACLE_E : granted, t);
    if (x->kind == BX_FETCH)
        fill(&core->l1i, x->line, ORACLE_E);
    else
        keep_or_fill_l1d(o, core, x->line, granted, t);
    return completion;
}

/* ---- "A core's accesses" ---- */

/* Rule 1. */
static bool hits_l1(struct core *core, const struct access *x)
{
    struct cache *l1 = x->kind == BX_FETCH ? &core->l1i : &core->l1d;
    struct copy *copy = find(l1, x->line);

    if (!copy || (x->kind == BX_STORE && copy->state == ORACLE_S))
        return false;
    touch(l1, copy);
    if (x->kind == BX_STORE)
        copy->state = ORACLE_M;
    return true;
}

/* A store finds the line in S. */
static bool store_to_shared(const struct core *core, const struct access *x)
{
    const struct copy *l1d = find(&core->l1d, x->line), *l2 = find(&core->l2, x->line);

    return x->kind == BX_STORE &&
           ((l1d && l1d->state == ORACLE_S) || (l2 && l2->state == ORACLE_S));
}

/* Rule 2 can serve the access, which rule 1 cannot. */
static bool hits_l2(const struct core *core, const struct access *x)
{
    return find(&core->l2, x->line) && !store_to_shared(core, x);
}

/* Rule 2's exception. */
static bool fill_writes_to_llc(const struct core *core, const struct access *x)
{
    if (x->kind == BX_FETCH)
        return false;
    const struct copy *victim = victim_for(&core->l1d, x->line);
    return victim->state == ORACLE_M && !find(&core->l2, victim->line);
}

/* Rule 2. */
static void do_l2_hit(struct oracle *o, struct agent *agent, const struct access *x)
{
    struct core *core = agent->core;
    struct copy *l2 = find(&core->l2, x->line);

    touch(&core->l2, l2);
    if (x->kind == BX_FETCH) {
        fill(&core->l1i, x->line, ORACLE_E);
    } else {
        enum oracle_state state = x->kind == BX_STORE ? ORACLE_M : l2->state;
        if (l2->state == ORACLE_M)
            l2->state = ORACLE_E;
        fill_l1d(o, core, x->line, state, agent->clock);
    }
    agent->clock += x->dependent ? L2_HIT_DEPENDENT : L2_HIT;
}

static struct access decode(bx_access a)
{
    return (struct access){
        .line = a >> 16 & 0xffffffffff,
        .kind = a & 3,
        .cost = a >> 4 & BX_ACCESS_COST_MAX,
        .dependent = a & BX_ACCESS_DEPENDENT,
        .partial = a & BX_ACCESS_PARTIAL,
    };
}

/* The core stops before an access that needs the uncore. */
static void stop(struct agent *agent, const struct access *x)
{
    const struct core *core = agent->core;

    agent->waiting = true;
    agent->access = *x;
    agent->needs_buffer = store_to_shared(core, x) || !find(&core->l2, x->line);
    agent->time = agent->clock;
    if (agent->needs_buffer)
        agent->time = later(agent->time, core->buffer_free[core->next_buffer]);
}

static void run_core_ahead(struct oracle *o, struct agent *agent)
{
    while (agent->next < agent->end) {
        struct access x = decode(*agent->next++);

        agent->clock += x.cost;
        if (hits_l1(agent->core, &x))
            continue;
        if (!hits_l2(agent->core, &x) || fill_writes_to_llc(agent->core, &x)) {
            stop(agent, &x);
            return;
        }
        do_l2_hit(o, agent, &x);
    }
}

/* A core's turn. Returns the completion of its access. */
static uint64_t serve_core(struct oracle *o, struct agent *agent)
{
    struct core *core = agent->core;
    const struct access *x = &agent->access;

    agent->clock = agent->time;
    if (hits_l1(core, x))
        return agent->clock;
    if (hits_l2(core, x)) {
        do_l2_hit(o, agent, x);
        return agent->clock;
    }
    uint64_t completion = uncore_access(o, core, x, agent->time);
    if (agent->needs_buffer) {
        core->buffer_free[core->next_buffer] = completion;
        core->next_buffer = (core->next_buffer + 1) % FILL_BUFFERS;
    }
    if (x->dependent || x->kind == BX_FETCH)
        agent->clock = completion;
    return completion;
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
        return t + LLC_HIT;
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
        return t + LLC_HIT;
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
    return t + LLC_HIT;
}

static uint64_t io_store(struct oracle *o, struct agent *io, const struct access *x, uint64_t t)
{
    struct llc_line *hit = llc_find(o, x->line);

    count_coh(o, t);
    count_lookup(o, slice_of(o, x->line), ORACLE_EXTSNP, state_of(hit), t);
    if (hit) {
        struct answers answers = snoop_all(o, hit, NULL, ORACLE_EXTERNAL, t);
        if ((hit->state == ORACLE_M || answers.dirty) && x->partial)
            llc_write_to_memory(o, x->line, t);
        hit->state = ORACLE_I;
    }
    return device_write(o, io, ORACLE_IO, x, t);
}

static void issue_device(struct agent *agent)
{
    if (agent->next == agent->end)
        return;
    agent->access = decode(*agent->next++);
    agent->clock += agent->access.cost;
    agent->time = agent->clock;
    agent->waiting = true;
}

static uint64_t serve_device(struct oracle *o, struct agent *agent)
{
    const struct access *x = &agent->access;
    uint64_t completion, t = agent->time;

    if (agent->number == BX_AGENT_GT)
        completion = x->kind == BX_STORE ? gt_store(o, agent, x, t) : gt_load(o, x, t);
    else
        completion = x->kind == BX_STORE ? io_store(o, agent, x, t) : io_load(o, x, t);
    if (x->dependent)
        agent->clock = completion;
    return completion;
}

/* ---- turns ---- */

static struct agent *whose_turn(struct oracle *o)
{
    struct agent *first = NULL;

    for (unsigned i = 0; i < o->cores + 2; i++) {
        struct agent *agent = &o->agent[i];
        if (agent->waiting && (!first || agent->time < first->time))
            first = agent;
    }
    return first;
}

static void run_ahead(struct oracle *o, struct agent *agent)
{
    agent->waiting = false;
    if (agent->core)
        run_core_ahead(o, agent);
    else
        issue_device(agent);
}

void oracle_run(struct oracle *o, const struct oracle_trace trace[BX_AGENTS])
{
    struct agent *agent;

    for (unsigned i = 0; i < o->cores + 2; i++) {
        agent = &o->agent[i];
        agent->next = trace[agent->number].access;
        agent->end = agent->next + trace[agent->number].n;
        agent->clock = o->counts.end;
        o->counts.accesses += trace[agent->number].n;
        run_ahead(o, agent);
    }
    while ((agent = whose_turn(o)) != NULL) {
        uint64_t completion = agent->core ? serve_core(o, agent) : serve_device(o, agent);
        o->counts.end = later(o->counts.end, completion);
        run_ahead(o, agent);
    }
    for (unsigned i = 0; i < o->cores + 2; i++)
        o->counts.end = later(o->counts.end, o->agent[i].clock);
}

/* ---- power-on ---- */

static void new_cache(struct cache *cache, unsigned sets, unsigned ways)
{
    *cache = (struct cache){
        .sets = sets,
        .ways = ways,
        .copy = need(calloc((size_t)sets * ways, sizeof *cache->copy)),
        .upper_next = need(calloc((size_t)sets * (ways - 1), sizeof *cache->upper_next)),
    };
}

static void free_cache(struct cache *cache)
{
    free(cache->copy);
    free(cache->upper_next);
}

struct oracle *oracle_new(const bx_model_shape *shape, bool record)
{
    struct oracle *o = need(calloc(1, sizeof *o));

    if (shape->packages != 1 || shape->cores > ORACLE_CORES || shape->slices > ORACLE_SLICES)
        abort();
    o->cores = shape->cores;
    o->slices = shape->slices;
    o->llc_sets = shape->llc_bytes / shape->slices / LLC_WAYS / 64;
    o->llc = need(calloc(o->slices * o->llc_sets * LLC_WAYS, sizeof *o->llc));
    o->record = record;
    for (unsigned c = 0; c < o->cores; c++) {
        o->core[c].number = c;
        new_cache(&o->core[c].l1d, L1_SETS, L1_WAYS);
        new_cache(&o->core[c].l1i, L1_SETS, L1_WAYS);
        new_cache(&o->core[c].l2, L2_SETS, L2_WAYS);
        o->agent[c].number = c;
        o->agent[c].core = &o->core[c];
    }
    o->agent[o->cores].number = BX_AGENT_GT;
    o->agent[o->cores + 1].number = BX_AGENT_IO;
    return o;
}

void oracle_free(struct oracle *o)
{
    if (o == NULL)
        return;
    for (unsigned c = 0; c < o->cores; c++) {
        free_cache(&o->core[c].l1d);
        free_cache(&o->core[c].l1i);
        free_cache(&o->core[c].l2);
    }
    free(o->llc);
    free(o->log.event);
    free(o->log.entry);
    free(o);
}

const struct oracle_counts *oracle_counts(const struct oracle *o)
{
    return &o->counts;
}

const struct oracle_log *oracle_log(const struct oracle *o)
{
    return &o->log;
}
