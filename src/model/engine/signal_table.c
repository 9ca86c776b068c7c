/* Resolves selections by tables of rows, and reads counts and gauges. */
#include "model/engine/signal_table.h"

#include "model/part/gauge.h"
#include "model/engine/kind.h"
#include "model/engine/tally_walk.h"

/* ---- comparisons ---- */

/* The bits of a word that matching rows know. */
struct known {
    uint64_t umask, filter[BX_FILTERS];
};

static uint64_t word_of(const bx_selection *sel, unsigned word)
{
    if (word >= BX_OF_APPLIES)
        return sel->applies[word - BX_OF_APPLIES];
    if (word >= BX_OF_FILTER)
        return sel->filter[word - BX_OF_FILTER] & sel->applies[word - BX_OF_FILTER];
    return sel->umask;
}

static bool compare(const struct bx_when *w, const bx_selection *sel)
{
    uint64_t word = word_of(sel, w->word);

    return (word & w->care) == w->value && (!w->some || word & w->some);
}

static uint64_t bits_of(const struct bx_when *w)
{
    return w->care | w->each | w->number | w->free;
}

/* Narrows *set to the tallies that the comparison selects, if it selects any by itself. */
static void narrow(const struct bx_when *w, const bx_selection *sel, uint64_t *set)
{
    uint64_t word = word_of(sel, w->word);

    if (w->each)
        *set &= (word & w->each) >> __builtin_ctzll(w->each);
    if (w->number)
        *set &= UINT64_C(1) << (((word & w->number) >> __builtin_ctzll(w->number)) & 63);
}

static uint64_t all_or(uint64_t set)
{
    return set ? set : UINT64_MAX;
}

static unsigned needs_of(const struct bx_row *row)
{
    return row->needs | (row->of ? row->of->needs : 0u);
}

static bool row_matches(const struct bx_box_signals *box, const struct bx_row *row,
                        const bx_selection *sel, unsigned has)
{
    unsigned code = sel->code;

    if (box->by_counter)
        code = code <= UINT8_MAX ? (unsigned)sel->counter << 8 | code : BX_ANY_CODE;
    return (row->code == code || row->code == BX_ANY_CODE) && row->threshold == sel->threshold &&
           !(needs_of(row) & ~has) && compare(&row->when, sel);
}

static bool is_exact(const struct bx_row *row)
{
    return row->when.care == UINT64_MAX;
}

/* ---- terms ---- */

/* Rotates a set of packages that counts from the selection's own. */
static uint64_t from_own(uint64_t set, unsigned own, unsigned n)
{
    uint64_t all = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;

    set &= all;
    return own ? (set << own | set >> (n - own)) & all : set;
}

static bool choice_matches(const struct bx_choice *c, const bx_selection *sel)
{
    return compare(&c->when[0], sel) && compare(&c->when[1], sel);
}

static void learn(const struct bx_when *w, bool matches, struct known *known)
{
    if (w->word == BX_OF_UMASK && matches)
        known->umask |= bits_of(w);
    if (w->word >= BX_OF_FILTER && w->word < BX_OF_APPLIES)
        known->filter[w->word - BX_OF_FILTER] |= bits_of(w) | w->some;
}

/* Unites the sets of a row's choices, axis by axis. Axes narrowed again follow the axes. */
static void choose(const struct bx_row *row, const bx_selection *sel, uint64_t chosen[2 * BX_AXES],
                   struct known *known)
{
    bool has_choices[2 * BX_AXES] = {false};

    for (unsigned i = 0; i < row->choices; i++) {
        const struct bx_choice *c = &row->choice[i];
        bool matches = choice_matches(c, sel);
        learn(&c->when[0], matches, known);
        learn(&c->when[1], matches, known);
        if (c->axis == BX_NO_AXIS)
            continue;
        uint64_t set = all_or(c->set);
        narrow(&c->when[0], sel, &set);
        narrow(&c->when[1], sel, &set);
        if (c->from_own && row->of)
            set = from_own(set, sel->package, row->of->axis[c->axis & (BX_AXES - 1)].n);
        if (!has_choices[c->axis])
            chosen[c->axis] = 0;
        has_choices[c->axis] = true;
        chosen[c->axis] |= matches ? set : 0;
    }
}

static char *place_of(bx_model *m, const struct bx_place *p, const bx_selection *sel)
{
    return (char *)m + p->at + (size_t)p->package * sel->package + (size_t)p->unit * sel->unit +
           (size_t)p->port * sel->port;
}

static struct bx_term term_of(const struct bx_row *row, bx_model *m, const bx_selection *sel,
                              const uint64_t chosen[2 * BX_AXES])
{
    struct bx_term t = {.of = row->of, .minus = row->minus, .what = row->what};

    t.at = place_of(m, &row->of->place, sel);
    for (unsigned k = 0; k < BX_AXES; k++) {
        unsigned n = row->of->axis[k].n ? row->of->axis[k].n : 1;
        uint64_t all = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
        t.set[k] = chosen[k] & chosen[BX_AXES + k] & all;
    }
    if (row->of->by_level)
        t.set[row->of->by_level] &= sel->levels;
    t.set[0] &= all_or(row->set);
    narrow(&row->when, sel, &t.set[0]);
    if (row->what == BX_WHAT_LANES) /* the number of such a sum has the set of lanes */
        t.what = BX_GAUGE_LANES + (unsigned)t.set[0];
    return t;
}

