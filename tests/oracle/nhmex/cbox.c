/* A slice of the last-level cache: the actions of C-Boxes for a request
 * (docs/explanation/model-nhmex.md, "A request"). */
#include "nhmex/machine.h"

/* Codes of the C-Box's events that happen in one cycle. */
enum {
    BOUNCES_P2C_AD = 0x01,
    SINKS_P2C = 0x05,
    SINKS_C2P = 0x06,
    SINKS_S2P_BL = 0x08,
    MAF_NACK1 = 0x11,
    MAF_NACK2 = 0x12,
    LLC_MISSES = 0x14,
    LLC_HITS = 0x15,
    LLC_S_FILLS = 0x16,
    LLC_VICTIMS = 0x17,
    SNPS = 0x27,
    SNP_HITS = 0x28,
};

static const unsigned state_bit[] = {
    [STATE_M] = 1, [STATE_E] = 2, [STATE_S] = 4, [STATE_F] = 8, [STATE_I] = 16};

/* ---- the lines ---- */

unsigned nhmex_slice_of(const struct nhmex_oracle *o, uint64_t line)
{
    return (unsigned)((line ^ line >> 11 ^ line >> 22) % o->cores);
}

static struct line *set_of(const struct nhmex_oracle *o, const struct cbox *c, uint64_t line)
{
    return &c->line[line % o->llc_sets * o->llc_ways];
}

static struct line *find(const struct nhmex_oracle *o, const struct cbox *c, uint64_t line)
{
    struct line *set = set_of(o, c, line);

    for (unsigned way = 0; way < o->llc_ways; way++)
        if (set[way].line == line && set[way].state != STATE_I)
            return &set[way];
    return NULL;
}

static struct line *victim_for(const struct nhmex_oracle *o, const struct cbox *c, uint64_t line)
{
    struct line *set = set_of(o, c, line), *victim = set;

    for (unsigned way = 0; way < o->llc_ways; way++) {
        if (set[way].state == STATE_I)
            return &set[way];
        if (set[way].touched < victim->touched)
            victim = &set[way];
    }
    return victim;
}

static struct line *first_unused(const struct nhmex_oracle *o, const struct cbox *c, uint64_t line)
{
    struct line *set = set_of(o, c, line), *first = NULL;

    for (unsigned way = o->llc_ways; way-- > 0;)
        if (set[way].unused)
            first = &set[way];
    for (unsigned way = o->llc_ways; way-- > 0;)
        if (set[way].state == STATE_I)
            first = &set[way];
    return first;
}

static void use(struct nhmex_oracle *o, const struct cbox *c, struct line *l)
{
    struct line *set = set_of(o, c, l->line);
    unsigned unused = 0;

    l->touched = ++o->touches;
    l->unused = false;
    for (unsigned way = 0; way < o->llc_ways; way++)
        unused += set[way].unused;
    for (unsigned way = 0; way < o->llc_ways && unused == 0; way++)
        set[way].unused = &set[way] != l;
}

/* ---- cores that are snooped ---- */

static struct core *core_of(struct nhmex_oracle *o, const struct cbox *c, unsigned number)
{
    return &o->core[c->package * o->cores + number];
}

/* One core, from t on. Returns how long it takes. */
static uint64_t snoop_core(struct nhmex_oracle *o, struct cbox *c, struct line *l, unsigned number,
                           bool invalidate, uint64_t t, struct snooped *answer)
{
    struct snooped found = nhmex_snoop(core_of(o, c, number), l->line, invalidate);
    uint64_t wait = found.modified ? o->times.snoop_dirty : o->times.snoop_clean;

    nhmex_put(o, &c->egress[IV], t, 1);
    nhmex_count(o, &c->counts, SINKS_C2P, 1, 1);
    nhmex_count(o, &c->counts, SINKS_P2C, found.modified ? 4 : 2, found.modified ? 2 : 1);
    nhmex_put(o, &o->package[c->package].cbox[number].rspf,
              wait > o->times.ring ? t + wait - o->times.ring : t, 1);
    *answer = found;
    if (found.modified)
        l->state = STATE_M;
    if (invalidate || !found.had)
        l->core[number] = false;
    return wait;
}

