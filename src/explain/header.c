#include "explain/trace.h"

#include "base/error.h"

#include <string.h>

void bx_trace_header(bx_buf *to, const bx_topology *t, const char *tool)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(t->catalog)[t->cpu];
    char name[256];
    bx_topology_name(t, name, sizeof name);
    bx_buf_f(to, "# command: %s\n# machine: %s\n# CPU: %s\n", tool, name,
             bx_cat_z(t->catalog, cpu->title));
    bx_buf_z(to, "# lines: cpu<N> R|W <MSR> <value>   or   pci <bus:dev.fn> R|W<bits> <offset> "
                 "<value>   or   mem R|W<bits> <address> <value>; 'fault' behind one that faulted; "
                 "in time order\n");
}

static ptrdiff_t find(bx_str line, const char *what)
{
    size_t n = strlen(what);
    for (size_t i = 0; i + n <= line.n; i++)
        if (memcmp(line.p + i, what, n) == 0)
            return (ptrdiff_t)(i + n);
    return -1;
}

/* The word that follows `what` in a line; empty: it is not in there. */
static bx_str behind(bx_str line, const char *what)
{
    ptrdiff_t at = find(line, what);
    bx_str rest = at < 0 ? (bx_str){0} : bx_str_sub(line, (size_t)at, line.n);
    return bx_str_trim(bx_str_cut(&rest, ' '));
}

/* CPUID leaf 1, EAX: SDM volume 2. */
static uint16_t cpu_of(const struct bx_catalog *c, uint64_t signature)
{
    unsigned family = (unsigned)(signature >> 8 & 0xf), model = (unsigned)(signature >> 4 & 0xf);
    return bx_cat_find_cpu_by_id(c, family, model | (unsigned)(signature >> 12 & 0xf0));
}

static int of_cpu(const struct bx_catalog *c, bx_str word, uint64_t signature, bx_topology *t,
                  bx_error *e)
{
    bx_buf spec = {0};
    uint16_t cpu = cpu_of(c, signature);
    if (cpu == BX_NONE)
        return bx_fail(e, BX_NOT_FOUND, 0, 0, "the catalogue has no CPU of signature %.*s",
                       (int)word.n, word.p);
    bx_buf_f(&spec, "virtual:%s", bx_cat_z(c, bx_cat_cpus(c)[cpu].name));
    int code = spec.failed ? bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory")
                           : bx_topology_parse(c, (bx_str){spec.p, spec.n}, t, e);
    bx_buf_free(&spec);
    return code;
}

int bx_trace_machine(const struct bx_catalog *c, bx_str text, bx_topology *t, bx_error *e)
{
    while (text.p) {
        bx_str line = bx_str_trim(bx_str_cut(&text, '\n'));
        uint64_t signature;
        if (!line.n || line.p[0] != '#')
            break;
        bx_str spec = behind(line, "# machine: ");
        if (spec.n)
            return bx_topology_parse(c, spec, t, e);
        bx_str word = behind(line, "CPUID signature ");
        if (bx_str_u64(word, &signature))
            return of_cpu(c, word, signature, t, e);
    }
    bx_fail(e, BX_NOT_FOUND, 0, 0, "the trace does not say which CPU model it is of");
    bx_hint(e, "--machine virtual:skl, or a line '# machine: virtual:skl' at its beginning");
    return BX_NOT_FOUND;
}
