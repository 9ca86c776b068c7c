/* A slice of Ivy Bridge-EP's LLC: requests of cores, devices and the other package. */
#include "machine.h"

#include <string.h>

/* ---- the LLC ---- */

static struct slice *slice_of(struct ivbep_oracle *o, unsigned package, uint64_t line)
{
    uint64_t h = line ^ line >> 11 ^ line >> 22;

    return &o->slice[package][h % o->cores];
}

static struct llc_line *set_of(const struct slice *slice, uint64_t line)
{
    return &slice->llc[line % slice->sets * slice->ways];
}

static struct llc_line *find(const struct slice *slice, uint64_t line)
{
    struct llc_line *set = set_of(slice, line);

    for (unsigned way = 0; way < slice->ways; way++)
        if (set[way].line == line && set[way].state != I)
            return &set[way];
    return NULL;
}

static struct llc_line *victim_by_age(const struct slice *slice, uint64_t line)
{
    struct llc_line *set = set_of(slice, line);

    for (unsigned way = 0; way < slice->ways; way++)
        if (set[way].state == I)
            return &set[way];
    for (unsigned way = 0; way < slice->ways; way++)
        if (set[way].age == 3)
            return &set[way];
    return set;
}

static struct llc_line *victim_for(const struct slice *slice, uint64_t line)
{
    struct llc_line *set = set_of(slice, line), *victim = set;

    for (unsigned way = 0; way < slice->ways; way++)
        if (set[way].state == I)
            return &set[way];
    for (unsigned way = 0; way < slice->ways; way++)
        if (set[way].used < victim->used)
            victim = &set[way];
    return victim;
}

/* If no line has age 3, all age by 1. */
static void make_older(const struct slice *slice, uint64_t line)
{
    struct llc_line *set = set_of(slice, line);

    for (unsigned way = 0; way < slice->ways; way++)
        if (set[way].age == 3)
            return;
    for (unsigned way = 0; way < slice->ways; way++)
        set[way].age++;
}

static void use(struct ivbep_oracle *o, const struct slice *slice, struct llc_line *l, unsigned age)
{
    l->used = ++o->uses;
    l->age = age;
    if (o->measured_replacement)
        make_older(slice, l->line);
}

static void touch(struct ivbep_oracle *o, const struct slice *slice, struct llc_line *l)
{
    use(o, slice, l, l->age < 2 ? 0 : 1);
}

static bool is_modified(enum state state)
{
    return state == M || state == MP;
}

static bool is_shared(enum state state)
{
    return state == S || state == F;
}

/* ---- messages ---- */

static void send_from_slice(struct ivbep_oracle *o, const struct request *r, enum ring ring,
                            unsigned to)
{
    ivbep_send(o, r->slice->package, ring, r->slice->number, to, false, r->line, r->t);
}

static void send_to_slice(struct ivbep_oracle *o, const struct request *r, enum ring ring,
                          unsigned from, bool by_core)
{
    ivbep_send(o, r->slice->package, ring, from, r->slice->number, by_core, r->line, r->t);
}

/* ---- snoops of cores ---- */

/* Line and time are those of r. The core's bit is cleared if it has no copy afterwards. */
static struct snooped snoop_core(struct ivbep_oracle *o, const struct request *r,
                                 struct llc_line *l, unsigned c, bool invalidate)
{
    struct core *core = &o->core[r->slice->package][c];
    struct snooped s =
        invalidate ? ivbep_core_invalidate(core, r->line) : ivbep_core_share(core, r->line);

    send_from_slice(o, r, IV, c);
    send_to_slice(o, r, s.modified ? BL : AK, c, true);
    if (invalidate || !s.had)
        l->bit[c] = false;
    if (s.modified)
        l->state = M;
    return s;
}

/* All cores whose bits are set, except `except` (NOBODY: none). */
static struct snooped invalidate_cores(struct ivbep_oracle *o, const struct request *r,
                                       struct llc_line *l, unsigned except)
{
    struct snooped all = {false, false, false}, s;

    for (unsigned c = 0; c < o->cores; c++) {
        if (!l->bit[c] || c == except)
            continue;
        s = snoop_core(o, r, l, c, true);
        all.any = true;
        all.had |= s.had;
        all.modified |= s.modified;
    }
    return all;
}