enum { NOBODY = CORES };

/* *all: what any of them had; NULL: nobody asks. */
static uint64_t snoop_others(struct nhmex_oracle *o, struct cbox *c, struct line *l,
                             unsigned except, uint64_t t, struct snooped *all)
{
    uint64_t longest = 0;

    for (unsigned n = 0; n < o->cores; n++) {
        struct snooped answer;
        if (n == except || !l->core[n])
            continue;
        longest = later(longest, snoop_core(o, c, l, n, true, t, &answer));
        if (all)
            *all = (struct snooped){true, all->had || answer.had, all->modified || answer.modified};
    }
    return longest;
}

static unsigned others(const struct nhmex_oracle *o, const struct line *l, unsigned except)
{
    unsigned bits = 0;

    for (unsigned n = 0; n < o->cores; n++)
        bits += n != except && l->core[n];
    return bits;
}

/* Snoops the only other core that may have the line alone, to share it. */
static uint64_t snoop_to_share(struct nhmex_oracle *o, struct cbox *c, struct line *l,
                               unsigned except, uint64_t t, struct snooped *answer)
{
    *answer = (struct snooped){0};
    if ((l->state != STATE_E && l->state != STATE_M) || others(o, l, except) != 1)
        return 0;
    for (unsigned n = 0; n < o->cores; n++)
        if (n != except && l->core[n])
            return snoop_core(o, c, l, n, false, t, answer);
    return 0;
}

/* ---- "A way" ---- */

/* Something holds a line. */
static void holds(struct nhmex_oracle *o, struct resource *r, uint64_t line, uint64_t from,
                  uint64_t until)
{
    size_t number = nhmex_put_open(o, r, o->now);
    r->entry[number].line = line;
    r->entry[number].begin = from;
    r->entry[number].end = until;
}

static struct line *make_way(struct nhmex_oracle *o, struct cbox *c, uint64_t line, uint64_t t)
{
    struct line *way = o->measured_replacement ? first_unused(o, c, line) : victim_for(o, c, line);

    if (way->state == STATE_I) {
        nhmex_count(o, &c->counts, LLC_VICTIMS, state_bit[STATE_I], 1);
        return way;
    }
    uint64_t snooped = snoop_others(o, c, way, NOBODY, t, NULL);
    nhmex_count(o, &c->counts, LLC_VICTIMS, state_bit[way->state], 1);
    if (way->state == STATE_M) {
        t = nhmex_put(o, &c->viq, t + snooped, o->times.c_victim)->end;
        t = nhmex_egress(o, &c->egress[BL_SB], true, t);
        t = nhmex_write_home(o, c, way->line, false, t);
        holds(o, &c->evicted, way->line, 0, t);
    }
    way->state = STATE_I;
    return way;
}

/* ---- requests of cores ---- */

enum { NACK1_VIC = 0x02, NACK1_SNP = 0x04, NACK1_AC = 0x08, NACK1_PA = 0x20, NACK1_ALL_2 = 0x80 };
enum {
    NACK2_MAF = 0x01,
    NACK2_VIQ = 0x04,
    NACK2_TRACKER = 0x08,
    NACK2_TABLE = 0x20,
    NACK2_WB = 0x40
};

static uint64_t refused(struct nhmex_oracle *o, struct cbox *c, unsigned code, unsigned why,
                        uint64_t t, uint64_t until)
{
    if (until > t)
        nhmex_count(o, &c->counts, code, why, 1);
    if (until > t && code == MAF_NACK2)
        nhmex_count(o, &c->counts, MAF_NACK1, NACK1_ALL_2, 1);
    return until;
}

/* When what holds the line at t has ended, and what then holds it. */
static uint64_t released(const struct resource *r, uint64_t line, uint64_t t)
{
    uint64_t before;

    do {
        before = t;
        for (size_t i = 0; i < r->n; i++)
            if (r->entry[i].line == line && r->entry[i].begin <= t && t < r->entry[i].end)
                t = r->entry[i].end;
    } while (t != before);
    return t;
}

/* "Refusals": what a request needs. */
struct needs {
    bool home, way;
};

