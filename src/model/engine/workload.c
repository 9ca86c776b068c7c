/* Parses the text of a workload and builds its feeds. */
#include "model/engine/access_pattern.h"

#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a workload's memory begins in its address space. All parts use the same memory. */
#define FIRST_PAGE (UINT64_C(0x100000000) >> BX_PAGE_SHIFT)
#define MEMORY     (UINT64_C(1) << (BX_FRAME_BITS + BX_PAGE_SHIFT))

enum { HUGE_PAGES = 1 << BX_HUGE_SHIFT };

struct bx_workload {
    bx_arena memory; /* of generators, prefetchers and frames */
    struct bx_generator *of[BX_AGENTS];
    uint32_t *frame; /* of each page */
    uint64_t pages;
    struct bx_page_tables *tables; /* for page walks; NULL: without TLBs */
    bx_retired_table *retired;     /* what TLBs count */
    bx_tlb_retired retired_as;
};

/* One part of a workload's text. */
struct part {
    bx_str text;
    enum bx_pattern_kind pattern;
    uint64_t key[BX_KEYS];
    unsigned given; /* mask of the keys in the text */
};

enum { PARTS = BX_AGENTS };

struct plan {
    bx_str spec;
    struct part part[PARTS];
    unsigned parts;
    unsigned cores; /* taken by the parts so far */
    unsigned machine_cores;
    uint64_t line_bytes; /* of the machine */
    uint64_t reach;      /* bytes of memory */
};

/* ---- names ---- */

static const char *const key_names[BX_KEYS] = {
    [BX_KEY_SIZE] = "size",     [BX_KEY_STRIDE] = "stride",         [BX_KEY_CORES] = "cores",
    [BX_KEY_PASSES] = "passes", [BX_KEY_ITERATIONS] = "iterations", [BX_KEY_WRITE] = "write",
    [BX_KEY_STEP] = "step",     [BX_KEY_PERIOD] = "period",         [BX_KEY_AT] = "at",
    [BX_KEY_HOLD] = "hold",     [BX_KEY_PAUSE] = "pause",           [BX_KEY_STATE] = "state",
    [BX_KEY_ORDER] = "order",   [BX_KEY_SPLIT] = "split",           [BX_KEY_READ] = "read",
    [BX_KEY_SEED] = "seed",     [BX_KEY_PATTERN] = "pattern",
};

/* As a value of `stride` and `step`: a line of the machine. */
static const char LINE[] = "line";

static const char *const state_names[BX_PATTERN_STATES] = {"M", "E", "S"};
static const char *const order_names[BX_PATTERN_ORDERS] = {"random", "up", "down", "page"};
static const char *const outcome_names[BX_PATTERN_OUTCOMES] = {
    "alternating", "seven", "loop", "random", "jumps", "calls", "recursion", "changed"};

/* The values of a key whose values are words; NULL: they are numbers. */
static const char *const *value_words(unsigned key, unsigned *n)
{
    switch (key) {
    case BX_KEY_STATE:
        *n = BX_PATTERN_STATES;
        return state_names;
    case BX_KEY_ORDER:
        *n = BX_PATTERN_ORDERS;
        return order_names;
    case BX_KEY_PATTERN:
        *n = BX_PATTERN_OUTCOMES;
        return outcome_names;
    default:
        return NULL;
    }
}

const char *bx_workload_name(size_t i)
{
    return i < BX_PATTERNS ? bx_patterns[i].name : NULL;
}

const char *bx_workload_title(size_t i)
{
    return i < BX_PATTERNS ? bx_patterns[i].title : NULL;
}

/* Prints a value as a user writes it: with K, M or G where that is exact. */
static int print_value(char *to, size_t room, unsigned key, uint64_t n)
{
    static const char unit[] = {'G', 'M', 'K'};

    unsigned words;
    const char *const *word = value_words(key, &words);
    if (word)
        return snprintf(to, room, "%s", word[n]);
    for (unsigned i = 0; i < sizeof unit; i++) {
        unsigned shift = 30 - 10 * i;
        if (n && n % (UINT64_C(1) << shift) == 0)
            return snprintf(to, room, "%llu%c", (unsigned long long)(n >> shift), unit[i]);
    }
    return snprintf(to, room, "%llu", (unsigned long long)n);
}