/* Adds a term. If it differs from another one along the first axis only, they become one. */
static void add_term(struct bx_signal *signal, const struct bx_term *t)
{
    for (unsigned i = 0; i < signal->terms; i++) {
        struct bx_term *other = &signal->term[i];
        if (other->of != t->of || other->what != t->what)
            continue;
        other->set[0] |= t->set[0];
        other->minus |= t->minus;
        return;
    }
    if (signal->terms < BX_TERMS)
        signal->term[signal->terms++] = *t;
}

static void add_row(struct bx_signal *signal, const struct bx_row *row, bx_model *m,
                    const bx_selection *sel, struct known *known)
{
    uint64_t chosen[2 * BX_AXES];

    for (unsigned k = 0; k < 2 * BX_AXES; k++)
        chosen[k] = UINT64_MAX;
    learn(&row->when, true, known);
    for (unsigned k = 0; k < sizeof row->honours / sizeof *row->honours; k++)
        known->filter[k] |= row->honours[k];
    choose(row, sel, chosen, known);
    signal->compared = row->threshold;
    if (!row->of)
        return;
    struct bx_term t = term_of(row, m, sel, chosen);
    signal->reader = row->of->reader;
    if (row->of->changes.at)
        signal->changes = (const uint64_t *)(const void *)place_of(m, &row->of->changes, sel);
    signal->of_remarks |= ((t.set[0] | t.minus) & row->of->of_remarks) != 0;
    signal->no_levels |= ((t.set[0] | t.minus) & row->of->no_levels) != 0;
    add_term(signal, &t);
}

/* ---- runs ---- */

static void append_tally(struct bx_signal *signal, char *at, uint32_t n, uint32_t step)
{
    struct bx_run *last = signal->runs ? &signal->run[signal->runs - 1] : NULL;

    if (signal->runs > BX_RUNS)
        return;
    if (last && at == last->at + (size_t)last->n * last->step && (n == 1 || step == last->step))
        last->n += n;
    else if (signal->runs++ < BX_RUNS)
        signal->run[signal->runs - 1] = (struct bx_run){at, n, step};
}

/* Appends the tallies of a term, from this axis on. */
static void append_term(struct bx_signal *signal, const struct bx_term *t, char *at, unsigned axis)
{
    bool is_last = axis + 1 == BX_AXES || !t->of->axis[axis + 1].n;
    uint32_t stride = t->of->axis[axis].stride;
    uint64_t set = stride ? t->set[axis] : t->set[axis] != 0;

    while (set) {
        unsigned first = (unsigned)__builtin_ctzll(set);
        uint64_t above = ~(set >> first);
        unsigned n = above ? (unsigned)__builtin_ctzll(above) : 64;
        n = is_last ? n : 1;
        if (is_last)
            append_tally(signal, at + (size_t)first * stride, n, stride);
        else
            append_term(signal, t, at + (size_t)first * stride, axis + 1);
        set &= n == 64 ? 0 : ~(((UINT64_C(1) << n) - 1) << first);
    }
}

/* ---- selections ---- */

static bool has_level(const struct bx_box_signals *box, const struct bx_signal *signal)
{
    uint64_t at_level_0 = 0;

    for (unsigned i = 0; i < signal->terms; i++)
        at_level_0 |= signal->term[i].set[0] & signal->term[i].of->at_level_0;
    return !box->of_user || signal->selection.levels != BX_LEVEL_OS || at_level_0;
}

static bool is_known(const bx_selection *sel, const struct known *known)
{
    uint64_t unknown = sel->umask & ~known->umask;

    for (unsigned k = 0; k < BX_FILTERS; k++)
        unknown |= sel->filter[k] & sel->applies[k] & ~known->filter[k];
    return !unknown;
}

/* Adds the rows that match: those of this unit mask alone, or the others. Returns their number. */
static unsigned add_rows(const struct bx_box_signals *box, bool exact, unsigned has, bx_model *m,
                         struct bx_signal *signal, struct known *known)
{
    unsigned rows = 0;

    for (unsigned p = 0; p < BX_BOX_PARTS; p++)
        for (size_t i = 0; i < box->part[p].n; i++) {
            const struct bx_row *row = &box->part[p].row[i];
            if (is_exact(row) != exact || !row_matches(box, row, &signal->selection, has))
                continue;
            add_row(signal, row, m, &signal->selection, known);
            rows++;
        }
    return rows;
}