static uint64_t acceptance(struct nhmex_oracle *o, struct cbox *c, uint64_t line,
                           struct needs needs, uint64_t t)
{
    struct line *way = o->measured_replacement ? first_unused(o, c, line) : victim_for(o, c, line);

    t = refused(o, c, MAF_NACK1, NACK1_VIC, t, nhmex_without(o, &c->evicted, line, t));
    t = refused(o, c, MAF_NACK1, NACK1_SNP, t, released(&c->snooped, line, t));
    t = refused(o, c, MAF_NACK2, NACK2_WB, t, released(&c->written, line, t));
    t = refused(o, c, MAF_NACK1, NACK1_PA, t, nhmex_without(o, &c->maf, line, t));
    t = refused(o, c, MAF_NACK2, NACK2_MAF, t, nhmex_room(o, &c->maf, t));
    if (needs.way && way->state != STATE_I)
        t = refused(o, c, MAF_NACK2, NACK2_VIQ, t, nhmex_room(o, &c->viq, t));
    if (!needs.home)
        return t;
    t = refused(o, c, MAF_NACK2, NACK2_TABLE, t, nhmex_room(o, nhmex_table_of(o, c), t));
    return refused(o, c, MAF_NACK2, NACK2_TRACKER, t,
                   nhmex_room(o, nhmex_credits_of(o, c, line), t));
}

/* From the core into IRQ, from t on. Returns its number there; it leaves when `end` is set. */
static size_t reach_slice(struct nhmex_oracle *o, struct cbox *c, const struct core *core,
                          uint64_t t)
{
    struct resource *rwrf = &o->package[core->package].cbox[core->number].rwrf;
    size_t waits = nhmex_put_open(o, rwrf, t);

    t = rwrf->entry[waits].begin + o->times.ring;
    size_t number = nhmex_put_open(o, &c->irq, t);
    uint64_t begin = c->irq.entry[number].begin;

    rwrf->entry[waits].end = begin - o->times.ring + 1;
    bool away = core->number / 4 != c->side;
    struct entry *on_ad = nhmex_put(o, &o->package[core->package].cbox[core->number].core_ad[away],
                                    t - o->times.ring, 1);
    on_ad->begin = begin - o->times.ring;
    on_ad->end = on_ad->begin + 1;
    nhmex_count(o, &c->counts, SINKS_P2C, 1, 1);
    if (begin > t)
        nhmex_count(o, &c->counts, BOUNCES_P2C_AD, core->number / 4 == c->side ? 1 : 2, 1);
    return number;
}

/* A request reaches its slice. Returns its number in the MAF, which it enters when it is accepted;
 * it leaves when `end` is set. */
static size_t request_in(struct nhmex_oracle *o, struct cbox *c, const struct core *core,
                         uint64_t line, struct needs needs)
{
    size_t number = reach_slice(o, c, core, nhmex_request_begins(o));
    struct entry *irq = &c->irq.entry[number];

    irq->end = acceptance(o, c, line, needs, irq->begin + o->times.c_lookup);
    size_t maf = nhmex_put_open(o, &c->maf, irq->end);
    c->maf.entry[maf].line = line;
    return maf;
}

/* The state that the core gets for a load or fetch that hits. */
static enum state hit_read(struct nhmex_oracle *o, struct line *l, unsigned core)
{
    return others(o, l, core) > 0 || l->state == STATE_S || l->state == STATE_F ? STATE_S : STATE_E;
}

static unsigned request_opcode(const struct access *x, const struct line *hit)
{
    return x->kind == BX_LOAD ? 2 : x->kind == BX_FETCH ? 1 : hit || x->whole ? 8 : 4;
}

/* A request to the home, which may meet snoops until it is done. */
static struct outcome ask_home(struct nhmex_oracle *o, struct cbox *c, unsigned opcode,
                               uint64_t line, uint64_t accepted, uint64_t t)
{
    struct outcome out =
        nhmex_to_home(o, c, opcode, line, accepted, nhmex_egress(o, &c->egress[AD_SB], false, t));

    holds(o, &c->asked, line, 0, later(out.answer, out.data));
    return out;
}

