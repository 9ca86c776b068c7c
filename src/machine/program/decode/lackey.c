/* Parses the text of lackey into accesses. */
#include "machine/program/decode/lackey.h"

#include <stdio.h>
#include <string.h>

struct entry {
    char kind;            /* I, L, S or M */
    uint64_t first, last; /* first and last line of the access */
};

static bx_access *emit(bx_lackey *l, bx_access *to, unsigned kind, uint64_t line)
{
    *to = bx_access_make(bx_frames_line(l->frames, line << bx_frames_line_shift(l->frames)), kind,
                         0, l->cost);
    l->cost = 0;
    return to + 1;
}

bool bx_lackey_count(bx_lackey *l, bx_retired_table *table, bx_retire_to *to)
{
    static const uint8_t counts[] = {BX_RETIRED_INSTRUCTIONS, BX_RETIRED_LOADS, BX_RETIRED_STORES,
                                     BX_RETIRED_SPLIT_LOADS, BX_RETIRED_SPLIT_STORES};
    for (size_t i = 0; i < sizeof counts; i++) {
        l->retired_as[i] = bx_retired_table_add_one(table, counts[i], 1);
        if (l->retired_as[i] == BX_RETIRED_NONE)
            return false;
    }
    l->retires = to;
    return true;
}

/* Reports a retirement: it happens when all accesses before `at` are executed. */
static void retire(bx_lackey *l, enum bx_lackey_retired what, const bx_access *at)
{
    if (l->retires)
        *l->retires->next++ =
            (bx_retirement){(uint32_t)(at - l->retires->origin), l->retired_as[what]};
}

static bool has_room(const bx_lackey *l)
{
    return !l->retires || l->retires->end - l->retires->next >= BX_LACKEY_BURST;
}

static bx_access *charge(bx_lackey *l, bx_access *to)
{
    l->part += l->slot.n;
    for (; l->part >= l->slot.d; l->part -= l->slot.d) {
        if (l->cost == BX_ACCESS_COST_MAX)
            to = emit(l, to, BX_FETCH, l->fetched - 1);
        l->cost++;
    }
    return to;
}

static bx_access *fetch(bx_lackey *l, bx_access *to, const struct entry *entry)
{
    retire(l, BX_LACKEY_INSTRUCTION, to);
    to = charge(l, to);
    for (uint64_t line = entry->first; line <= entry->last; line++) {
        if (l->fetched != line + 1) {
            l->fetched = line + 1;
            to = emit(l, to, BX_FETCH, line);
        }
    }
    if (l->cost == BX_ACCESS_COST_MAX)
        to = emit(l, to, BX_FETCH, l->fetched - 1);
    return to;
}

static bx_access *data(bx_lackey *l, bx_access *to, unsigned kind, const struct entry *entry)
{
    retire(l, kind == BX_LOAD ? BX_LACKEY_LOAD : BX_LACKEY_STORE, to);
    for (uint64_t line = entry->first; line <= entry->last; line++) {
        if (line > entry->first)
            retire(l, kind == BX_LOAD ? BX_LACKEY_SPLIT_LOAD : BX_LACKEY_SPLIT_STORE, to);
        to = emit(l, to, kind, line);
    }
    return to;
}

static bx_access *take_access(bx_lackey *l, bx_access *to, const struct entry *entry)
{
    switch (entry->kind) {
    case 'I':
        return fetch(l, to, entry);
    case 'L':
        return data(l, to, BX_LOAD, entry);
    case 'S':
        return data(l, to, BX_STORE, entry);
    default: /* M: a load and a store */
        return data(l, data(l, to, BX_LOAD, entry), BX_STORE, entry);
    }
}

/* Hexadecimal digits: their value plus 1; 0 for any other character. */
static const uint8_t digits[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

/* Parses "I  04001234,3" or " L 1ffe0008,8". Returns the next line, or NULL if the text is
 * something else. Parsing stops at the newline that ends the text. */
static const char *read_entry(const char *p, unsigned line_shift, struct entry *entry)
{
    if (p[0] == 'I' && p[1] == ' ' && p[2] == ' ')
        entry->kind = 'I';
    else if (p[0] == ' ' && (p[1] == 'L' || p[1] == 'S' || p[1] == 'M') && p[2] == ' ')
        entry->kind = p[1];
    else
        return NULL;
    const char *from = p += 3;
    uint64_t address = 0, size = 0;
    for (unsigned d; (d = digits[(unsigned char)*p] - 1u) < 16; p++)
        address = address << 4 | d;
    if (p == from || p - from > 16 || *p != ',')
        return NULL;
    p++;
    for (unsigned d; (d = digits[(unsigned char)*p] - 1u) < 10 && size <= BX_LACKEY_LARGEST; p++)
        size = size * 10 + d;
    if (*p != '\n' || size == 0 || size > BX_LACKEY_LARGEST || address > UINT64_MAX - size)
        return NULL;
    entry->first = address >> line_shift;
    entry->last = (address + size - 1) >> line_shift;
    return p + 1;
}

/* Whether the line is a message of valgrind itself: "==123== …", "--123-- …", "**123** …". */
static bool is_message(const char *p)
{
    return p[0] != '\n' && p[0] == p[1] && strchr("=-*", p[0]);
}

/* Valgrind's statistics, which it writes when its program ends, by exit or by a signal; not if the
 * program executes another one, or Valgrind is killed or fails. */
static bool is_end(const char *p, size_t n)
{
    static const char says[] = "-- translate: ";
    return p[0] == '-' && memmem(p, n, says, sizeof says - 1);
}

void bx_lackey_reject(bx_lackey *l, bx_str line)
{
    if (l->malformed++ == 0)
        snprintf(l->malformed_line, sizeof l->malformed_line, "%.*s", (int)line.n, line.p);
}

size_t bx_lackey_read(bx_lackey *l, const char *text, size_t n, bx_access *to, size_t room,
                      size_t *made)
{
    const bx_access *full = to + room;
    bx_access *next = to;
    const char *last = n ? memrchr(text, '\n', n) : NULL;
    const char *p = text;
    const unsigned line_shift = bx_frames_line_shift(l->frames);
    while (last && p <= last && full - next >= BX_LACKEY_BURST && has_room(l)) {
        struct entry entry;
        const char *end = read_entry(p, line_shift, &entry);
        if (end) {
            next = take_access(l, next, &entry);
        } else {
            end = (const char *)memchr(p, '\n', (size_t)(last - p) + 1) + 1;
            if (is_message(p))
                l->ended |= is_end(p, (size_t)(end - p));
            else
                bx_lackey_reject(l, (bx_str){p, (size_t)(end - p) - 1});
        }
        p = end;
    }
    *made = (size_t)(next - to);
    return (size_t)(p - text);
}

size_t bx_lackey_end(bx_lackey *l, bx_access *to)
{
    if (l->cost == 0 || l->fetched == 0)
        return 0;
    emit(l, to, BX_FETCH, l->fetched - 1);
    return 1;
}