/* The only core, other than `except`, that may have the line alone. */
static struct snooped share_cores(struct ivbep_oracle *o, const struct request *r,
                                  struct llc_line *l, unsigned except)
{
    unsigned others = 0, other = 0;

    for (unsigned c = 0; c < o->cores; c++)
        if (l->bit[c] && c != except) {
            others++;
            other = c;
        }
    if ((l->state != E && l->state != M) || others != 1)
        return (struct snooped){false, false, false};
    return snoop_core(o, r, l, other, false);
}

static bool other_has_bit(const struct ivbep_oracle *o, const struct llc_line *l, unsigned core)
{
    for (unsigned c = 0; c < o->cores; c++)
        if (l->bit[c] && c != core)
            return true;
    return false;
}

/* ---- "Other package" ---- */

/* TAKE: invalidate, and request the line. */
enum how { SHARE, INVALIDATE, TAKE, READ_OF_DEVICE };

struct response {
    uint64_t at; /* 0: there is no other package */
    bool had, modified, data;
};

static bool gives_line(enum how how, enum state before)
{
    if (how == READ_OF_DEVICE)
        return true;
    return how != INVALIDATE && (before == E || before == F);
}

static struct snooped snoop_its_cores(struct ivbep_oracle *o, const struct request *r,
                                      struct llc_line *l, enum how how, struct response *response)
{
    enum state before = l->state;
    bool invalidates = how == INVALIDATE || how == TAKE;
    struct snooped s =
        invalidates ? invalidate_cores(o, r, l, NOBODY) : share_cores(o, r, l, NOBODY);

    response->had = true;
    response->modified = is_modified(before) || s.modified;
    response->data = response->modified || gives_line(how, before);
    if (invalidates) {
        if (!is_modified(before) && !s.modified)
            ivbep_count(o, r->slice, (struct cell){.what = MISC, .first = RSPI_WAS_FSE}, r->t);
        l->state = I;
    } else if (how == SHARE) {
        l->state = S;
    }
    return s;
}

/* A modified line that becomes shared. If the package that asked has its memory, that has the line
 * from there. */
static void write_shared(struct ivbep_oracle *o, const struct request *asks,
                         const struct request *has, uint64_t given, uint64_t end)
{
    struct request writes = *has;
    bool at_home = node_of(o, has->line) == asks->slice->package;

    if (at_home)
        writes.slice = asks->slice;
    ivbep_memory(o, &writes, at_home ? given : end, true);
}

static struct response snoop_other_package(struct ivbep_oracle *o, const struct request *by,
                                           uint64_t a, enum how how)
{
    struct response response = {0, false, false, false};
    struct snooped s = {false, false, false};

    if (o->packages == 1)
        return response;
    struct slice *slice = &o->slice[1 - by->slice->package][by->slice->number];
    struct llc_line *l = find(slice, by->line);
    struct request r = {slice, by->line, by->t, SNOOP, NOBODY, last_stop(o), false, false};
    struct cell lookup = {LOOKUP, LOOKUP_SNOOP, l ? l->state : I, node_of(o, r.line), NOBODY};

    send_to_slice(o, &r, AD, last_stop(o), false);
    ivbep_count(o, slice, lookup, r.t);
    if (l)
        s = snoop_its_cores(o, &r, l, how, &response);
    uint64_t begin = ivbep_enter_tor(o, &r, IPQ, a + o->times.link);
    uint64_t end = begin + o->times.peer_snoop + snoop_time(o, s);
    ivbep_live_in_tor(o, &r, begin, end);
    send_from_slice(o, &r, response.data ? BL : AK, last_stop(o));
    response.at = response.data ? ivbep_over_link(o, slice->package, response.modified, end)
                                : end + o->times.link;
    if (how == SHARE && response.modified)
        write_shared(o, by, &r, response.at, end);
    return response;
}

/* ---- "Way made" ---- */

static void count_victim(struct ivbep_oracle *o, const struct request *by, unsigned state,
                         uint64_t line)
{
    ivbep_count(o, by->slice, (struct cell){VICTIM, state, 0, node_of(o, line), by->who}, by->t);
}