/* A miss, from egress AD_SB on. Returns when it is done. */
static uint64_t miss(struct nhmex_oracle *o, struct cbox *c, struct line *hit,
                     const struct access *x, unsigned core, uint64_t t, enum state *granted)
{
    struct outcome out = ask_home(o, c, request_opcode(x, hit), x->line, t, t);
    struct line *way = hit ? hit : make_way(o, c, x->line, t);
    uint64_t done = later(out.answer, out.data);

    /* Core events do not tell the memory of another package from the package's own. */
    core_of(o, c, core)->source = !out.data      ? ORACLE_MEMORY
                                  : out.modified ? ORACLE_PACKAGE_DIRTY
                                                 : ORACLE_PACKAGE_CLEAN;
    if (hit) {
        done += snoop_others(o, c, hit, core, done, NULL);
        hit->state = STATE_E;
    } else {
        *way = (struct line){.line = x->line};
        way->state = x->kind != BX_STORE         ? out.had ? STATE_F : STATE_E
                     : out.modified && !x->whole ? STATE_M
                                                 : STATE_E;
        use(o, c, way);
        nhmex_count(o, &c->counts, LLC_S_FILLS, state_bit[way->state], 1);
    }
    way->core[core] = true;
    *granted = x->kind == BX_STORE ? STATE_M : hit_read(o, way, core);
    return done;
}

static uint64_t hit(struct nhmex_oracle *o, struct cbox *c, struct line *l, const struct access *x,
                    unsigned core, uint64_t t, enum state *granted)
{
    struct snooped answer = {0};

    t += x->kind == BX_STORE ? snoop_others(o, c, l, core, t, &answer)
                             : snoop_to_share(o, c, l, core, t, &answer);
    core_of(o, c, core)->source = oracle_source_in_llc(answer.any, answer.had, answer.modified);
    use(o, c, l);
    l->core[core] = true;
    *granted = x->kind == BX_STORE ? STATE_M : hit_read(o, l, core);
    return t + o->times.llc_hit;
}

/* 7. */
static uint64_t answer(struct nhmex_oracle *o, struct cbox *c, bool data, bool from_outside,
                       uint64_t t)
{
    nhmex_count(o, &c->counts, SINKS_C2P, data ? 4 : 2, data ? 2 : 1);
    if (data && from_outside)
        nhmex_count(o, &c->counts, SINKS_S2P_BL, 1, 1);
    return nhmex_egress(o, &c->egress[data ? BL_NSB : AK_NSB], data, t);
}

uint64_t nhmex_request(struct nhmex_oracle *o, struct core *core, const struct access *x,
                       enum state *granted)
{
    struct cbox *c = &o->package[core->package].cbox[nhmex_slice_of(o, x->line)];
    uint64_t done;
    struct line *l = find(o, c, x->line);
    enum state found = l ? l->state : STATE_I;
    bool misses = !l || (x->kind == BX_STORE && (found == STATE_S || found == STATE_F));
    bool no_data = x->whole || (x->kind == BX_STORE && nhmex_core_has(core, x->line));

    size_t maf = request_in(o, c, core, x->line, (struct needs){misses, !l});
    uint64_t t = c->maf.entry[maf].begin;
    if (misses) {
        nhmex_count(o, &c->counts, LLC_MISSES, found == STATE_S ? 1 : found == STATE_F ? 2 : 4, 1);
        done = miss(o, c, l, x, core->number, t, granted);
    } else {
        nhmex_count(o, &c->counts, LLC_HITS, state_bit[found], 1);
        done = hit(o, c, l, x, core->number, t, granted);
    }
    c->maf.entry[maf].end = done;
    return answer(o, c, !no_data, found == STATE_I, done);
}

void nhmex_core_write_back(struct nhmex_oracle *o, struct core *core, uint64_t line)
{
    struct cbox *c = &o->package[core->package].cbox[nhmex_slice_of(o, line)];
    size_t number = reach_slice(o, c, core, o->now);
    struct entry *irq = &c->irq.entry[number];

    irq->end = irq->begin + o->times.c_lookup;
    holds(o, &c->written, line, irq->begin, irq->end);
    nhmex_count(o, &c->counts, SINKS_P2C, 4, 2);
    find(o, c, line)->state = STATE_M; /* the LLC has every line that a core has */
    if (!nhmex_core_has(core, line))
        find(o, c, line)->core[core->number] = false;
    answer(o, c, false, false, irq->end);
}

