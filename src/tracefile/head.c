/* Writes and parses the head of a trace file. */
#include "tracefile/head.h"

#include "base/error.h"
#include "tracefile/cksum.h"
#include "tracer/trace_format.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

/* Writes a text as one line; bytes that would break it are escaped. */
static void write_text(bx_buf *to, const char *key, const char *text)
{
    bx_buf_f(to, "%s ", key);
    for (const char *p = text; *p; p++) {
        bool plain = (unsigned char)*p >= ' ' && *p != 0x7f && *p != '\\';
        if (plain)
            bx_buf_add(to, p, 1);
        else
            bx_buf_f(to, "\\x%02x", (unsigned char)*p);
    }
    bx_buf_z(to, "\n");
}

static uint32_t sum_of(bx_str text)
{
    bx_cksum sum;
    bx_cksum_begin(&sum);
    bx_cksum_add(&sum, text.p, text.n);
    return bx_cksum_of(&sum);
}

static void write_number(bx_buf *to, const char *key, uint64_t value)
{
    bx_buf_f(to, "%s %llu\n", key, (unsigned long long)value);
}

void bx_tracefile_head_write(const bx_tracefile_head *h, bx_buf *to)
{
    write_number(to, "boxscore trace", BX_TRACEFILE_VERSION);
    write_number(to, "words", BX_TRACE_VERSION);
    for (size_t i = 0; i < h->arguments; i++)
        write_text(to, "argument", h->argument[i]);
    write_number(to, "cpus", h->cpus);
    write_number(to, "page-bytes", h->page_bytes);
    write_text(to, "cpu-features", h->features ? h->features : "");
    write_number(to, "cksum", sum_of((bx_str){bx_buf_text(to), to->n}));
    bx_buf_z(to, "\n");
}

/* ---- reading ---- */

/* Copies a text and resolves its escapes. NULL: out of memory, or an invalid escape (*wrong). */
static char *text_of(bx_str s, bool *wrong)
{
    char *copy = malloc(s.n + 1), *to = copy;
    for (size_t i = 0; copy && i < s.n && !*wrong; i++) {
        unsigned value = (unsigned char)s.p[i];
        if (value == '\\') {
            *wrong = s.n - i < 4 || s.p[i + 1] != 'x' || bx_digit_value(s.p[i + 2]) > 15 ||
                     bx_digit_value(s.p[i + 3]) > 15;
            value = *wrong ? 0 : bx_digit_value(s.p[i + 2]) * 16 + bx_digit_value(s.p[i + 3]);
            *wrong |= value == 0;
            i += 3;
        }
        *to++ = (char)value;
    }
    if (copy)
        *to = '\0';
    return copy;
}

static int malformed(bx_error *e, bx_str line)
{
    return bx_fail(e, BX_BAD_INPUT, 0, 0, "the trace's head has a line that is malformed: '%.*s'",
                   BX_QUOTED(line));
}

static int read_text(char **to, bx_str value, bx_str line, bx_error *e)
{
    bool wrong = false;
    free(*to);
    *to = text_of(value, &wrong);
    if (wrong)
        return malformed(e, line);
    return *to ? BX_OK : bx_out_of_memory(e);
}

/* The argument list of a head that was read; the head owns it. */
static char **list_of(const bx_tracefile_head *h)
{
    char **list;
    memcpy(&list, &h->argument, sizeof list);
    return list;
}

static int read_argument(bx_tracefile_head *h, bx_str value, bx_str line, bx_error *e)
{
    if ((h->arguments & (h->arguments - 1)) == 0) {
        size_t room = h->arguments ? 2 * h->arguments : 1;
        char **more = realloc(list_of(h), room * sizeof *more);
        if (!more)
            return bx_out_of_memory(e);
        h->argument = more;
    }
    list_of(h)[h->arguments++] = NULL;
    return read_text(&list_of(h)[h->arguments - 1], value, line, e);
}

static int read_head_number(uint64_t *to, bx_str value, bx_str line, bx_error *e)
{
    return bx_str_u64(value, to) ? BX_OK : malformed(e, line);
}