size_t bx_workload_keys(size_t i, char *to, size_t room)
{
    room = to ? room : 0;
    size_t n = 0;

    for (unsigned k = 0; i < BX_PATTERNS && k < BX_KEYS; k++) {
        const struct bx_workload_key_range *range = &bx_patterns[i].key[k];
        char number[24];
        if (!range->hi)
            continue;
        if (range->by_line)
            memcpy(number, LINE, sizeof LINE);
        else
            print_value(number, sizeof number, k, range->default_value);
        n += (size_t)snprintf(n < room ? to + n : NULL, n < room ? room - n : 0, "%s%s=%s",
                              n ? "," : "", key_names[k], number);
    }
    return n;
}

/* ---- the text ---- */

static size_t offset_in_spec(const struct plan *plan, bx_str s)
{
    return (size_t)(s.p - plan->spec.p);
}

static int unknown_pattern(const struct plan *plan, bx_str name, bx_error *e)
{
    bx_nearest nearest = bx_nearest_to(name);

    size_t n = 0;
    char all[BX_PATTERNS * 20];

    for (size_t i = 0; i < BX_PATTERNS; i++) {
        bx_nearest_offer(&nearest, bx_patterns[i].name);
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", bx_patterns[i].name);
    }
    int code = name.n ? BX_NOT_FOUND : BX_BAD_INPUT;
    if (name.n)
        bx_fail(e, code, offset_in_spec(plan, name), name.n, "there is no workload '%.*s'",
                (int)name.n, name.p);
    else
        bx_fail(e, code, offset_in_spec(plan, name), 0, "a workload's name is missing");
    bx_hint(e, "workloads are %s", all);
    bx_nearest_hint(e, &nearest);
    return code;
}

static int find_pattern(const struct plan *plan, struct part *part, bx_str name, bx_error *e)
{
    for (unsigned i = 0; i < BX_PATTERNS; i++) {
        if (!bx_str_eq_fold(name, bx_str_of(bx_patterns[i].name)))
            continue;
        part->pattern = (enum bx_pattern_kind)i;
        for (unsigned k = 0; k < BX_KEYS; k++)
            part->key[k] = bx_patterns[i].key[k].by_line ? plan->line_bytes
                                                         : bx_patterns[i].key[k].default_value;
        return BX_OK;
    }
    return unknown_pattern(plan, name, e);
}

static int find_key(const struct plan *plan, const struct part *part, bx_str name, unsigned *key,
                    bx_error *e)
{
    const struct bx_pattern *pattern = &bx_patterns[part->pattern];
    bx_nearest nearest = bx_nearest_to(name);

    for (unsigned k = 0; k < BX_KEYS; k++) {
        if (!pattern->key[k].hi)
            continue;
        if (bx_str_eq_fold(name, bx_str_of(key_names[k]))) {
            *key = k;
            return BX_OK;
        }
        bx_nearest_offer(&nearest, key_names[k]);
    }
    char all[200];
    bx_workload_keys(part->pattern, all, sizeof all);
    bx_fail(e, BX_NOT_FOUND, offset_in_spec(plan, name), name.n, "workload '%s' has no key '%.*s'",
            pattern->name, (int)name.n, name.p);
    bx_hint(e, "its keys and their presets are %s", all);
    bx_nearest_hint(e, &nearest);
    return BX_NOT_FOUND;
}

static uint64_t highest(const struct plan *plan, const struct part *part, unsigned key)
{
    const struct bx_workload_key_range *range = &bx_patterns[part->pattern].key[key];
    return range->by_line && key != BX_KEY_STRIDE ? plan->line_bytes : range->hi;
}

static int out_of_range(const struct plan *plan, const struct part *part, unsigned key,
                        bx_str value, bx_error *e)
{
    const struct bx_workload_key_range *range = &bx_patterns[part->pattern].key[key];
    char lo[24], hi[24], all[100];
    size_t n = 0;

    print_value(lo, sizeof lo, key, range->lo);
    print_value(hi, sizeof hi, key, highest(plan, part, key));
    bx_fail(e, BX_BAD_INPUT, offset_in_spec(plan, value), value.n,
            "key '%s' of workload '%s' cannot be '%.*s'", key_names[key],
            bx_patterns[part->pattern].name, (int)value.n, value.p);
    unsigned words;
    const char *const *word = value_words(key, &words);
    if (word)
        for (unsigned i = 0; i < words; i++)
            n += (size_t)snprintf(all + n, sizeof all - n, "%s%s",
                                  !i              ? ""
                                  : i + 1 < words ? ", "
                                                  : " or ",
                                  word[i]);
    if (word)
        bx_hint(e, "%s", all);
    else if (!bx_hint_at_size(e, value))
        bx_hint(e, "%s to %s", lo, hi);
    return BX_BAD_INPUT;
}