/* ---- "Uncacheable accesses" ---- */

uint64_t nhmex_uncacheable(struct nhmex_oracle *o, struct core *core, const struct access *x)
{
    struct cbox *c = &o->package[core->package].cbox[nhmex_slice_of(o, x->line)];

    if (o->packages > 4)
        return o->now; /* there is no IOH */
    size_t maf = request_in(o, c, core, x->line, (struct needs){false, false});
    uint64_t t = c->maf.entry[maf].begin;
    if (x->stores)
        nhmex_count(o, &c->counts, SINKS_P2C, 4, 2);
    t = nhmex_egress(o, &c->egress[x->stores ? BL_SB : AD_SB], x->stores, t);
    t = nhmex_to_device(o, c, x, t);
    c->maf.entry[maf].end = t;
    return answer(o, c, !x->stores, true, t);
}

/* ---- "Non-temporal stores" ---- */

uint64_t nhmex_store_past(struct nhmex_oracle *o, struct core *core, const struct access *x)
{
    struct cbox *c = &o->package[core->package].cbox[nhmex_slice_of(o, x->line)];

    if (nhmex_snoop(core, x->line, true).modified)
        nhmex_core_write_back(o, core, x->line);
    struct line *l = find(o, c, x->line);
    enum state found = l ? l->state : STATE_I;
    bool owned = found == STATE_M || found == STATE_E;
    size_t maf = request_in(o, c, core, x->line, (struct needs){!owned, false});
    uint64_t accepted = c->maf.entry[maf].begin, t = accepted;
    nhmex_count(o, &c->counts, SINKS_P2C, 4, 2);
    if (owned)
        nhmex_count(o, &c->counts, LLC_HITS, state_bit[found], 1);
    else
        nhmex_count(o, &c->counts, LLC_MISSES, found == STATE_S ? 1 : found == STATE_F ? 2 : 4, 1);
    if (l)
        t += snoop_others(o, c, l, core->number, t, NULL);
    if (!owned)
        t = ask_home(o, c, SNP_INV_ITOE, x->line, accepted, t).answer;
    if (l && l->state == STATE_M && x->partial)
        t = nhmex_write_home(o, c, x->line, false, nhmex_egress(o, &c->egress[BL_SB], true, t));
    if (l)
        l->state = STATE_I;
    if (!x->steer) /* a flush writes no more */
        t = nhmex_write_home(o, c, x->line, x->partial,
                             nhmex_egress(o, &c->egress[BL_SB], true, t));
    c->maf.entry[maf].end = t;
    return answer(o, c, false, false, t);
}

/* ---- snoops of other packages ---- */

enum state nhmex_snooped(struct nhmex_oracle *o, struct cbox *c, enum snoop snoop, uint64_t line,
                         uint64_t t, struct snoop_times *times)
{
    bool invalidate = snoop == SNP_INV_OWN || snoop == SNP_INV_ITOE;
    struct line *l = find(o, c, line);
    enum state found = STATE_I;
    struct snooped answer;

    t = nhmex_put(o, &c->ipq, t, o->times.c_lookup)->end;
    uint64_t begins = t - o->times.c_lookup, until = nhmex_without(o, &c->asked, line, t);
    nhmex_count(o, &c->counts, SNPS, invalidate ? 2 : 1, 1);
    times->conflict = until > t ? t + o->times.c_response : 0;
    if (until > t)
        nhmex_count(o, &c->counts, MAF_NACK1, NACK1_AC, 1);
    if (l) {
        t = until;
        t += invalidate ? snoop_others(o, c, l, NOBODY, t, NULL)
                        : snoop_to_share(o, c, l, NOBODY, t, &answer);
        found = l->state;
        nhmex_count(o, &c->counts, SNP_HITS, state_bit[found] << (invalidate ? 4 : 0), 1);
        if (invalidate)
            l->state = STATE_I;
        else if (snoop != SNP_CUR)
            l->state = STATE_S;
    }
    holds(o, &c->snooped, line, begins, t);
    times->done = t + o->times.c_response;
    return found;
}
