/* Adds up rows by their keys, in a hash table: SQLite sorts rows to group them, which takes five
 * times as long for a million of them. */
#include "base/buf.h"
#include "base/error.h"
#include "base/grow.h"
#include "recording/opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS = 2, FIRST_ROWS = 1 << 10, FIRST_SLOTS = 1 << 11 };

/* NULL among the keys: no recording has this number. */
#define NO_KEY INT64_MIN

typedef struct sum_row {
    int64_t key[BX_SUM_KEYS_MOST], count[COUNTS];
} sum_row;

typedef struct sum_rows {
    unsigned keys;
    sum_row *row;
    size_t n, room;
    uint32_t *slot; /* [slots], a power of two: 1 + index of the row */
    size_t slots;
} sum_rows;

static size_t hash_of_keys(const sum_rows *s, const int64_t *key)
{
    uint64_t h = 0;
    for (unsigned i = 0; i < s->keys; i++)
        h = ((h ^ h >> 29) + (uint64_t)key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h ^ h >> 32);
}

static uint32_t *slot_of_keys(const sum_rows *s, const int64_t *key)
{
    size_t i = hash_of_keys(s, key) & (s->slots - 1);
    while (s->slot[i] && memcmp(s->row[s->slot[i] - 1].key, key, s->keys * sizeof *key) != 0)
        i = (i + 1) & (s->slots - 1);
    return &s->slot[i];
}

static bool widen(sum_rows *s)
{
    size_t slots = s->slots ? 2 * s->slots : FIRST_SLOTS;
    uint32_t *slot = slots / 2 < UINT32_MAX ? calloc(slots, sizeof *slot) : NULL;
    if (!slot)
        return false;
    free(s->slot);
    s->slot = slot;
    s->slots = slots;
    for (size_t i = 0; i < s->n; i++)
        *slot_of_keys(s, s->row[i].key) = (uint32_t)i + 1;
    return true;
}

/* The row of these keys, which is made if there is none; NULL: out of memory. */
static sum_row *row_of_keys(sum_rows *s, const int64_t *key)
{
    if (2 * (s->n + 1) > s->slots && !widen(s))
        return NULL;
    uint32_t *slot = slot_of_keys(s, key);
    if (*slot)
        return &s->row[*slot - 1];
    sum_row *row = bx_grow(s->row, s->n, &s->room, sizeof *row, FIRST_ROWS);
    if (!row)
        return NULL;
    s->row = row;
    row += s->n;
    *row = (sum_row){{0}, {0}};
    memcpy(row->key, key, s->keys * sizeof *key);
    *slot = (uint32_t)++s->n;
    return row;
}

static int64_t key_of(const bx_cell *cell)
{
    return cell->kind == BX_CELL_NUMBER ? cell->number : NO_KEY;
}

static int add_rows(bx_recording_reader *r, sum_rows *s, bx_error *e)
{
    bx_cell cell[BX_SUM_KEYS_MOST + COUNTS];
    int64_t key[BX_SUM_KEYS_MOST];
    while (bx_recording_next(r, cell, s->keys + COUNTS)) {
        for (unsigned i = 0; i < s->keys; i++)
            key[i] = key_of(&cell[i]);
        sum_row *row = row_of_keys(s, key);
        if (!row)
            return bx_out_of_memory(e);
        for (unsigned i = 0; i < COUNTS; i++)
            if (__builtin_add_overflow(row->count[i], cell[s->keys + i].number, &row->count[i]))
                return bx_fail(e, BX_BAD_INPUT, 0, 0,
                               "the recording '%.200s' has counts beyond 64 bits", r->path);
    }
    return bx_recording_answered(r, e);
}

/* ---- the table of sums ---- */

static int execute_one(bx_recording_reader *r, const char *sql)
{
    if (!r->error.code && r->sqlite.exec(r->db, sql, NULL, NULL, NULL) != BX_SQLITE_OK)
        return bx_recording_fail(r, BX_SYSTEM);
    return r->error.code;
}

static void insert_rows(bx_recording_reader *r, const sum_rows *s, struct sqlite3_stmt *to)
{
    for (size_t k = 0; k < s->n && !r->error.code; k++) {
        const sum_row *row = &s->row[k];
        bx_cell cell[BX_SUM_KEYS_MOST + COUNTS];
        for (unsigned i = 0; i < s->keys + COUNTS; i++) {
            int64_t number = i < s->keys ? row->key[i] : row->count[i - s->keys];
            cell[i] = (bx_cell){.kind = number == NO_KEY ? BX_CELL_NULL : BX_CELL_NUMBER,
                                .number = number};
        }
        if (!bx_sqlite_put(&r->sqlite, to, cell, s->keys + COUNTS))
            bx_recording_fail(r, BX_SYSTEM);
    }
}

static void make_sums(bx_recording_reader *r, const char *table, const char *columns,
                      const sum_rows *s)
{
    static const char places[] = "?, ?, ?, ?, ?, ?, ?, ?, ?";
    char sql[400];
    struct sqlite3_stmt *to = NULL;
    snprintf(sql, sizeof sql,
             "PRAGMA query_only = OFF; DROP TABLE IF EXISTS temp.%s; "
             "CREATE TEMP TABLE %s (%s)",
             table, table, columns);
    if (execute_one(r, sql))
        return;
    snprintf(sql, sizeof sql, "INSERT INTO temp.%s VALUES (%.*s)", table,
             (int)(3 * (s->keys + COUNTS) - 2), places);
    if (r->sqlite.prepare_v2(r->db, sql, -1, &to, NULL) != BX_SQLITE_OK)
        bx_recording_fail(r, BX_SYSTEM);
    else
        insert_rows(r, s, to);
    r->sqlite.finalize(to);
    execute_one(r, "PRAGMA query_only = ON");
}

int bx_recording_add_up(bx_recording_reader *r, const char *table, const char *columns,
                        unsigned keys, const char *sql, bx_error *e)
{
    sum_rows s = {.keys = keys};
    int code = bx_recording_ask(r, sql, NULL, 0, e);
    if (!code)
        code = add_rows(r, &s, e);
    if (!code)
        make_sums(r, table, columns, &s);
    free(s.row);
    free(s.slot);
    return code ? code : bx_recording_answered(r, e);
}

int bx_recording_keep(bx_recording_reader *r, const char *table, const char *sql, bx_error *e)
{
    bx_buf text = {0};
    r->error = (bx_error){0};
    bx_buf_f(&text,
             "PRAGMA query_only = OFF; DROP TABLE IF EXISTS temp.%s; CREATE TEMP TABLE %s AS %s; "
             "PRAGMA query_only = ON",
             table, table, sql);
    if (text.failed)
        bx_out_of_memory(&r->error);
    execute_one(r, bx_buf_text(&text));
    bx_buf_free(&text);
    return bx_recording_answered(r, e);
}