static bool parse_value(const struct plan *plan, unsigned key, bx_str value, uint64_t *n)
{
    *n = plan->line_bytes;
    if ((key == BX_KEY_STRIDE || key == BX_KEY_STEP || key == BX_KEY_READ) &&
        bx_str_eq_fold(value, bx_str_of(LINE)))
        return true;
    unsigned words;
    const char *const *word = value_words(key, &words);
    if (!word)
        return bx_str_size(value, n);
    for (*n = 0; *n < words; ++*n)
        if (bx_str_eq_fold(value, bx_str_of(word[*n])))
            return true;
    return false;
}

static int parse_key(const struct plan *plan, struct part *part, bx_str item, bx_error *e)
{
    bx_str value = item, name = bx_str_cut(&value, '=');
    unsigned key;
    uint64_t n;

    if (!item.n) /* the span is that of the comma */
        return bx_fail(e, BX_BAD_INPUT, offset_in_spec(plan, item) - 1, 1,
                       "nothing follows the comma");
    int code = find_key(plan, part, name, &key, e);
    if (code != BX_OK)
        return code;
    if (!value.p || !value.n) {
        bx_fail(e, BX_BAD_INPUT, offset_in_spec(plan, item), item.n, "key '%s' has no value",
                key_names[key]);
        bx_hint(e, "%s=NUMBER", key_names[key]);
        return BX_BAD_INPUT;
    }
    if (part->given >> key & 1)
        return bx_fail(e, BX_BAD_INPUT, offset_in_spec(plan, item), item.n,
                       "key '%s' is given twice", key_names[key]);
    if (!parse_value(plan, key, value, &n) || n < bx_patterns[part->pattern].key[key].lo ||
        n > highest(plan, part, key))
        return out_of_range(plan, part, key, value, e);
    part->key[key] = n;
    part->given |= 1u << key;
    return BX_OK;
}

static int parse_part(const struct plan *plan, struct part *part, bx_error *e)
{
    bx_str rest = part->text;
    int code = find_pattern(plan, part, bx_str_trim(bx_str_cut(&rest, ',')), e);

    while (code == BX_OK && rest.p)
        code = parse_key(plan, part, bx_str_trim(bx_str_cut(&rest, ',')), e);
    return code;
}

/* ---- checks between parts, and against the machine ---- */

static int check_stride(const struct plan *plan, const struct part *part, bx_error *e)
{
    if (part->key[BX_KEY_STRIDE] <= part->key[BX_KEY_SIZE])
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, offset_in_spec(plan, part->text), part->text.n,
            "a stride of %llu is larger than the size of %llu",
            (unsigned long long)part->key[BX_KEY_STRIDE],
            (unsigned long long)part->key[BX_KEY_SIZE]);
    bx_hint(e, "give a larger size");
    return BX_BAD_INPUT;
}

static int check_state(const struct plan *plan, const struct part *part, bx_error *e)
{
    if (part->key[BX_KEY_STATE] != BX_PATTERN_S || part->key[BX_KEY_CORES] > 2)
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, offset_in_spec(plan, part->text), part->text.n,
            "state=S takes two cores that hold the lines and one that loads them");
    bx_hint(e, "cores=3");
    return BX_BAD_INPUT;
}

static int check_memory(struct plan *plan, const struct part *part, bx_error *e)
{
    uint64_t reach = bx_pattern_extent(&bx_patterns[part->pattern], part->key);

    if (reach > plan->reach)
        plan->reach = reach;
    if (reach <= MEMORY)
        return BX_OK;
    bx_fail(e, BX_NO_FIT, offset_in_spec(plan, part->text), part->text.n,
            "workload '%s' needs %llu bytes of memory, the machine has %llu",
            bx_patterns[part->pattern].name, (unsigned long long)reach, (unsigned long long)MEMORY);
    bx_hint(e, "give a smaller size or at");
    return BX_NO_FIT;
}