bool bx_signal_resolve(const struct bx_box_signals *box, bx_model *m, const bx_selection *sel,
                       unsigned index, unsigned has, struct bx_signal *signal)
{
    struct known known = {0};

    *signal = (struct bx_signal){.reader = &bx_read_counts, .index = index, .selection = *sel};
    if (!add_rows(box, true, has, m, signal, &known) &&
        !add_rows(box, false, has, m, signal, &known))
        return false;
    if (!signal->terms)
        signal->reader = &bx_read_counts;
    for (unsigned i = 0; i < signal->terms; i++)
        append_term(signal, &signal->term[i], signal->term[i].at, 0);
    return is_known(sel, &known) && has_level(box, signal);
}

/* ---- counts ---- */

static uint64_t read_count(void *tally, unsigned what, uint64_t now)
{
    (void)what;
    (void)now;
    return *(const uint64_t *)tally;
}

BX_READ_TALLIES(sum_of_counts, read_count)

const struct bx_reader bx_read_counts = {.sum = sum_of_counts};

/* ---- gauges ---- */

static uint64_t read_sum(void *tally, unsigned what, uint64_t now)
{
    return bx_gauge_sum(tally, (enum bx_gauge_sum)what, now);
}

static uint64_t read_level(void *tally, unsigned what, uint64_t now)
{
    return bx_gauge_level(tally, (enum bx_gauge_sum)what, now);
}

BX_READ_TALLIES(sum_of_gauges, read_sum)
BX_READ_TALLIES(level_of_gauges, read_level)

/* No signal has more gauges than runs. */
static uint64_t next_of_gauges(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    uint64_t next = BX_NEVER;

    (void)m;
    for (unsigned r = 0; r < signal->runs; r++)
        for (unsigned i = 0; i < signal->run[r].n; i++) {
            void *gauge = signal->run[r].at + (size_t)i * signal->run[r].step;
            uint64_t change = bx_gauge_next(gauge, now);
            next = change < next ? change : next;
        }
    return next;
}

static const char *phrase_of_gauges(unsigned what)
{
    static const char *const phrases[] = {
        [BX_GAUGE_ENTRIES] = "entries in every cycle of ",
        [BX_GAUGE_NOT_EMPTY] = "cycles with an entry of ",
        [BX_GAUGE_FULL] = "cycles in which there is no room for ",
        [BX_GAUGE_MARKED] = "cycles with many of ",
        [BX_GAUGE_EMPTIED] = "times that there is no more of ",
        [BX_GAUGE_FILLED] = "times that there is no more room for ",
        [BX_GAUGE_MARK_CROSSED] = "times that there are many or no longer many of ",
        [BX_GAUGE_EMPTY] = "cycles without ",
        [BX_GAUGE_UNMARKED] = "cycles without many of ",
    };

    return what >= BX_GAUGE_LANES ? phrases[BX_GAUGE_NOT_EMPTY] : phrases[what];
}

const struct bx_reader bx_read_gauges = {sum_of_gauges, level_of_gauges, next_of_gauges,
                                         phrase_of_gauges};

/* ---- the clock ---- */

static uint64_t sum_of_clock(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    (void)m;
    (void)signal;
    return now;
}

static uint64_t level_of_clock(bx_model *m, const struct bx_signal *signal, uint64_t now)
{
    (void)m;
    (void)signal;
    (void)now;
    return 1;
}

static const struct bx_reader read_clock = {.sum = sum_of_clock, .level = level_of_clock};

const struct bx_tallies bx_every_cycle = {"every cycle", &read_clock};

/* ---- words ---- */

static bool is_all(uint64_t set, unsigned n)
{
    return set == (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX);
}

static void describe_set(uint64_t set, const struct bx_axis *axis, bx_buf *to)
{
    for (uint64_t left = set; left; left &= left - 1)
        bx_buf_f(to, "%s%s", left == set ? "" : ", ", axis->names[__builtin_ctzll(left)]);
}

/* Some set is empty. */
static bool adds_nothing(const struct bx_term *t)
{
    bool nothing = false;

    for (unsigned k = 0; k < BX_AXES; k++)
        nothing |= !t->set[k];
    return nothing && !t->minus;
}

static void describe_term(const struct bx_term *t, bx_buf *to)
{
    const struct bx_tallies *of = t->of;
    const char *before = of->name ? ": " : "";

    if (of->reader->phrase)
        bx_buf_z(to, of->reader->phrase(t->what));
    bx_buf_z(to, of->name ? of->name : "");
    for (unsigned k = 0; k < BX_AXES && of->axis[k].n; k++) {
        if (!of->axis[k].names || (is_all(t->set[k], of->axis[k].n) && !t->minus))
            continue;
        bx_buf_z(to, before);
        before = "; ";
        describe_set(t->set[k], &of->axis[k], to);
        if (k == 0 && t->minus) {
            bx_buf_z(to, "; minus ");
            describe_set(t->minus, &of->axis[k], to);
        }
    }
}

void bx_signal_describe(const struct bx_signal *signal, bx_buf *to)
{
    size_t begin = to->n;

    for (unsigned i = 0; i < signal->terms; i++) {
        if (adds_nothing(&signal->term[i]))
            continue;
        bx_buf_z(to, to->n > begin ? " + " : "");
        describe_term(&signal->term[i], to);
    }
    if (to->n == begin)
        bx_buf_z(to, "nothing: always 0");
}
