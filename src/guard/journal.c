/* Formats and parses the text of a journal. */
#include "guard/journal.h"

#include "base/error.h"
#include "base/printable.h"
#include "catalog/catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const spaces[] = {
    [BX_SPACE_MSR] = "msr", [BX_SPACE_PCI] = "pci", [BX_SPACE_MMIO] = "mmio"};
static const char *const verbs[] = {[BX_JOURNAL_PUT] = "put",
                                    [BX_JOURNAL_GROW] = "grow",
                                    [BX_JOURNAL_CLEAR] = "clear",
                                    [BX_JOURNAL_ZERO] = "zero"};
enum { SPACES = sizeof spaces / sizeof *spaces };

#define END_LINE "end %" PRIu64 " 0x%016" PRIx64 "\n"

uint64_t bx_journal_sum(const char *bytes, size_t n)
{
    uint64_t sum = 0xcbf29ce484222325;
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * 0x100000001b3;
    return sum;
}

/* ---- writing ---- */

static void format_op(const bx_journal_op *op, bx_buf *to)
{
    bx_buf_f(to, "%s %s %s %d cpu %u %u 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %s\n",
             verbs[op->verb], spaces[op->at.space], op->core ? "core" : "package", op->package,
             op->at.cpu, op->at.width, op->at.offset, op->value, op->check, op->name);
}

void bx_journal_format(const bx_journal *j, bx_buf *to)
{
    size_t from = to->n;
    bx_buf_f(to, "boxscore journal 1\nmachine %s\nboot %s\ncpu %s\nowner %d %" PRIu64 "\n",
             j->machine, j->boot, j->cpu, (int)j->owner.pid, j->owner.start_time);
    bx_buf_f(to, "counts %s\n", j->counts);
    for (size_t i = 0; i < j->n; i++)
        format_op(&j->ops[i], to);
    uint64_t sum = to->failed ? 0 : bx_journal_sum(to->p + from, to->n - from);
    bx_buf_f(to, END_LINE, (uint64_t)j->n, sum);
}

/* ---- reading ---- */

typedef struct reader {
    bx_str rest;
    bx_arena *arena;
    bool failed;
} reader;

/* The rest of the next line, which must begin with these words. */
static bx_str line(reader *r, const char *begins)
{
    bx_str begin = bx_str_of(begins), s = r->rest.p ? bx_str_cut(&r->rest, '\n') : (bx_str){0};
    if (s.n < begin.n || memcmp(s.p, begin.p, begin.n) != 0)
        r->failed = true;
    return r->failed ? (bx_str){0} : bx_str_sub(s, begin.n, s.n);
}

/* Text to be shown. */
static const char *printable(reader *r, bx_str s)
{
    char *copy = bx_arena_copy(r->arena, s);
    if (copy)
        bx_printable(copy, s.n);
    return copy;
}

static const char *text_after(reader *r, const char *begins)
{
    return bx_arena_copy(r->arena, line(r, begins));
}

static uint64_t read_number(reader *r, bx_str *rest, uint64_t most)
{
    uint64_t value = 0;
    if (!rest->p || !bx_str_u64(bx_str_cut(rest, ' '), &value) || value > most)
        r->failed = true;
    return value;
}

static void word(reader *r, bx_str *rest, const char *is)
{
    if (!rest->p || !bx_str_eq(bx_str_cut(rest, ' '), bx_str_of(is)))
        r->failed = true;
}

static uint8_t space(reader *r, bx_str *rest)
{
    bx_str s = rest->p ? bx_str_cut(rest, ' ') : (bx_str){0};
    for (uint8_t i = 0; i < SPACES; i++)
        if (bx_str_eq(s, bx_str_of(spaces[i])))
            return i;
    r->failed = true;
    return 0;
}

