#include "profile/profile.h"

#include "base/buf.h"
#include "base/error.h"

#include <string.h>

const char *bx_profile_copy(bx_profile *p, const bx_cell *cell)
{
    return cell->kind == BX_CELL_TEXT ? bx_arena_copy(p->arena, bx_str_of(cell->text)) : NULL;
}

static int read_facts(bx_profile *p, bx_error *e)
{
    bx_cell cell[2];
    uint32_t room = 0;
    int code = bx_recording_ask(p->from, "SELECT key, value FROM run ORDER BY rowid", NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 2)) {
        bx_profile_fact *run = bx_arena_grow(p->arena, p->run, p->run_n, &room, sizeof *run, 32);
        if (!run)
            return bx_out_of_memory(e);
        p->run = run;
        run[p->run_n] = (bx_profile_fact){bx_profile_copy(p, &cell[0]), cell[1]};
        run[p->run_n].value.text = bx_profile_copy(p, &cell[1]);
        p->run_n += run[p->run_n].key != NULL;
    }
    return code ? code : bx_recording_answered(p->from, e);
}

static bx_profile_event event_of(bx_profile *p, const bx_cell *cell)
{
    bx_profile_event is = {.id = cell[0].number,
                           .name = bx_profile_copy(p, &cell[1]),
                           .unit = bx_profile_copy(p, &cell[2]),
                           .total = cell[3].number,
                           .has_total = cell[3].kind == BX_CELL_NUMBER,
                           .attributed = cell[4].number == 1 && cell[3].kind == BX_CELL_NUMBER};
    is.name = is.name ? is.name : "";
    is.wait = strncmp(is.name, "wait:", 5) == 0;
    is.cycles = is.wait || strcmp(is.name, "issue") == 0;
    return is;
}

static int read_profile_events(bx_profile *p, bx_error *e)
{
    bx_cell cell[5];
    uint32_t room = 0;
    int code = bx_recording_ask(
        p->from, "SELECT id, name, unit, total, attributed FROM event ORDER BY id", NULL, 0, e);
    while (!code && bx_recording_next(p->from, cell, 5)) {
        bx_profile_event *event =
            bx_arena_grow(p->arena, p->event, p->events, &room, sizeof *event, 32);
        if (!event)
            return bx_out_of_memory(e);
        p->event = event;
        const bx_profile_event is = event[p->events++] = event_of(p, cell);
        p->tells_who |= is.attributed;
        p->time += is.cycles ? is.total : 0;
    }
    return code ? code : bx_recording_answered(p->from, e);
}

int bx_profile_read(bx_recording_reader *from, bx_arena *arena, bx_profile *to, bx_error *e)
{
    *to = (bx_profile){.from = from, .arena = arena};
    int code = read_facts(to, e);
    if (!code)
        code = read_profile_events(to, e);
    return !code && arena->failed ? bx_out_of_memory(e) : code;
}

int bx_profile_sum_costs(bx_profile *p, bx_error *e)
{
    int code =
        p->summed
            ? BX_OK
            : bx_recording_add_up(p->from, "sums", "event, code, object, n, p", 3,
                                  "SELECT event, code, object, count, by_prefetch FROM cost", e);
    p->summed = !code;
    return code;
}

int bx_profile_count_owners(bx_profile *p, bx_error *e)
{
    int code =
        p->has_owners
            ? BX_OK
            : bx_recording_add_up(p->from, "owners", "event, n, owned", 1,
                                  "SELECT event, count * (role = 'requester'), count * (role = "
                                  "'owner') FROM line",
                                  e);
    p->has_owners = !code;
    return code;
}

int bx_profile_find_moved(bx_profile *p, bx_error *e)
{
    int code = p->has_moved
                   ? BX_OK
                   : bx_recording_keep(
                         p->from, "moved",
                         "SELECT * FROM line WHERE role <> 'writer' AND (address, pid) IN (SELECT "
                         "address, pid FROM line WHERE role = 'owner')",
                         e);
    p->has_moved = !code;
    return code;
}

/* ---- facts ---- */

const bx_cell *bx_profile_fact_of(const bx_profile *p, const char *key)
{
    for (uint32_t i = 0; i < p->run_n; i++)
        if (strcmp(p->run[i].key, key) == 0)
            return &p->run[i].value;
    return NULL;
}

const char *bx_profile_fact_text(const bx_profile *p, const char *key)
{
    const bx_cell *cell = bx_profile_fact_of(p, key);
    return cell && cell->kind == BX_CELL_TEXT ? cell->text : NULL;
}

bool bx_profile_is_complete(const bx_profile *p)
{
    const bx_cell *complete = bx_profile_fact_of(p, "complete");
    return complete && complete->kind == BX_CELL_NUMBER && complete->number == 1;
}

static const char *in_words(bx_arena *a, const char *before, const char *text)
{
    bx_buf words = {0};
    bx_buf_f(&words, "%s%s", before, text);
    const char *copy = words.failed ? NULL : bx_arena_copy(a, bx_str_of(words.p));
    a->failed |= words.failed;
    bx_buf_free(&words);
    return copy;
}

/* Shares of the counts whose rows were merged: from run's keys. */
static const char *merged_in_words(const bx_profile *p)
{
    static const char *const parts[] = {"span", "context", "object", "code"};
    bx_buf words = {0};
    for (unsigned i = 0; i < 4; i++) {
        bx_buf key = {0};
        bx_buf_f(&key, "merged-%s", parts[i]);
        const bx_cell *share = bx_profile_fact_of(p, bx_buf_text(&key));
        if (share && share->kind == BX_CELL_REAL && share->real > 0)
            bx_buf_f(&words, "%s%.1f %% of the counts have lost their %s",
                     words.n ? ", " : "rows were merged (--max-rows): ", 100 * share->real,
                     parts[i]);
        bx_buf_free(&key);
    }
    const char *copy = words.n ? in_words(p->arena, "", bx_buf_text(&words)) : NULL;
    p->arena->failed |= words.failed;
    bx_buf_free(&words);
    return copy;
}

int bx_profile_has_table(bx_profile *p, const char *name, bool *has, bx_error *e)
{
    const bx_cell given = bx_cell_text(name);
    bx_cell cell;
    int code = bx_recording_ask(
        p->from, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1", &given, 1, e);
    *has = !code && bx_recording_next(p->from, &cell, 1);
    return code ? code : bx_recording_answered(p->from, e);
}

const char *bx_profile_lacks(const bx_profile *p, unsigned i)
{
    const char *missing = bx_profile_fact_text(p, "missing");
    const char *allocators = bx_profile_fact_text(p, "allocators");
    const char *names = bx_profile_fact_text(p, "names");
    const char *refused = bx_profile_fact_text(p, "not-used");
    const char *text[6] = {0}, *merged = merged_in_words(p);
    unsigned n = 0;
    if (!bx_profile_is_complete(p))
        text[n++] =
            in_words(p->arena,
                     "incomplete: ", missing && *missing ? missing : "the recording was not ended");
    if (merged)
        text[n++] = merged;
    if (allocators && strcmp(allocators, "followed") != 0)
        text[n++] = in_words(p->arena, "allocators: ", allocators);
    if (names && strcmp(names, "libdw") != 0)
        text[n++] = in_words(p->arena, "names: ", names);
    if (refused && *refused)
        text[n++] = in_words(p->arena, "not used for names: ", refused);
    if (p->nameless)
        text[n++] = in_words(p->arena, "no debug information: ", p->nameless);
    return i < n ? text[i] : NULL;
}
