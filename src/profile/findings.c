/* Applies the rules, and words what they find. */
#include "base/buf.h"
#include "base/error.h"
#include "profile/profile.h"
#include "profile/rules.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 9 };

static double share_of(const bx_cell *cell)
{
    return cell[6].number > 0 ? (double)cell[5].number / (double)cell[6].number : 0;
}

static void add_words(const bx_profile_rule *rule, double share, const char *of, const char *detail,
                      bx_buf *to)
{
    for (const char *c = rule->text; *c; c++)
        if (c[0] == '%' && c[1] == 'p') {
            bx_buf_f(to, "%.0f %%", 100 * share);
            c++;
        } else if (c[0] == '%' && c[1] == 'd') {
            bx_buf_z(to, detail);
            c++;
        } else if (c[0] == '%' && c[1] == 'o') {
            bx_buf_z(to, of ? of : "the time");
            c++;
        } else {
            bx_buf_add(to, c, 1);
        }
}

static void add_place(const bx_profile_rule *rule, const bx_finding *f, bx_buf *to)
{
    if (f->function && f->file && f->line)
        bx_buf_f(to, "; %s %s, %s:%lld", rule->where, f->function, f->file, (long long)f->line);
    else if (f->function)
        bx_buf_f(to, "; %s %s", rule->where, f->function);
    if (f->object)
        bx_buf_f(to, "; data: %s", f->object);
}

static bool add_finding(bx_profile *p, const bx_profile_rule *rule, const bx_cell *cell,
                        uint32_t *room)
{
    bx_finding *f = bx_arena_grow(p->arena, p->finding, p->findings, room, sizeof *f, 16);
    if (!f)
        return false;
    p->finding = f;
    f += p->findings++;
    bool most = 2 * cell[4].number >= cell[5].number; /* else no object stands for the others */
    const char *of = bx_profile_copy(p, &cell[7]), *detail = bx_profile_copy(p, &cell[8]);
    *f = (bx_finding){.rule = rule->name,
                      .share = share_of(cell) < 1 ? share_of(cell) : 1,
                      .of = of ? of : "time",
                      .function = bx_profile_copy(p, &cell[0]),
                      .file = bx_profile_copy(p, &cell[1]),
                      .line = cell[2].number,
                      .object = most ? bx_profile_copy(p, &cell[3]) : NULL};
    bx_buf text = {0};
    add_words(rule, f->share, of, detail ? detail : "", &text);
    add_place(rule, f, &text);
    f->text = bx_arena_copy(p->arena, bx_str_of(bx_buf_text(&text)));
    bool whole = !text.failed && !p->arena->failed;
    bx_buf_free(&text);
    return whole;
}

/* ---- what would be won ---- */

/* All cycles at a finding's place. */
static int cycles_at(bx_profile *p, const bx_finding *f, int64_t *cycles, bx_error *e)
{
    static const char sql[] =
        "SELECT sum(n) FROM temp.sums JOIN code ON code.id = sums.code WHERE event IN (SELECT id "
        "FROM event WHERE name = 'issue' OR name LIKE 'wait:%') AND function IS ?1 AND file IS ?2 "
        "AND line IS nullif(?3, 0)";
    const bx_cell given[] = {bx_cell_text(f->function), bx_cell_text(f->file),
                             bx_cell_number((uint64_t)f->line)};
    bx_cell cell;
    int code = bx_recording_ask(p->from, sql, given, 3, e);
    *cycles = !code && bx_recording_next(p->from, &cell, 1) ? cell.number : 0;
    return code ? code : bx_recording_answered(p->from, e);
}

/* Waits for the last-level cache: what requests spread over all slices can win. */
static int64_t waits_for_cache(const bx_profile *p)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->events; i++)
        if (strcmp(p->event[i].name, "wait:llc") == 0 ||
            strcmp(p->event[i].name, "wait:flight") == 0)
            sum += p->event[i].total;
    return sum;
}