static void read_op(reader *r, bx_journal_op *op)
{
    bx_str s = line(r, "");
    bx_str verb = s.p ? bx_str_cut(&s, ' ') : (bx_str){0};
    op->verb = BX_JOURNAL_PUT;
    while (op->verb < BX_JOURNAL_VERBS && !bx_str_eq(verb, bx_str_of(verbs[op->verb])))
        op->verb++;
    r->failed |= op->verb == BX_JOURNAL_VERBS;
    op->at.space = space(r, &s);
    bx_str scope = s.p ? bx_str_cut(&s, ' ') : (bx_str){0};
    op->core = bx_str_eq(scope, BX_STR("core"));
    r->failed |= !op->core && !bx_str_eq(scope, BX_STR("package"));
    op->package = (int)read_number(r, &s, INT32_MAX);
    word(r, &s, "cpu");
    op->at.cpu = (uint16_t)read_number(r, &s, UINT16_MAX);
    op->at.width = (uint8_t)read_number(r, &s, 64);
    r->failed |= op->at.width != 32 && op->at.width != 64;
    op->at.offset = read_number(r, &s, UINT64_MAX);
    op->value = read_number(r, &s, UINT64_MAX);
    op->check = read_number(r, &s, UINT64_MAX);
    op->name = printable(r, s);
}

#define HEAD_LINE "boxscore journal 1 at 0x%012" PRIx64 ", 0x%012" PRIx64 " bytes\n"

void bx_journal_head(uint64_t at, uint64_t length, char to[BX_JOURNAL_HEAD + 1])
{
    snprintf(to, BX_JOURNAL_HEAD + 1, HEAD_LINE, at, length);
}

bool bx_journal_parse_head(bx_str file, uint64_t *at, uint64_t *length)
{
    enum { DIGITS = 14, AT = 22, LENGTH = AT + DIGITS + 2 }; /* as in the line */
    char is[BX_JOURNAL_HEAD + 1];
    if (file.n < BX_JOURNAL_HEAD || !bx_str_u64(bx_str_sub(file, AT, DIGITS), at) ||
        !bx_str_u64(bx_str_sub(file, LENGTH, DIGITS), length))
        return false;
    bx_journal_head(*at, *length, is);
    return memcmp(is, file.p, BX_JOURNAL_HEAD) == 0;
}

bx_str bx_journal_in_force(bx_str file)
{
    uint64_t at, length;
    if (file.n == 0 || !file.p[0])
        return (bx_str){file.p, 0};
    bool there = bx_journal_parse_head(file, &at, &length) && at <= file.n && length <= file.n - at;
    return there ? bx_str_sub(file, at, length) : file;
}

/* Checks the last line, whose sum is over everything before it. */
static bool is_whole(bx_str text, uint64_t *ops)
{
    size_t at = text.n;
    if (at == 0 || text.p[at - 1] != '\n')
        return false;
    for (at--; at > 0 && text.p[at - 1] != '\n';)
        at--;
    char is[64];
    bx_str last = bx_str_sub(text, at, text.n), words = bx_str_sub(last, 0, last.n - 1);
    bool counted = bx_str_eq(bx_str_cut(&words, ' '), BX_STR("end")) && words.p &&
                   bx_str_u64(bx_str_cut(&words, ' '), ops);
    snprintf(is, sizeof is, END_LINE, *ops, bx_journal_sum(text.p, at));
    return counted && bx_str_eq(last, bx_str_of(is));
}

int bx_journal_parse(bx_str bytes, bx_arena *arena, bx_journal *j, bx_error *e)
{
    reader r = {.rest = bytes, .arena = arena};
    uint64_t ops = 0;
    if (!is_whole(bytes, &ops) || ops > bytes.n)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "it is cut off or damaged");
    bx_journal made = {.n = ops};
    r.failed |= line(&r, "boxscore journal 1").n != 0;
    made.machine = text_after(&r, "machine ");
    made.boot = text_after(&r, "boot ");
    made.cpu = text_after(&r, "cpu ");
    bx_str owner = line(&r, "owner ");
    made.owner.pid = (pid_t)read_number(&r, &owner, INT32_MAX);
    made.owner.start_time = read_number(&r, &owner, UINT64_MAX);
    made.counts = printable(&r, line(&r, "counts "));
    made.ops = bx_arena_get(arena, (made.n + 1) * sizeof *made.ops);
    for (size_t i = 0; made.ops && i < made.n && !r.failed; i++)
        read_op(&r, &made.ops[i]);
    line(&r, "end ");
    if (arena->failed)
        return bx_out_of_memory(e);
    if (r.failed)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "it is not a journal of this version");
    *j = made;
    return BX_OK;
}
