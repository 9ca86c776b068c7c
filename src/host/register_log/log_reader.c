/* Parses the lines of a register log, and keeps the first error with its line number. */
#include "host/register_log/log_reader.h"

#include "host/register_log/part.h"
#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1 << 20 }; /* in the head: a list of events may be long */

void bx_register_log_fail(bx_register_log *r, const char *what)
{
    if (r->error.code == BX_OK)
        bx_fail(&r->error, BX_BAD_INPUT, 0, 0, "'%.80s', line %lu: %s", r->path,
                bx_part_lines(fileno(r->file), r->skipped) + r->line, what);
    r->kind = BX_RECORDED_END;
}

/* The next line without its line feed; p NULL at the end of the file or after an error. */
static bx_str read_line(bx_register_log *r)
{
    size_t n = 0;
    int c = EOF;
    if (r->error.code)
        return (bx_str){0};
    while (n < LONGEST_LINE && (c = getc_unlocked(r->file)) != EOF && c != '\n')
        r->bytes[n++] = (char)c;
    if (c == EOF && n == 0 && !ferror(r->file))
        return (bx_str){0};
    r->line++;
    if (ferror(r->file))
        bx_register_log_fail(r, "it cannot be read");
    else if (c != '\n')
        bx_register_log_fail(r, c == EOF ? "the file ends in the middle of a line"
                                         : "the line is too long");
    return r->error.code ? (bx_str){0} : (bx_str){r->bytes, n};
}

static bool skip_text(bx_str *rest, const char *word)
{
    size_t n = strlen(word);
    if (rest->n < n || memcmp(rest->p, word, n) != 0)
        return false;
    *rest = bx_str_sub(*rest, n, rest->n);
    return true;
}

static bool parse_number(bx_str *rest, uint64_t *number)
{
    size_t n = 0;
    while (n < rest->n && bx_is_digit(rest->p[n]))
        n++;
    if (!bx_str_u64(bx_str_sub(*rest, 0, n), number))
        return false;
    *rest = bx_str_sub(*rest, n, rest->n);
    return true;
}

/* Parses a time, which must not be before the last one. */
static bool parse_time(const bx_register_log *r, bx_str *rest, uint64_t *time)
{
    return parse_number(rest, time) && *time >= r->at;
}

/* Parses the rest of a line that begins with "# ran @" or "# ran to the end @". */
static bool parse_run(bx_register_log *r, bx_str *rest)
{
    uint64_t status = 0;
    r->kind = BX_RECORDED_RUN;
    r->until = UINT64_MAX;
    bool whole = parse_time(r, rest, &r->at);
    if (skip_text(rest, " until "))
        whole &= parse_number(rest, &r->until);
    if (r->done)
        whole =
            whole && skip_text(rest, " status ") && parse_number(rest, &status) && status <= 255;
    r->status = (int)status;
    return whole;
}

/* "# ran @1200 until 1000", "# ran to the end @1200 status 0", "# looked @1200"; any other comment
 * is for people. */
static void comment(bx_register_log *r, bx_str line)
{
    bx_str rest = line;
    bool whole;
    if ((r->done = skip_text(&rest, "# ran to the end @")) || skip_text(&rest, "# ran @")) {
        whole = parse_run(r, &rest);
    } else if (skip_text(&rest, "# looked @")) {
        r->kind = BX_RECORDED_CLOCK;
        whole = parse_time(r, &rest, &r->at);
    } else {
        return;
    }
    if (!whole || rest.n)
        bx_register_log_fail(r, "the comment is no longer as it was recorded");
}

static void access_line(bx_register_log *r, bx_str line)
{
    bx_error e = {0};
    bool any;
    if (bx_reglog_parse(line, &r->access, &any, &e)) {
        bx_register_log_fail(r, e.message);
    } else if (any) {
        if (!r->access.timed || r->access.time < r->at) {
            bx_register_log_fail(r, "the access has no time, or one before the last");
            return;
        }
        r->kind = BX_RECORDED_ACCESS;
        r->at = r->access.time;
    }
}

static const char first_line[] = BX_PART_LINE;

/* Reads the next line that a replay needs, unless it was read already. */
enum bx_recorded bx_register_log_peek(bx_register_log *r)
{
    while (r->kind == BX_RECORDED_NOTHING) {
        bx_str line = read_line(r);
        if (!line.p || skip_text(&line, first_line))
            r->kind = BX_RECORDED_END;
        else if (line.n && line.p[0] == '#')
            comment(r, line);
        else
            access_line(r, line);
    }
    return r->kind;
}

void bx_register_log_take(bx_register_log *r)
{
    r->kind = BX_RECORDED_NOTHING;
}

/* Reads up to the first line of a part. */
static bool find_part(bx_register_log *r, unsigned part)
{
    r->skipped = bx_part_find(fileno(r->file), part + 1u);
    if (r->skipped && fseeko(r->file, (off_t)r->skipped, SEEK_SET))
        return false;
    for (bx_str line; (line = read_line(r)).p;) {
        uint64_t number;
        if (r->line == 1 && !(line.n >= sizeof first_line && line.p[0] == '#' &&
                              memcmp(line.p, first_line, sizeof first_line - 1) == 0))
            return false;
        if (skip_text(&line, first_line) && parse_number(&line, &number) && number == part + 1u)
            return true;
    }
    return false;
}

/* Reads all comments before the first line that a replay needs. */
static void read_head(bx_register_log *r)
{
    while (r->kind == BX_RECORDED_NOTHING) {
        bx_str line = read_line(r);
        if (!line.p) {
            r->kind = BX_RECORDED_END;
        } else if (line.n && line.p[0] == '#') {
            comment(r, line);
            bx_buf_str(&r->head, line);
            bx_buf_z(&r->head, "\n");
        } else {
            access_line(r, line);
        }
        if (r->head.n > LONGEST_LINE)
            bx_register_log_fail(r, "the head is too long");
    }
}

int bx_register_log_open(bx_register_log *r, const char *path, unsigned part, bx_error *e)
{
    *r = (bx_register_log){.path = strdup(path), .bytes = malloc(LONGEST_LINE)};
    if (!r->path || !r->bytes)
        return bx_out_of_memory(e);
    r->file = fopen(path, "re");
    if (!r->file)
        return bx_fail(e, bx_code_of(errno), 0, 0, "cannot read '%.160s': %s", path,
                       strerror(errno));
    bool found = find_part(r, part);
    if (!found && r->line > 1 && r->error.code == BX_OK)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "the register log '%.160s' has no run %u", path,
                       part + 1);
    if (!found && r->error.code == BX_OK) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.160s' is no register log of a measurement", path);
        bx_hint(e, "boxscore stat --log-registers FILE makes one");
        return BX_BAD_INPUT;
    }
    if (found)
        read_head(r);
    if (r->error.code) {
        *e = r->error;
        return e->code;
    }
    return r->head.failed ? bx_out_of_memory(e) : BX_OK;
}

void bx_register_log_close(bx_register_log *r)
{
    if (r->file)
        fclose(r->file);
    bx_buf_free(&r->head);
    free(r->bytes);
    free(r->path);
}
