/* Parses the option `--threads`. */
#include "machine/program/task/core_list.h"

#include "base/error.h"

#include <string.h>

static void add_core(bx_core_list *list, unsigned core)
{
    if (!memchr(list->core, (int)core, list->n))
        list->core[list->n++] = (unsigned char)core;
}

static void spread(const bx_topology *t, bx_core_list *list)
{
    for (unsigned core = 0; core < t->cores; core++)
        for (unsigned package = 0; package < t->packages; package++)
            add_core(list, package * t->cores + core);
}

static int refuse_cores(const char *text, bx_error *e)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.40s' is no list of cores", text);
    bx_hint(e, "compact, spread, or cores such as 0-3,8");
    return BX_BAD_INPUT;
}

/* Parses digits; false: there are none. */
static bool read_number(const char **p, unsigned *n)
{
    const char *from = *p;
    for (*n = 0; **p >= '0' && **p <= '9' && *n < 1000; (*p)++)
        *n = 10 * *n + (unsigned)(**p - '0');
    return *p != from;
}

/* Parses NUMBER or NUMBER-NUMBER. */
static int read_range(const char *text, const char **p, unsigned cores, bx_core_list *list,
                      bx_error *e)
{
    unsigned first, last;
    if (!read_number(p, &first))
        return refuse_cores(text, e);
    last = first;
    if (**p == '-' && ((*p)++, !read_number(p, &last)))
        return refuse_cores(text, e);
    if (last < first)
        return refuse_cores(text, e);
    if (last >= cores)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.40s' names core %u, and the machine has %u: 0-%u",
                       text, last, cores, cores - 1);
    for (unsigned core = first; core <= last; core++)
        add_core(list, core);
    return BX_OK;
}

int bx_core_list_parse(const char *text, const bx_topology *t, bx_core_list *list, bx_error *e)
{
    unsigned cores = t->packages * t->cores;
    *list = (bx_core_list){.of_package = t->cores};
    if (!text || strcmp(text, "compact") == 0) {
        for (unsigned core = 0; core < cores; core++)
            add_core(list, core);
        return BX_OK;
    }
    if (strcmp(text, "spread") == 0) {
        spread(t, list);
        return BX_OK;
    }
    for (const char *p = text;; p++) {
        int code = read_range(text, &p, cores, list, e);
        if (code != BX_OK || !*p)
            return code;
        if (*p != ',')
            return refuse_cores(text, e);
    }
}
