/* Reads the results of a sweep. */
#include "sweep/results.h"

#include "base/str.h"
#include "report/number.h"
#include "sweep/store.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    bx_sweep_results *to;
    bx_arena *arena;
    uint32_t keys_room, columns_room, points_room;
} reader;

/* These return 0, or end the query: memory ran out. */
static const char *keep(reader *r, const char *text)
{
    return text ? bx_arena_copy(r->arena, bx_str_of(text)) : NULL;
}

/* A real number with as few digits as read back as the same. */
static const char *keep_value(reader *r, const char *text)
{
    char digits[BX_NUMBER];
    return keep(r,
                text && strpbrk(text, ".e") ? bx_number_exact(strtod(text, NULL), digits) : text);
}

static int take_about(void *context, int n, char **value, char **name)
{
    reader *r = context;
    (void)n, (void)name;
    const char *key = value[0] ? value[0] : "", *is = value[1] ? value[1] : "";
    if (strcmp(key, "work") == 0)
        r->to->work = keep(r, is);
    else if (strcmp(key, "complete") == 0)
        r->to->complete = strcmp(is, "1") == 0;
    else if (strcmp(key, "points") == 0)
        r->to->points_all = strtoull(is, NULL, 10);
    else if (strcmp(key, "shows") == 0)
        r->to->shows = keep(r, is);
    return r->arena->failed;
}

static int take_key(void *context, int n, char **value, char **name)
{
    reader *r = context;
    (void)n, (void)name;
    const char **grown = bx_arena_grow(r->arena, r->to->keys, (uint32_t)r->to->keys_n,
                                       &r->keys_room, sizeof *grown, 8);
    if (grown) {
        r->to->keys = grown;
        grown[r->to->keys_n++] = keep(r, value[0]);
    }
    return r->arena->failed;
}

static int take_column(void *context, int n, char **value, char **name)
{
    reader *r = context;
    (void)n, (void)name;
    bx_sweep_column *grown = bx_arena_grow(r->arena, r->to->columns, (uint32_t)r->to->columns_n,
                                           &r->columns_room, sizeof *grown, 16);
    if (grown) {
        r->to->columns = grown;
        grown[r->to->columns_n++] = (bx_sweep_column){
            keep(r, value[0]), keep(r, value[1] ? value[1] : ""), value[2] && *value[2] == '1'};
    }
    return r->arena->failed;
}

static int take_point(void *context, int n, char **value, char **name)
{
    reader *r = context;
    bx_sweep_results *to = r->to;
    (void)n, (void)name;
    bx_sweep_point *grown = bx_arena_grow(r->arena, to->points, (uint32_t)to->points_n,
                                          &r->points_room, sizeof *grown, 64);
    if (!grown)
        return 1;
    to->points = grown;
    grown[to->points_n++] = (bx_sweep_point){
        .id = value[0] ? strtoull(value[0], NULL, 10) : 0,
        .machine = keep(r, value[1]),
        .state = keep(r, value[2] ? value[2] : ""),
        .message = keep(r, value[3]),
        .seconds = value[4] ? strtod(value[4], NULL) : 0,
        .settings = bx_arena_get(r->arena, (to->keys_n + 1) * sizeof(const char *)),
        .cells = bx_arena_get(r->arena, (to->columns_n + 1) * sizeof(bx_sweep_cell))};
    return r->arena->failed;
}

/* Points are ordered by id. */
static bx_sweep_point *find_point(const bx_sweep_results *in, const char *id)
{
    uint64_t wanted = id ? strtoull(id, NULL, 10) : 0;
    size_t from = 0, to = in->points_n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (in->points[middle].id == wanted)
            return &in->points[middle];
        if (in->points[middle].id < wanted)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

static int take_setting(void *context, int n, char **value, char **name)
{
    reader *r = context;
    bx_sweep_point *p = find_point(r->to, value[0]);
    (void)n, (void)name;
    for (size_t i = 0; p && value[1] && i < r->to->keys_n; i++)
        if (strcmp(r->to->keys[i], value[1]) == 0)
            p->settings[i] = keep(r, value[2]);
    return r->arena->failed;
}

static int take_value(void *context, int n, char **value, char **name)
{
    reader *r = context;
    bx_sweep_point *p = find_point(r->to, value[0]);
    (void)n, (void)name;
    for (size_t i = 0; p && value[1] && i < r->to->columns_n; i++)
        if (strcmp(r->to->columns[i].name, value[1]) == 0)
            p->cells[i] = (bx_sweep_cell){keep_value(r, value[2]), keep(r, value[3])};
    return r->arena->failed;
}

int bx_sweep_results_read(const char *path, bx_arena *a, bx_sweep_results *to, bx_error *e)
{
    static const struct {
        const char *sql;
        bx_sweep_row *row;
    } steps[] = {
        {"SELECT key, value FROM sweep", take_about},
        {"SELECT key FROM setting GROUP BY key ORDER BY min(rowid)", take_key},
        {"SELECT name, max(unit), max(metric) FROM value GROUP BY name ORDER BY min(rowid)",
         take_column},
        {"SELECT id, machine, state, message, seconds FROM point ORDER BY id", take_point},
        {"SELECT point, key, value FROM setting", take_setting},
        /* As text, a real number of SQLite has 15 digits. */
        {"SELECT point, name, CASE typeof(value) WHEN 'real' THEN printf('%!.17g', value) ELSE "
         "value END, state FROM value",
         take_value},
    };
    bx_sweep_store *s = NULL;
    reader r = {.to = to, .arena = a};
    *to = (bx_sweep_results){.shows = "metrics"};
    int code = bx_sweep_store_read(path, &s, e);
    if (code)
        return code;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && !code; i++)
        code = bx_sweep_store_query(s, steps[i].sql, steps[i].row, &r, e);
    bx_sweep_store_close(s);
    return code;
}
