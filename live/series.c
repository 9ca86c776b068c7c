/* Adds intervals up to totals. */
#include "live/series.h"

#include <stdio.h>
#include <string.h>

/* Letters, digits and '_': what a name may have (prometheus.io, "Data model"). */
static void put_name(bx_buf *to, bx_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = (char)bx_lower(text.p[i]);
        bool fits = bx_is_letter(c) || bx_is_digit(c);
        bx_buf_add(to, fits ? &c : "_", 1);
    }
}

uint64_t bx_series_base(const char *counts, bool *billionths, char *base, size_t room)
{
    static const struct {
        const char *unit;
        uint64_t bytes;
    } units[] = {{"B", 1}, {"bytes", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
    bx_str rest = bx_str_of(counts), first = bx_str_cut(&rest, ' ');
    uint64_t number = 1;
    *billionths = strcmp(counts, "ns") == 0;
    if (*billionths) {
        snprintf(base, room, "seconds");
        return 1;
    }
    bool has_number = rest.p && bx_str_u64(first, &number);
    bx_str unit = has_number ? bx_str_cut(&rest, ' ') : first;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (bx_str_eq(unit, bx_str_of(units[i].unit))) {
            snprintf(base, room, "bytes");
            return (has_number ? number : 1) * units[i].bytes;
        }
    bx_buf name = {0};
    put_name(&name, bx_str_of(*counts ? counts : "events"));
    snprintf(base, room, "%s", bx_buf_text(&name));
    bx_buf_free(&name);
    return 1;
}

bool bx_series_text(bx_series *s, const char **to, const char *text)
{
    if (*to && strcmp(*to, text) == 0)
        return true;
    const char *copy = bx_arena_copy(&s->arena, bx_str_of(text));
    *to = copy ? copy : *to;
    return copy;
}

void bx_series_free(bx_series *s)
{
    bx_arena_free(&s->arena);
    *s = (bx_series){0};
}

/* Whether the name already says what it counts: "boxscore_cycles". */
static bool ends_in_word(const char *name, const char *word)
{
    size_t n = strlen(name), end = strlen(word);
    return n > end && name[n - end - 1] == '_' && strcmp(name + n - end, word) == 0;
}

/* "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I" */
static bool name_family(bx_series *s, bx_series_family *f, const char *counts)
{
    char base[64];
    bx_buf name = {0};
    const char *behind = strstr(f->event, "::");
    bx_str pmu = {f->event, behind ? (size_t)(behind - f->event) : 0};
    f->factor = bx_series_base(counts, &f->billionths, base, sizeof base);
    bx_buf_z(&name, "boxscore_");
    put_name(&name, bx_str_of(behind ? behind + 2 : f->event));
    if (!ends_in_word(bx_buf_text(&name), base))
        bx_buf_f(&name, "_%s", base);
    f->pmu = bx_arena_copy(&s->arena, pmu);
    f->base = bx_arena_copy(&s->arena, bx_str_of(base));
    f->name = name.failed ? NULL : bx_arena_copy(&s->arena, bx_str_of(name.p));
    bx_buf_free(&name);
    return f->pmu && f->base && f->name;
}

static bx_series_family *find_family(bx_series *s, const bx_series_value *v)
{
    for (size_t k = 0; k < s->n; k++) { /* mostly the last one, or the next */
        size_t i = (s->last + k) % s->n;
        if (strcmp(s->family[i].event, v->event) == 0) {
            s->last = i;
            return &s->family[i];
        }
    }
    bx_series_family *grown =
        bx_arena_grow(&s->arena, s->family, (uint32_t)s->n, &s->room, sizeof *grown, 32);
    if (!grown)
        return NULL;
    s->family = grown;
    bx_series_family *f = &grown[s->n];
    *f = (bx_series_family){.event = bx_arena_copy(&s->arena, bx_str_of(v->event))};
    if (!f->event || !name_family(s, f, v->counts))
        return NULL;
    /* Two events may not share a family of one PMU: a reader could not tell them apart. */
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->family[i].name, f->name) == 0 && strcmp(s->family[i].pmu, f->pmu) == 0)
            f->ambiguous = true;
    s->last = s->n++;
    return f;
}

static bx_one_series *find_series(bx_series *s, bx_series_family *f, const bx_series_value *v)
{
    for (size_t k = 0; k < f->n; k++) { /* mostly the one after the last */
        size_t i = (f->last + 1 + k) % f->n;
        if (f->series[i].package == v->package && f->series[i].unit == v->unit) {
            f->last = i;
            return &f->series[i];
        }
    }
    if (s->used == s->most)
        return NULL;
    bx_one_series *grown =
        bx_arena_grow(&s->arena, f->series, (uint32_t)f->n, &f->room, sizeof *grown, 4);
    if (!grown)
        return NULL;
    f->series = grown;
    bx_one_series one = {.package = v->package,
                         .unit = v->unit,
                         .where = bx_arena_copy(&s->arena, bx_str_of(v->where ? v->where : "")),
                         .interval = bx_arena_get(&s->arena, s->keeps * sizeof *one.interval)};
    for (size_t i = 0; one.interval && i < s->keeps; i++)
        one.interval[i] = BX_SERIES_NONE;
    if (!one.where || !one.interval)
        return NULL;
    s->used++;
    f->last = f->n;
    grown[f->n] = one;
    return &grown[f->n++];
}

bool bx_series_add(bx_series *s, const bx_series_value *v)
{
    bx_series_family *f = find_family(s, v);
    if (!f)
        return false;
    if (f->ambiguous)
        return bx_series_text(s, &f->reason, "another event has the same name");
    if (v->reason)
        return bx_series_text(s, &f->reason, v->reason);
    f->reason = NULL;
    f->share = v->share;
    f->level = v->level;
    bx_one_series *one = find_series(s, f, v);
    if (!one) {
        s->left_out += !s->arena.failed;
        return !s->arena.failed;
    }
    size_t slot = (size_t)((s->intervals - 1) % s->keeps);
    if (!v->level)
        one->total += v->value * f->factor;
    one->interval[slot] = v->value * f->factor;
    one->counted = true;
    return true;
}
