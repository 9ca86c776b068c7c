/* The command lines that a sweep runs. */
#include "sweep/commands.h"

/* A list that grows in an arena; `list` is NULL once memory ran out. */
typedef struct words {
    const char **list;
    uint32_t n, room;
    bx_arena *arena;
} words;

static void add_word(words *w, const char *word)
{
    const char **grown = bx_arena_grow(w->arena, w->list, w->n, &w->room, sizeof *grown, 16);
    w->list = grown;
    if (grown)
        grown[w->n++] = word;
}

static void extend_words(words *w, const char *const *more)
{
    for (; more && *more; more++)
        add_word(w, *more);
}

/* Adds what `append` writes. */
static void add_made(words *w, const bx_sweep *s, size_t point,
                     void (*append)(const bx_points *, size_t, bx_buf *))
{
    bx_buf text = {0};
    append(&s->points, point, &text);
    if (text.failed)
        w->arena->failed = true;
    add_word(w, bx_arena_copy(w->arena, bx_str_of(bx_buf_text(&text))));
    bx_buf_free(&text);
}

static const char *const *finish(words *w)
{
    add_word(w, NULL);
    return w->arena->failed ? NULL : w->list;
}

static void add_work(words *w, const bx_sweep *s, size_t point, const char *trace)
{
    add_word(w, "--machine");
    add_made(w, s, point, bx_points_machine);
    extend_words(w, s->options);
    if (trace) {
        add_word(w, "--trace");
        add_word(w, trace);
    } else if (s->points.workload) {
        add_word(w, "--workload");
        add_made(w, s, point, bx_points_workload);
    }
}

const char *const *bx_sweep_stat(const bx_sweep *s, size_t point, const char *trace,
                                 const char *result, bx_arena *a)
{
    words w = {.arena = a};
    const char *const head[] = {"boxscore", "stat", "-j", "-o", result, NULL};
    extend_words(&w, head);
    add_work(&w, s, point, trace);
    return finish(&w);
}

const char *const *bx_sweep_record(const bx_sweep *s, size_t point, const char *trace,
                                   const char *recording, bx_arena *a)
{
    words w = {.arena = a};
    const char *const head[] = {"boxscore", "record", "-o", recording, NULL};
    extend_words(&w, head);
    add_work(&w, s, point, trace);
    return finish(&w);
}

const char *const *bx_sweep_trace(const bx_sweep *s, const char *machine, const char *trace,
                                  bx_arena *a)
{
    words w = {.arena = a};
    const char *const head[] = {"boxscore", "trace", "-o", trace, "--machine", machine, "--", NULL};
    extend_words(&w, head);
    extend_words(&w, (const char *const *)s->program);
    return finish(&w);
}