static void evict(struct ivbep_oracle *o, const struct request *by, struct llc_line *l, uint64_t a)
{
    struct request r = {by->slice, l->line, by->t, EVICTION, NOBODY, 0, false, false};
    struct snooped s = invalidate_cores(o, &r, l, NOBODY);
    r.writes = is_modified(l->state);
    uint64_t begin = r.writes ? ivbep_begin_eviction(o, &r, a) : a;
    uint64_t end = begin + o->times.tor_eviction + snoop_time(o, s);

    count_victim(o, by, r.writes ? VICTIM_M : l->state == E ? VICTIM_E : VICTIM_S, r.line);
    if (r.writes) {
        send_from_slice(o, &r, AD, last_stop(o));
        send_from_slice(o, &r, BL, last_stop(o));
        end = ivbep_memory(o, &r, begin, true);
    }
    ivbep_live_in_tor(o, &r, begin, end);
}

/* Fills the line of r without any core's bit. */
static struct llc_line *fill(struct ivbep_oracle *o, const struct request *r, enum state state,
                             uint64_t a)
{
    struct llc_line *l =
        o->measured_replacement ? victim_by_age(r->slice, r->line) : victim_for(r->slice, r->line);

    if (l->state == I)
        count_victim(o, r, VICTIM_MISS, r->line);
    else
        evict(o, r, l, a);
    memset(l, 0, sizeof *l);
    l->line = r->line;
    l->state = state;
    use(o, r->slice, l, 1);
    return l;
}

/* ---- "A request at its slice" ---- */

static bool for_ownership(const struct request *r)
{
    return r->what == RFO || r->what == PF_RFO || r->what == ITOM;
}

static bool is_prefetch(const struct request *r)
{
    return r->what == PF_RFO || r->what == PF_CODE || r->what == PF_DATA;
}

/* Where the requesting core got its line from. */
static void comes_from(struct ivbep_oracle *o, const struct request *r, enum oracle_source source)
{
    o->core[r->slice->package][r->who].source = source;
}

static uint64_t hit_for_ownership(struct ivbep_oracle *o, const struct request *r,
                                  struct llc_line *l, uint64_t a)
{
    bool was_modified = is_modified(l->state), was_shared = is_shared(l->state);
    struct response other = {0, false, false, false};
    struct snooped s = invalidate_cores(o, r, l, r->who);

    comes_from(o, r, oracle_source_in_llc(s.any, s.had, s.modified));
    if (was_shared) {
        send_from_slice(o, r, AD, last_stop(o));
        other = snoop_other_package(o, r, a, INVALIDATE);
    }
    l->state = was_modified || s.modified ? M : E;
    return later(a + o->times.llc_hit, other.at) + snoop_time(o, s);
}

static uint64_t hit_to_read(struct ivbep_oracle *o, const struct request *r, struct llc_line *l,
                            uint64_t a, enum state *granted)
{
    struct snooped s = share_cores(o, r, l, r->who);
    bool shared = other_has_bit(o, l, r->who);

    comes_from(o, r, oracle_source_in_llc(s.any, s.had, s.modified));
    *granted = shared || is_shared(l->state) ? S : E;
    if (l->state == M && shared)
        l->state = MP;
    return a + o->times.llc_hit + snoop_time(o, s);
}

static uint64_t hit(struct ivbep_oracle *o, const struct request *r, struct llc_line *l, uint64_t a,
                    enum state *granted)
{
    uint64_t done;

    comes_from(o, r, ORACLE_LLC);
    if (is_prefetch(r))
        return a + o->times.llc_hit;
    touch(o, r->slice, l);
    if (for_ownership(r)) {
        done = hit_for_ownership(o, r, l, a);
        *granted = M;
    } else {
        done = hit_to_read(o, r, l, a, granted);
    }
    l->bit[r->who] = true;
    return done;
}

/* The line comes from the other package, which was snooped, or else from memory. */
static uint64_t get_line(struct ivbep_oracle *o, const struct request *r, struct response other,
                         uint64_t a)
{
    uint64_t done = other.at;

    send_from_slice(o, r, AD, last_stop(o));
    if (r->what == ITOM) { /* its data are not needed */
        send_to_slice(o, r, other.data ? BL : AK, last_stop(o), false);
        return later(done, a + o->times.llc_hit);
    }
    if (!other.data)
        done = later(done, ivbep_memory(o, r, a, false));
    send_to_slice(o, r, BL, last_stop(o), false);
    return done;
}

static uint64_t miss(struct ivbep_oracle *o, const struct request *r, uint64_t a,
                     enum state *granted)
{
    struct response other = snoop_other_package(o, r, a,
                                                r->what == ITOM    ? INVALIDATE
                                                : for_ownership(r) ? TAKE
                                                                   : SHARE);
    uint64_t done = get_line(o, r, other, a);
    enum state state = E;

