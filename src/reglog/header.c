/* The first comments of a register log: command, machine and format. */
#include "reglog/reglog.h"

#include "base/error.h"

#include <string.h>

static const bx_cat_pmu *pmus_of(const bx_topology *t)
{
    return &bx_cat_pmus(t->catalog)[bx_cat_cpus(t->catalog)[t->cpu].pmus.first];
}

/* Writes the machine. A virtual machine has its machine string; a host has keys of its own and the
 * numbers of units. */
static void machine_lines(bx_buf *to, const bx_topology *t)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(t->catalog)[t->cpu];
    if (!t->is_this_machine) {
        char name[256];
        bx_topology_name(t, name, sizeof name);
        bx_buf_f(to, "# machine: %s\n", name);
        return;
    }
    bx_buf_f(to, "# machine: host,cpu=%s,packages=%u,cores=%u\n# units:",
             bx_cat_z(t->catalog, cpu->name), t->packages, t->cores);
    for (unsigned i = 0; i < cpu->pmus.n && i < BX_PMUS; i++)
        bx_buf_f(to, " %s=%u", bx_cat_z(t->catalog, pmus_of(t)[i].name), t->units[i]);
    bx_buf_z(to, "\n");
}

void bx_reglog_header(bx_buf *to, const bx_topology *t, const char *tool)
{
    bx_buf_f(to, "# command: %s\n", tool);
    machine_lines(to, t);
    bx_buf_f(to, "# CPU: %s\n", bx_cat_z(t->catalog, bx_cat_cpus(t->catalog)[t->cpu].title));
    bx_buf_z(to, "# lines: cpu<N> R|W <MSR> <value>   or   pci <bus:dev.fn> R|W<bits> <offset> "
                 "<value>   or   mem R|W<bits> <address> <value>; 'fault' after one that faulted; "
                 "in time order\n");
}

static ptrdiff_t find_word(bx_str line, const char *what)
{
    size_t n = strlen(what);
    for (size_t i = 0; i + n <= line.n; i++)
        if (memcmp(line.p + i, what, n) == 0)
            return (ptrdiff_t)(i + n);
    return -1;
}

/* The word that follows `what` and blanks in a line; empty: the line lacks `what`. */
static bx_str behind(bx_str line, const char *what)
{
    ptrdiff_t at = find_word(line, what);
    bx_str rest = at < 0 ? (bx_str){0} : bx_str_trim(bx_str_sub(line, (size_t)at, line.n));
    size_t n = 0;
    while (n < rest.n && !bx_is_blank(rest.p[n]))
        n++;
    return bx_str_sub(rest, 0, n);
}

/* CPUID leaf 1, EAX: SDM volume 2. */
static bx_cat_id id_of(uint64_t signature)
{
    return (bx_cat_id){(uint16_t)(signature >> 8 & 0xf),
                       (uint16_t)((signature >> 4 & 0xf) | (signature >> 12 & 0xf0))};
}

static int unknown_cpu(const struct bx_catalog *c, bx_str word, uint64_t signature, bx_error *e)
{
    bx_cat_id id = id_of(signature);
    uint16_t near = bx_cat_find_relative(c, id.family, id.model);
    bx_fail(e, BX_NOT_FOUND, 0, 0, "the catalogue has no CPU of signature %.*s", (int)word.n,
            word.p);
    if (near == BX_NONE)
        bx_hint(e, "the machine virtual:CPU explains it as another one");
    else
        bx_hint(e, "%s comes nearest: virtual:%s", bx_cat_z(c, bx_cat_cpus(c)[near].title),
                bx_cat_z(c, bx_cat_cpus(c)[near].name));
    return BX_NOT_FOUND;
}

