/* Binaries without debug information, and the packages that have it. */
#include "profile/nameless.h"

#include "base/buf.h"
#include "base/error.h"

#include <string.h>

enum { PATHS_MOST = 8 };

static const char sql[] =
    "SELECT \"binary\".path, sum(n) AS cycles FROM temp.sums JOIN code ON code.id = sums.code JOIN "
    "\"binary\" ON \"binary\".id = code.\"binary\" JOIN event ON event.id = sums.event WHERE "
    "code.file IS NULL AND (event.name = 'issue' OR event.name LIKE 'wait:%') GROUP BY "
    "\"binary\".path HAVING 100 * cycles >= ?1 ORDER BY cycles DESC, 1 LIMIT 8";

typedef struct nameless_binary {
    const char *path, *package; /* package NULL: none, or not known */
    double share;
} nameless_binary;

/* Packages once each, with their binaries. */
static void word_binaries(const nameless_binary *b, unsigned n, bx_buf *to)
{
    for (unsigned i = 0; i < n; i++) {
        const char *name = strrchr(b[i].path, '/');
        bool again = false;
        for (unsigned k = 0; k < i; k++)
            again |= b[k].package && b[i].package && !strcmp(b[k].package, b[i].package);
        bx_buf_f(to, "%s%s (%.0f %% of the time)", to->n ? ", " : "", name ? name + 1 : b[i].path,
                 100 * b[i].share);
        if (b[i].package && !again)
            bx_buf_f(to, ": apt-get install %s", b[i].package);
        else if (!b[i].package)
            bx_buf_z(to, ": compile it with -g");
    }
}

int bx_profile_note_nameless(bx_profile *p, bx_package_of *package_of, void *context, bx_error *e)
{
    const char *names = bx_profile_fact_text(p, "names");
    const bx_cell least = bx_cell_number((uint64_t)p->time);
    nameless_binary binary[PATHS_MOST];
    unsigned n = 0;
    bx_cell cell[2];
    bx_buf text = {0};
    if (!p->tells_who || !p->time || !names || strcmp(names, "libdw") != 0)
        return BX_OK;
    int code = bx_profile_sum_costs(p, e);
    if (!code)
        code = bx_recording_ask(p->from, sql, &least, 1, e);
    while (!code && n < PATHS_MOST && bx_recording_next(p->from, cell, 2)) {
        const char *path = bx_profile_copy(p, &cell[0]);
        if (path)
            binary[n++] = (nameless_binary){path, NULL, (double)cell[1].number / (double)p->time};
    }
    if (!code)
        code = bx_recording_answered(p->from, e);
    for (unsigned i = 0; i < n && !code; i++)
        binary[i].package = package_of(context, binary[i].path, p->arena);
    word_binaries(binary, n, &text);
    if (text.n && !code)
        p->nameless = bx_arena_copy(p->arena, bx_str_of(bx_buf_text(&text)));
    bool whole = !text.failed && !p->arena->failed;
    bx_buf_free(&text);
    return code ? code : whole ? BX_OK : bx_out_of_memory(e);
}