    comes_from(o, r,
               other.data ? other.modified ? ORACLE_PACKAGE_DIRTY : ORACLE_PACKAGE_CLEAN
               : node_of(o, r->line) == r->slice->package ? ORACLE_MEMORY
                                                          : ORACLE_REMOTE_MEMORY);
    if (for_ownership(r))
        state = other.modified ? M : E;
    else if (other.had)
        state = F;
    *granted = for_ownership(r) ? M : state == F ? S : E;
    struct llc_line *l = fill(o, r, state, a);
    if (!is_prefetch(r))
        l->bit[r->who] = true;
    return done;
}

uint64_t ivbep_core_request(struct ivbep_oracle *o, struct core *core, uint64_t line,
                            enum transaction what, uint64_t t, enum state *granted)
{
    struct slice *slice = slice_of(o, core->package, line);
    struct llc_line *l = find(slice, line);
    struct request r = {slice, line, t, what, core->number, core->number, l == NULL, false};
    bool core_had_it = ivbep_core_has(core, line);

    send_to_slice(o, &r, AD, r.stop, true);
    ivbep_count(o, slice,
                (struct cell){LOOKUP, LOOKUP_READ, l ? l->state : I, node_of(o, line), r.who}, t);
    if (what == RFO && l && is_shared(l->state))
        ivbep_count(o, slice, (struct cell){.what = MISC, .first = RFO_HIT_S}, t);
    uint64_t a = ivbep_enter_tor(o, &r, IRQ, t);
    uint64_t done = l ? hit(o, &r, l, a, granted) : miss(o, &r, a, granted);
    ivbep_live_in_tor(o, &r, a, done);
    if (!is_prefetch(&r)) {
        send_from_slice(o, &r, AK, r.stop);
        if (!core_had_it && what != ITOM)
            send_from_slice(o, &r, BL, r.stop);
    }
    return done + ivbep_stops_between(o, slice->number, r.stop);
}

/* ---- "Write-back of a core" ---- */

void ivbep_write_back(struct ivbep_oracle *o, struct core *core, uint64_t line,
                      enum transaction what, uint64_t t)
{
    struct slice *slice = slice_of(o, core->package, line);
    struct llc_line *l = ivbep_need(find(slice, line));
    struct request r = {slice, line, t, what, core->number, core->number, false, false};

    send_to_slice(o, &r, AD, r.stop, true);
    send_to_slice(o, &r, BL, r.stop, true);
    ivbep_count(o, slice, (struct cell){LOOKUP, LOOKUP_WRITE, l->state, node_of(o, line), r.who},
                t);
    l->state = M;
    if (!ivbep_core_has(core, line))
        l->bit[core->number] = false;
    uint64_t a = ivbep_enter_tor(o, &r, IRQ, t);
    ivbep_live_in_tor(o, &r, a, a + o->times.tor_write_back);
    send_from_slice(o, &r, AK, r.stop);
}

/* ---- "Devices" ---- */

static uint64_t io_load(struct ivbep_oracle *o, const struct request *r, struct llc_line *l,
                        uint64_t a)
{
    if (!l)
        return get_line(o, r, snoop_other_package(o, r, a, READ_OF_DEVICE), a);
    share_cores(o, r, l, NOBODY);
    return a + o->times.llc_hit;
}

/* Invalidates the line everywhere except in this slice's LLC. Returns the time of the other
 * package's response, or a if it was not snooped. */
static uint64_t io_invalidate(struct ivbep_oracle *o, const struct request *r, struct llc_line *l,
                              uint64_t a, bool *modified)
{
    struct response other = {0, false, false, false};

    if (l)
        invalidate_cores(o, r, l, NOBODY);
    if (o->packages == 2 && (!l || is_shared(l->state))) {
        send_from_slice(o, r, AD, last_stop(o));
        other = snoop_other_package(o, r, a, INVALIDATE);
    }
    *modified = other.modified || (l && is_modified(l->state));
    return later(a, other.at);
}

/* PCIITOM */
static uint64_t io_store_to_cache(struct ivbep_oracle *o, const struct request *r,
                                  struct llc_line *l, uint64_t a)
{
    bool modified;
    uint64_t done = io_invalidate(o, r, l, a, &modified);