static int of_cpu(const struct bx_catalog *c, bx_str word, uint64_t signature, bx_topology *t,
                  bx_error *e)
{
    bx_buf spec = {0};
    bx_cat_id id = id_of(signature);
    uint16_t cpu = bx_cat_find_cpu_by_id(c, id.family, id.model);
    if (cpu == BX_NONE)
        return unknown_cpu(c, word, signature, e);
    bx_buf_f(&spec, "virtual:%s", bx_cat_z(c, bx_cat_cpus(c)[cpu].name));
    int code =
        spec.failed ? bx_out_of_memory(e) : bx_topology_parse(c, (bx_str){spec.p, spec.n}, t, e);
    bx_buf_free(&spec);
    return code;
}

/* Parses "cpu=skl,packages=1,cores=4". */
static int of_host(const struct bx_catalog *c, bx_str keys, bx_topology *t, bx_error *e)
{
    uint64_t packages = 0, cores = 0;
    uint16_t cpu = BX_NONE;
    while (keys.p) {
        bx_str value = bx_str_cut(&keys, ','), key = bx_str_cut(&value, '=');
        if (bx_str_eq(key, BX_STR("cpu")))
            cpu = bx_cat_find_cpu(c, value);
        else if (bx_str_eq(key, BX_STR("packages")))
            (void)!bx_str_u64(value, &packages);
        else if (bx_str_eq(key, BX_STR("cores")))
            (void)!bx_str_u64(value, &cores);
    }
    if (cpu == BX_NONE)
        return bx_fail(e, BX_NOT_FOUND, 0, 0,
                       "the register log is of a CPU model not in the catalogue");
    if (packages == 0 || cores == 0 || packages > UINT16_MAX || cores > UINT16_MAX / packages)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "the register log is of no possible machine");
    bx_topology_real(c, cpu, (unsigned)packages, (unsigned)cores, t);
    return BX_OK;
}

/* Parses "skl_unc_cbo=4 skl_unc_arb=1". */
static void take_units(bx_str words, bx_topology *t)
{
    while (words.p) {
        bx_str value = bx_str_cut(&words, ' '), name = bx_str_cut(&value, '=');
        uint64_t units;
        for (unsigned i = 0; i < bx_cat_cpus(t->catalog)[t->cpu].pmus.n && i < BX_PMUS; i++)
            if (bx_str_eq(name, bx_cat_str(t->catalog, pmus_of(t)[i].name)) &&
                bx_str_u64(value, &units) && units <= pmus_of(t)[i].unit_max)
                t->units[i] = (uint8_t)units;
    }
}

/* Takes the numbers of units from the next line, if it has them. */
static int host_with_units(const struct bx_catalog *c, bx_str spec, bx_str text, bx_topology *t,
                           bx_error *e)
{
    int code = of_host(c, spec, t, e);
    bx_str line = bx_str_trim(bx_str_cut(&text, '\n'));
    ptrdiff_t at = find_word(line, "# units: ");
    if (code == BX_OK && at >= 0)
        take_units(bx_str_sub(line, (size_t)at, line.n), t);
    return code;
}

int bx_reglog_machine(const struct bx_catalog *c, bx_str text, bx_topology *t, bx_error *e)
{
    while (text.p) {
        bx_str line = bx_str_trim(bx_str_cut(&text, '\n'));
        uint64_t signature;
        if (!line.n || line.p[0] != '#')
            break;
        bx_str spec = behind(line, "# machine:");
        if (bx_str_starts_fold(spec, BX_STR("host,")))
            return host_with_units(c, bx_str_sub(spec, 5, spec.n), text, t, e);
        if (spec.n)
            return bx_topology_parse(c, spec, t, e);
        bx_str word = behind(line, "CPUID signature");
        if (bx_str_u64(word, &signature))
            return of_cpu(c, word, signature, t, e);
    }
    bx_fail(e, BX_NOT_FOUND, 0, 0, "the register log does not say which CPU model it is of");
    bx_hint(e, "name a machine, or write a line '# machine: virtual:skl' at its beginning");
    return BX_NOT_FOUND;
}