static int check_cores(struct plan *plan, const struct part *part, unsigned cores, bx_error *e)
{
    unsigned cores_needed = (unsigned)part->key[BX_KEY_CORES];

    unsigned used = plan->cores;
    char by_others[48] = "";

    plan->cores += cores_needed;
    if (plan->cores <= cores)
        return BX_OK;
    if (used)
        snprintf(by_others, sizeof by_others, " and uses %u for workloads before it", used);
    bx_fail(e, BX_NO_FIT, offset_in_spec(plan, part->text), part->text.n,
            "workload '%s' needs %u core%s, the machine has %u%s", bx_patterns[part->pattern].name,
            cores_needed, cores_needed == 1 ? "" : "s", cores, by_others);
    bx_hint(e, "a machine with %u cores has room: each workload uses cores of its own",
            plan->cores);
    return BX_NO_FIT;
}

/* GT and IO can execute only one workload at a time. */
static int check_device(const struct plan *plan, const struct part *part, bx_error *e)
{
    enum bx_pattern_agent agent = bx_patterns[part->pattern].agent;

    for (const struct part *other = plan->part; other < part; other++)
        if (agent != BX_PATTERN_CORES && bx_patterns[other->pattern].agent == agent)
            return bx_fail(e, BX_NO_FIT, offset_in_spec(plan, part->text), part->text.n,
                           "two workloads '%s' at once", bx_patterns[part->pattern].name);
    return BX_OK;
}

static int parse(struct plan *plan, unsigned cores, bx_error *e)
{
    bx_str rest = plan->spec;
    int code = BX_OK;

    while (code == BX_OK && rest.p) {
        struct part *part = &plan->part[plan->parts];
        part->text = bx_str_cut(&rest, '+');
        if (plan->parts == PARTS)
            return bx_fail(e, BX_NO_FIT, offset_in_spec(plan, part->text), part->text.n,
                           "too many workloads at once");
        if ((code = parse_part(plan, part, e)) == BX_OK &&
            (code = check_stride(plan, part, e)) == BX_OK &&
            (code = check_state(plan, part, e)) == BX_OK &&
            (code = check_memory(plan, part, e)) == BX_OK &&
            (code = check_cores(plan, part, cores, e)) == BX_OK)
            code = check_device(plan, part, e);
        plan->parts++;
    }
    return code;
}

/* ---- the feeds ---- */

/* The core of the part that touches the byte first; -1: none does. Where each core has a share of
 * the arrays, it is that core. Elsewhere it is the part's first core. */
static int toucher(const struct part *part, uint64_t at)
{
    const uint64_t page = UINT64_C(1) << BX_PAGE_SHIFT, *key = part->key;
    const struct bx_pattern *pattern = &bx_patterns[part->pattern];
    uint64_t array = (key[BX_KEY_SIZE] + page - 1) / page * page, rank = 0;

    if (at < key[BX_KEY_AT] || at >= bx_pattern_extent(pattern, key))
        return -1;
    if (pattern->shares) {
        uint64_t elements = key[BX_KEY_SIZE] / key[BX_KEY_STRIDE], cores = key[BX_KEY_CORES];
        uint64_t element = (at - key[BX_KEY_AT]) % array / key[BX_KEY_STRIDE];
        while (rank + 1 < cores && elements * (rank + 1) / cores <= element)
            rank++;
    }
    return (int)rank;
}

/* The node of a page's first toucher, in the first part that touches it. */
static unsigned node_of(const struct plan *plan, uint64_t page, unsigned cores_of_node)
{
    unsigned first = 0;

    for (unsigned i = 0; i < plan->parts; i++) {
        const struct part *part = &plan->part[i];
        bool on_cores = bx_patterns[part->pattern].agent == BX_PATTERN_CORES;
        int rank = toucher(part, page << BX_PAGE_SHIFT);
        if (rank >= 0)
            return on_cores ? (first + (unsigned)rank) / cores_of_node : 0;
        first += on_cores ? (unsigned)part->key[BX_KEY_CORES] : 0;
    }
    return 0;
}

/* The memory begins with a huge page. The frames within a huge page are consecutive. */
static uint32_t frame_of(struct bx_frames *frames, const struct plan *plan, uint64_t page,
                         uint32_t before)
{
    unsigned nodes = bx_frames_nodes(frames);
    unsigned node = nodes > 1 ? node_of(plan, page, plan->machine_cores / nodes) : 0;

    if (!bx_frames_are_huge(frames))
        return (uint32_t)bx_frames_take(frames, BX_FRAME_OF_PAGE, node);
    return page % HUGE_PAGES ? before + 1
                             : (uint32_t)bx_frames_take(frames, BX_FRAME_OF_HUGE, node);
}