/* An upper bound of the cycles, and for a share of an event that share. */
static int add_gain(bx_profile *p, bx_finding *f, bx_error *e)
{
    int64_t cycles = 0;
    bool of_time = strcmp(f->of, "time") == 0, of_slices = strcmp(f->rule, "one-slice") == 0;
    int code = of_time || of_slices ? BX_OK : cycles_at(p, f, &cycles, e);
    if (of_slices)
        cycles = waits_for_cache(p);
    f->cycles = of_time ? f->share : p->time > 0 ? (double)cycles / (double)p->time : 0;
    bx_buf text = {0};
    if (of_slices)
        bx_buf_f(
            &text,
            "To win by other addresses: at most %.0f %% of all cycles, the waits for this cache.",
            100 * f->cycles);
    else if (of_time)
        bx_buf_f(&text, "To win: at most %.0f %% of all cycles. Other waits can take their place.",
                 100 * f->cycles);
    else
        bx_buf_f(&text,
                 "To win, if the program did without this data: these %.0f %% of the reads, and at "
                 "most %.0f %% of all cycles.",
                 100 * f->share, 100 * f->cycles);
    f->gain = bx_arena_copy(p->arena, bx_str_of(bx_buf_text(&text)));
    bool whole = !text.failed && !p->arena->failed;
    bx_buf_free(&text);
    return code || whole ? code : bx_out_of_memory(e);
}

/* Whether the recording has the column that the rule needs. */
static int has_column(bx_profile *p, const bx_profile_rule *rule, bool *has, bx_error *e)
{
    const bx_cell given[] = {bx_cell_text(rule->table), bx_cell_text(rule->column)};
    bx_cell cell;
    *has = !rule->column;
    if (*has)
        return BX_OK;
    int code = bx_recording_ask(p->from, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2",
                                given, 2, e);
    *has = !code && bx_recording_next(p->from, &cell, 1);
    return code ? code : bx_recording_answered(p->from, e);
}

static int apply_rule(bx_profile *p, const bx_profile_rule *rule, uint32_t *room, bx_error *e)
{
    bx_cell cell[COLUMNS];
    bool has;
    int code = has_column(p, rule, &has, e);
    if (code || !has)
        return code;
    code = bx_recording_ask(p->from, rule->sql, NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, COLUMNS))
        if (share_of(cell) >= BX_FINDING_LEAST && !add_finding(p, rule, cell, room))
            code = bx_out_of_memory(e);
    return code ? code : bx_recording_answered(p->from, e);
}

/* Whether another finding has the cause of this one: what is only written is read from memory
 * because it is written, and its stream is no cause of its own. */
static bool is_explained(const bx_profile *p, const bx_finding *f)
{
    for (uint32_t i = 0; strcmp(f->rule, "streaming") == 0 && i < p->findings; i++) {
        const bx_finding *cause = &p->finding[i];
        if (strcmp(cause->rule, "written-never-read") == 0 && f->object &&
            bx_same_text(cause->object, f->object) && bx_same_text(cause->function, f->function) &&
            bx_same_text(cause->file, f->file) && cause->line == f->line)
            return true;
    }
    return false;
}

static void drop_explained(bx_profile *p)
{
    for (uint32_t i = 0; i < p->findings;)
        if (is_explained(p, &p->finding[i]))
            memmove(&p->finding[i], &p->finding[i + 1], (--p->findings - i) * sizeof *p->finding);
        else
            i++;
}

/* Shares of time come first: a large share of an event may cost little of it. */
static int compare_findings(const void *a, const void *b)
{
    const bx_finding *x = a, *y = b;
    bool of_time = strcmp(x->of, "time") == 0;
    if (of_time != (strcmp(y->of, "time") == 0))
        return of_time ? -1 : 1;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return strcmp(x->text, y->text);
}

int bx_profile_find(bx_profile *p, bx_error *e)
{
    uint32_t room = 0;
    int code = p->tells_who ? bx_profile_sum_costs(p, e) : BX_OK;
    if (!code && p->tells_who)
        code = bx_profile_count_owners(p, e);
    for (const bx_profile_sums *s = bx_profile_rules_sums; s->table && p->tells_who && !code; s++)
        code = s->columns ? bx_recording_add_up(p->from, s->table, s->columns, s->keys, s->sql, e)
                          : bx_recording_keep(p->from, s->table, s->sql, e);
    for (const bx_profile_rule *rule = bx_profile_rules; rule->name && p->tells_who && !code;
         rule++)
        code = apply_rule(p, rule, &room, e);
    if (!code)
        drop_explained(p);
    for (uint32_t i = 0; i < p->findings && !code; i++)
        code = add_gain(p, &p->finding[i], e);
    if (!code && p->findings)
        qsort(p->finding, p->findings, sizeof *p->finding, compare_findings);
    return code;
}