    if (l)
        l->state = M;
    else
        fill(o, r, M, a);
    return later(done, a + o->times.io_allocate);
}

static uint64_t io_write(struct ivbep_oracle *o, const struct request *r, uint64_t t)
{
    send_from_slice(o, r, AD, last_stop(o));
    send_from_slice(o, r, BL, last_stop(o));
    return ivbep_memory(o, r, t, true);
}

/* PCIWILF, PCIWIL */
static uint64_t io_store_to_memory(struct ivbep_oracle *o, const struct request *r,
                                   struct llc_line *l, uint64_t a)
{
    bool modified;
    uint64_t done = io_invalidate(o, r, l, a, &modified);

    if (l)
        l->state = I;
    if (modified && r->what == PCIWIL)
        done = io_write(o, r, done);
    return io_write(o, r, done);
}

static enum transaction transaction_of(const struct ivbep_oracle *o, const struct access *x)
{
    if (x->kind != BX_STORE)
        return x->partial ? PCIPRD : PCIRDCUR;
    if (x->partial)
        return PCIWIL;
    return node_of(o, x->line) == 0 ? PCIITOM : PCIWILF;
}

uint64_t ivbep_io_request(struct ivbep_oracle *o, const struct access *x, uint64_t t)
{
    struct slice *slice = slice_of(o, 0, x->line);
    struct llc_line *l = find(slice, x->line);
    enum transaction what = transaction_of(o, x);
    struct request r = {slice, x->line, t, what, NOBODY, last_stop(o), l == NULL, false};
    bool store = x->kind == BX_STORE;
    struct cell lookup = {LOOKUP, store ? LOOKUP_WRITE : LOOKUP_READ, l ? l->state : I,
                          node_of(o, x->line), NOBODY};

    send_to_slice(o, &r, AD, r.stop, false);
    if (store)
        send_to_slice(o, &r, BL, r.stop, false);
    ivbep_count(o, slice, lookup, t);
    uint64_t a = ivbep_enter_tor(o, &r, VFIFO, t);
    uint64_t done = !store            ? io_load(o, &r, l, a)
                    : what == PCIITOM ? io_store_to_cache(o, &r, l, a)
                                      : io_store_to_memory(o, &r, l, a);
    ivbep_live_in_tor(o, &r, a, done);
    send_from_slice(o, &r, store ? AK : BL, r.stop);
    return done;
}

/* ---- "Non-temporal stores" ---- */

uint64_t ivbep_store_past(struct ivbep_oracle *o, struct core *core, const struct access *x,
                          uint64_t t)
{
    struct slice *slice = slice_of(o, core->package, x->line);
    struct response other = {0, false, false, false};

    if (ivbep_core_invalidate(core, x->line).modified)
        ivbep_write_back(o, core, x->line, WBMTOI, t);
    struct llc_line *l = find(slice, x->line);
    enum transaction what = x->partial ? WCIL : WCILF;
    struct request r = {slice, x->line, t, what, core->number, core->number, l == NULL, false};
    send_to_slice(o, &r, AD, r.stop, true);
    if (!x->steer) /* a flush has no data */
        send_to_slice(o, &r, BL, r.stop, true);
    ivbep_count(o, slice,
                (struct cell){LOOKUP, LOOKUP_WRITE, l ? l->state : I, node_of(o, r.line), r.who},
                t);
    uint64_t a = ivbep_enter_tor(o, &r, IRQ, t);
    if (l)
        invalidate_cores(o, &r, l, r.who);
    if (o->packages == 2 && (!l || is_shared(l->state))) {
        send_from_slice(o, &r, AD, last_stop(o));
        other = snoop_other_package(o, &r, a, INVALIDATE);
    }
    bool aliases = l && is_modified(l->state);
    uint64_t done = later(a, other.at);
    if (aliases && !x->steer)
        ivbep_count(o, slice, (struct cell){.what = MISC, .first = WC_ALIASING}, t);
    if (aliases || (x->partial && other.modified))
        done = io_write(o, &r, done);
    if (l)
        l->state = I;
    if (!x->steer)
        done = io_write(o, &r, done);
    ivbep_live_in_tor(o, &r, a, done);
    send_from_slice(o, &r, AK, r.stop);
    return done + ivbep_stops_between(o, slice->number, r.stop);
}