/* Reads a line. Optional lines of later versions are ignored. */
static int read_head_line(bx_tracefile_head *h, bx_str line, bx_error *e)
{
    bx_str value = line, key = bx_str_cut(&value, ' ');
    if (bx_str_eq(key, BX_STR("argument")))
        return read_argument(h, value, line, e);
    if (bx_str_eq(key, BX_STR("cpus")))
        return read_head_number(&h->cpus, value, line, e);
    if (bx_str_eq(key, BX_STR("page-bytes")))
        return read_head_number(&h->page_bytes, value, line, e);
    if (bx_str_eq(key, BX_STR("cpu-features")))
        return read_text(&h->features, value, line, e);
    return BX_OK;
}

/* Checks the first two lines. */
static int check_versions(bx_str *rest, uint64_t *version, bx_error *e)
{
    const struct {
        bx_str key;
        uint64_t oldest, newest;
    } first[] = {{BX_STR("boxscore trace "), BX_TRACEFILE_OLDEST, BX_TRACEFILE_VERSION},
                 {BX_STR("words "), BX_TRACE_OLDEST, BX_TRACE_VERSION}};
    for (size_t i = 0; i < 2; i++) {
        bx_str line = bx_str_cut(rest, '\n'), key = first[i].key;
        uint64_t value;
        if (!bx_str_eq(bx_str_sub(line, 0, key.n), key) ||
            !bx_str_u64(bx_str_sub(line, key.n, line.n), &value))
            return bx_fail(e, BX_BAD_INPUT, 0, 0, "this is no trace: it does not begin with '%.*s'",
                           BX_QUOTED(first[0].key));
        if (value < first[i].oldest || value > first[i].newest) {
            bx_fail(e, BX_BAD_INPUT, 0, 0, "the trace is of version %llu (%s), which is unknown",
                    (unsigned long long)value, i ? "of its words" : "of the file");
            bx_hint(e, "trace the program again with this boxscore");
            return BX_BAD_INPUT;
        }
        *version = i == 0 ? value : *version;
    }
    return BX_OK;
}

/* Checks the last line, the checksum of all above it. */
static int check_sum(bx_str above, bx_str line, uint64_t version, bx_error *e)
{
    bx_str value = line;
    uint64_t sum;
    bool has = bx_str_eq(bx_str_cut(&value, ' '), BX_STR("cksum"));
    if (!has && version < 2)
        return BX_OK;
    if (has && bx_str_u64(value, &sum) && sum == sum_of(above))
        return BX_OK;
    bx_fail(e, BX_BAD_INPUT, 0, 0, "the trace's head is damaged: %s",
            has ? "it does not have the checksum that it says" : "its checksum is missing");
    bx_hint(e, "trace the program again");
    return BX_BAD_INPUT;
}

int bx_tracefile_head_read(bx_tracefile_head *h, bx_str text, bx_error *e)
{
    bx_str rest = text, line = {NULL, 0};
    uint64_t version = 0;
    *h = (bx_tracefile_head){0};
    int code = check_versions(&rest, &version, e);
    while (code == BX_OK && rest.n) {
        bx_str next = bx_str_cut(&rest, '\n');
        code = next.n ? read_head_line(h, next, e) : BX_OK;
        line = next.n ? next : line;
    }
    if (code == BX_OK && line.n)
        code = check_sum((bx_str){text.p, (size_t)(line.p - text.p)}, line, version, e);
    if (code == BX_OK && (!h->arguments || h->page_bytes != BX_TRACE_PAGE))
        return bx_fail(e, BX_BAD_INPUT, 0, 0,
                       h->arguments
                           ? "the trace was made with pages of another size than 4096 bytes"
                           : "the trace's head names no program");
    return code;
}

void bx_tracefile_head_free(bx_tracefile_head *h)
{
    for (size_t i = 0; i < h->arguments; i++)
        free(h->argument[i]);
    free(list_of(h));
    free(h->features);
    *h = (bx_tracefile_head){0};
}