static bool touch_memory(struct bx_workload *w, const struct plan *plan, struct bx_frames *frames)
{
    const uint64_t page_bytes = UINT64_C(1) << BX_PAGE_SHIFT;
    uint64_t pages = (plan->reach + page_bytes - 1) / page_bytes;

    w->pages = pages;
    w->frame = bx_arena_get(&w->memory, (pages + 1) * sizeof *w->frame); /* maybe no pages */
    for (uint64_t page = 0; w->frame && page < pages; page++)
        w->frame[page] = frame_of(frames, plan, page, page % HUGE_PAGES ? w->frame[page - 1] : 0);
    return w->frame && !bx_frames_out_of_memory(frames);
}

static bool has_rows(struct bx_workload *w)
{
    if (!w->retired)
        w->retired = bx_retired_table_new();
    return w->retired;
}

/* Until bx_workload_execute() the core has no predictor. */
static bool add_instructions(struct bx_workload *w, struct bx_generator *g)
{
    struct bx_generator_instructions *i = bx_arena_get(&w->memory, sizeof *i);

    if (!i || !has_rows(w))
        return false;
    g->instructions = i;
    g->feed.retired = i->rows = w->retired;
    g->feed.each_retires = false;
    return true;
}

static bool add_generator(struct bx_workload *w, const struct part *part, unsigned line_shift,
                          unsigned agent, unsigned rank)
{
    struct bx_generator *g = bx_arena_get(&w->memory, sizeof *g);

    w->of[agent] = g;
    if (!g)
        return false;
    g->pattern = part->pattern;
    g->rank = rank;
    g->line_shift = line_shift;
    g->frame = w->frame;
    g->first_page = FIRST_PAGE;
    memcpy(g->key, part->key, sizeof g->key);
    bx_generator_start(g, &bx_patterns[part->pattern]);
    bool instructions =
        part->pattern == BX_PATTERN_INSTRUCTIONS || part->pattern == BX_PATTERN_BRANCHES;
    return !instructions || add_instructions(w, g);
}

static bool add_part(struct bx_workload *w, const struct part *part, unsigned line_shift,
                     unsigned *core)
{
    switch (bx_patterns[part->pattern].agent) {
    case BX_PATTERN_GT:
        return add_generator(w, part, line_shift, BX_AGENT_GT, 0);
    case BX_PATTERN_IO:
        return add_generator(w, part, line_shift, BX_AGENT_IO, 0);
    default:
        for (unsigned rank = 0; rank < part->key[BX_KEY_CORES]; rank++)
            if (!add_generator(w, part, line_shift, (*core)++, rank))
                return false;
        return true;
    }
}

static bool build(struct bx_workload *w, const struct plan *plan, struct bx_frames *frames)
{
    unsigned core = 0;

    if (!touch_memory(w, plan, frames))
        return false;
    for (unsigned i = 0; i < plan->parts; i++)
        if (!add_part(w, &plan->part[i], bx_frames_line_shift(frames), &core))
            return false;
    return true;
}

int bx_workload_new(const char *spec, size_t len, unsigned cores, struct bx_frames *frames,
                    struct bx_workload **w, bx_error *e)
{
    struct plan plan = {.spec = {spec, len},
                        .machine_cores = cores,
                        .line_bytes = UINT64_C(1) << bx_frames_line_shift(frames)};
    int code = parse(&plan, cores, e);

    if (code == BX_OK && plan.parts == 0)
        code = bx_fail(e, BX_BAD_INPUT, 0, 0, "no workload is named");
    if (code != BX_OK)
        return code;
    struct bx_workload *made = calloc(1, sizeof *made);
    if (!made || !build(made, &plan, frames)) {
        bx_workload_free(made);
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory for a workload");
    }
    *w = made;
    return BX_OK;
}

static bool add_tlb(const struct bx_workload *w, struct bx_generator *g,
                    const bx_tlb_geometry *geometry, enum bx_page_size size)
{
    g->tlb = bx_tlb_new(geometry);
    g->tables = w->tables;
    g->page_size = size;
    g->retired = &w->retired_as;
    g->feed.retired = w->retired;
    g->feed.retired_n = bx_retired_table_n(w->retired);
    return g->tlb;
}

bool bx_workload_translate(struct bx_workload *w, const bx_tlb_geometry *g,
                           struct bx_frames *frames)
{
    enum bx_page_size size = bx_frames_are_huge(frames) ? BX_PAGE_2M : BX_PAGE_4K;

    w->tables = bx_page_tables_new(frames);
    if (!w->tables || !has_rows(w) || !bx_tlb_number_retired(&w->retired_as, g, w->retired))
        return false;
    for (unsigned i = 0; i < BX_AGENT_GT; i++)
        if (w->of[i] && !add_tlb(w, w->of[i], g, size))
            return false;
    for (uint64_t page = 0; page < w->pages; page++) {
        bx_page_tables_set_node(w->tables, bx_frames_node_of(frames, w->frame[page]));
        bx_page_tables_make(w->tables, FIRST_PAGE + page, size == BX_PAGE_2M ? BX_PDE : BX_PTE);
    }
    return !bx_page_tables_out_of_memory(w->tables);
}

const bx_tlb_counts *bx_workload_translations(const struct bx_workload *w, unsigned core)
{
    return core < BX_AGENT_GT && w->of[core] && w->of[core]->tlb ? &w->of[core]->tlb->counts : NULL;
}

unsigned bx_workload_device_accesses(const struct bx_workload *w)
{
    unsigned set = 0;

    for (unsigned i = 0; i < BX_AGENTS; i++)
        if (w->of[i] && w->of[i]->pattern == BX_PATTERN_MMIO)
            set |= BX_DEVICE_REGISTERS;
        else if (w->of[i] && w->of[i]->pattern == BX_PATTERN_PORTS)
            set |= BX_DEVICE_PORTS;
    return set;
}

bool bx_workload_prefetch(struct bx_workload *w)
{
    bool fine = true;

    for (unsigned i = 0; i < BX_AGENTS; i++)
        if (w->of[i] && bx_patterns[w->of[i]->pattern].agent == BX_PATTERN_CORES)
            fine &= bx_generator_prefetch(w->of[i], &w->memory);
    return fine;
}

static bool add_predictor(struct bx_generator_instructions *i, const bx_predictor_sizes *sizes)
{
    if (sizes->kind != BX_PREDICTOR_NONE)
        i->predictor = bx_branch_predictor_new(sizes);
    return i->predictor || sizes->kind == BX_PREDICTOR_NONE;
}

bool bx_workload_execute(struct bx_workload *w, const bx_core_time *core, bool remarks)
{
    bool fine = true;

    for (unsigned n = 0; n < BX_AGENTS && fine; n++) {
        struct bx_generator_instructions *i = w->of[n] ? w->of[n]->instructions : NULL;
        if (w->of[n])
            w->of[n]->remarks = remarks;
        if (!i)
            continue;
        i->remarks = remarks;
        i->locked = bx_core_time_whole(core, core->locked);
        i->refill = bx_core_time_whole(core, core->mispredict);
        fine = w->of[n]->pattern != BX_PATTERN_BRANCHES || add_predictor(i, &core->predictor);
    }
    return fine;
}

static void free_generator(struct bx_generator *g)
{
    bx_tlb_free(g->tlb);
    if (g->instructions)
        bx_branch_predictor_free(g->instructions->predictor);
}

void bx_workload_free(struct bx_workload *w)
{
    if (!w)
        return;
    for (unsigned i = 0; i < BX_AGENTS; i++)
        if (w->of[i])
            free_generator(w->of[i]);
    bx_page_tables_free(w->tables);
    bx_retired_table_free(w->retired);
    bx_arena_free(&w->memory);
    free(w);
}

void bx_workload_time(struct bx_workload *w, const bx_core_time *core)
{
    for (unsigned i = 0; i < BX_AGENTS; i++) {
        if (!w->of[i])
            continue;
        w->of[i]->l1 = bx_core_time_ratio(core, core->l1, 1);
        w->of[i]->locks_bus = core->locks_bus;
    }
}

bx_feed *bx_workload_feed(struct bx_workload *w, unsigned agent)
{
    return agent < BX_AGENTS && w->of[agent] ? &w->of[agent]->feed : NULL;
}
