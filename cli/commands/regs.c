/* boxscore regs: the contents of all monitoring registers of a machine. Nothing is written. */
#include "guard/allow_list.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/common/names.h"
#include "event/event.h"
#include "machine/machine.h"
#include "register/register.h"
#include "event/decode/decode.h"

#include <errno.h>
#include <string.h>

typedef struct values {
    const char *machine, *pmu;
    bx_machine_options host;
    bool all, json;
} values;

static const values defaults = {
    .machine = "host",
    .host = {.size = sizeof(bx_machine_options), .driver = BX_DRIVER_REGISTERS},
};

static const bx_option options[] = {
    BX_OPTION_MACHINE(values, machine),
    BX_OPTION_ROOT(values, host.root),
    BX_OPTION_HELPER(values, host.helper),
    {.name = "pmu",
     .kind = BX_OPTION_TEXT,
     .metavar = "PMU",
     .help = "registers of this PMU only, such as 'skl_unc_cbo'",
     .offset = offsetof(values, pmu)},
    {.name = "all",
     .letter = 'a',
     .kind = BX_OPTION_FLAG,
     .help = "registers and fields that hold 0, too",
     .offset = offsetof(values, all)},
    BX_OPTION_JSON(values),
};

/* A register of a CPU, and its value. */
typedef struct held {
    const bx_allowed *r;
    unsigned package, cpu;
    uint64_t value;
    int err;                 /* 0, or the errno of reading it */
    const bx_decoded *event; /* the event that it selects, or NULL */
} held;

/* All registers that were read, in the order of the output. */
typedef struct reading {
    const bx_catalog *c;
    held *list;
    bx_decoded *events;
    size_t n;
    bool no_memory;
} reading;

static bool is_per_core(const bx_catalog *c, const bx_allowed *r)
{
    return bx_cat_pmus(c)[bx_cat_regs(c)[r->reg].pmu].scope != BX_SCOPE_PACKAGE;
}

static void read_one(bx_machine *m, held *h)
{
    bx_bus *bus = bx_machine_bus(m);
    const bx_address at = {h->r->space, h->r->width, (uint16_t)h->cpu, h->r->offset};
    h->err = bus->read(bus, &at, &h->value);
}

/* Reads the registers of a unit on a CPU; a PMU that each core has is read as unit 0. Write-only
 * registers are left out. */
static void read_unit(bx_machine *m, const bx_allow *a, uint16_t pmu, unsigned unit,
                      const held *where, reading *to)
{
    for (size_t i = 0; i < a->n; i++) {
        const bx_allowed *r = &a->list[i];
        if (r->write_only || bx_cat_regs(to->c)[r->reg].pmu != pmu || r->unit != unit ||
            (r->package != BX_ANY_PACKAGE && r->package != where->package))
            continue;
        to->list[to->n] = (held){.r = r, .package = where->package, .cpu = where->cpu};
        read_one(m, &to->list[to->n]);
        to->no_memory |= to->list[to->n++].err == ENOMEM;
    }
}

static void read_pmu(bx_machine *m, const bx_allow *a, uint16_t pmu, reading *to)
{
    unsigned cores = bx_machine_cores(m);
    bool per_core = bx_cat_pmus(to->c)[pmu].scope != BX_SCOPE_PACKAGE;
    for (unsigned package = 0; package < bx_machine_packages(m); package++) {
        for (unsigned core = 0; core < (per_core ? cores : 1); core++) {
            const held where = {.package = package, .cpu = package * cores + core};
            for (unsigned unit = 0; unit < bx_machine_units(m, pmu); unit++)
                read_unit(m, a, pmu, unit, &where, to);
        }
    }
}

/* ---- events ---- */

/* Collects the registers of one CPU for bx_decode(), which takes addresses without a base. */
static size_t raws_of(const reading *of, unsigned cpu, unsigned package, bx_raw *raw)
{
    size_t n = 0;
    for (size_t i = 0; i < of->n; i++) {
        const held *h = &of->list[i];
        if (h->err || h->package != package || (is_per_core(of->c, h->r) && h->cpu != cpu))
            continue;
        raw[n++] = bx_register_raw(of->c, h->r->reg, h->r->unit, h->value);
    }
    return n;
}

static void give(reading *to, const bx_decoded *d, unsigned cpu, unsigned package)
{
    for (size_t i = 0; i < to->n; i++) {
        held *h = &to->list[i];
        if (h->r->reg == d->reg && h->r->unit == (unsigned)d->event.unit && h->package == package &&
            (!is_per_core(to->c, h->r) || h->cpu == cpu))
            h->event = d;
    }
}

static int decode(bx_machine *m, reading *to, bx_arena *arena, bx_error *e)
{
    size_t used = 0, n;
    unsigned cores = bx_machine_cores(m), cpus = cores * bx_machine_packages(m);
    bx_raw *raw = bx_arena_get(arena, (to->n + 1) * sizeof *raw);
    to->events = bx_arena_get(arena, (to->n + 1) * cores * sizeof *to->events);
    if (!raw || !to->events)
        return bx_out_of_memory(e);
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        bx_decoded *events = &to->events[used];
        size_t raws = raws_of(to, cpu, cpu / cores, raw);
        int code = bx_decode(to->c, bx_machine_cpu(m), raw, raws, events, raws, &n, e);
        if (code != BX_OK)
            return code;
        for (size_t i = 0; i < n; i++)
            give(to, &events[i], cpu, cpu / cores);
        used += n;
    }
    return BX_OK;
}

/* ---- text ---- */

static const char *reason(int err)
{
    return err == EIO ? "the access faults" : strerror(err);
}

static void fields(bx_buf *to, const bx_catalog *c, const held *h, bool all)
{
    bx_span span = bx_cat_regs(c)[h->r->reg].fields;
    const char *between = "      ";
    for (unsigned i = 0; i < span.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[span.first + i];
        uint64_t value = bx_field_of(f, h->value);
        bool is_whole = span.n == 1 && value == h->value; /* a whole register: a count */
        if (is_whole || (!value && (!all || f->kind == BX_FIELD_IGNORED)))
            continue;
        bx_buf_f(to, "%s%s 0x%llx", between, bx_cat_z(c, f->name), (unsigned long long)value);
        between = ", ";
    }
    bx_buf_z(to, *between == ',' ? "\n" : "");
    uint64_t foreign = bx_register_invalid_bits(c, h->r->reg, h->value);
    if (foreign)
        bx_buf_f(to, "      bits 0x%llx are not described\n", (unsigned long long)foreign);
}

static bool same_unit(const bx_catalog *c, const held *a, const held *b)
{
    return bx_cat_regs(c)[a->r->reg].pmu == bx_cat_regs(c)[b->r->reg].pmu &&
           a->r->unit == b->r->unit && a->cpu == b->cpu;
}

static void heading(bx_buf *to, const bx_catalog *c, const held *h, const bx_machine *m)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[bx_cat_regs(c)[h->r->reg].pmu];
    if (bx_machine_packages(m) > 1)
        bx_buf_f(to, "package %u, ", h->package);
    unsigned core = h->cpu % bx_machine_cores(m);
    if (pmu->scope == BX_SCOPE_CPU)
        bx_buf_f(to, "core %u, ", core);
    unsigned unit = pmu->scope == BX_SCOPE_CORE ? core : h->r->unit;
    bx_buf_f(to, "%s (%s)\n", bx_pattern_word(c, pmu->unit_label, unit, 0).text,
             bx_cat_z(c, pmu->name));
}

static void show_values(bx_buf *to, const reading *of, const bx_machine *m, bool all)
{
    const held *last = NULL;
    size_t shown = 0;
    for (size_t i = 0; i < of->n; i++) {
        const held *h = &of->list[i];
        if (!h->err && !h->value && !all)
            continue;
        if (!last || !same_unit(of->c, last, h))
            heading(to, of->c, h, m);
        last = h;
        shown++;
        bx_buf_f(to, "  %-4s %-14s %-32s ", bx_cat_space_name(h->r->space),
                 bx_address_word(of->c, h->package, h->r->reg, h->r->unit).text,
                 bx_register_word(of->c, h->r->reg, h->r->unit).text);
        if (h->err) {
            bx_buf_f(to, "%s\n", reason(h->err));
            continue;
        }
        bx_buf_f(to, "0x%llx\n", (unsigned long long)h->value);
        fields(to, of->c, h, all);
        if (h->event)
            bx_buf_f(to, "      selects %s\n", bx_event_word(of->c, &h->event->event).text);
    }
    if (shown < of->n)
        bx_buf_f(to, "%zu registers hold 0\n", of->n - shown);
}

/* ---- JSON ---- */

static void json_register(bx_json *j, const bx_catalog *c, const held *h)
{
    bx_span span = bx_cat_regs(c)[h->r->reg].fields;
    bx_json_open(j, NULL, '{');
    bx_json_number(j, "package", h->package);
    if (is_per_core(c, h->r))
        bx_json_number(j, "cpu", h->cpu);
    bx_json_text(j, "pmu", bx_cat_z(c, bx_cat_pmus(c)[bx_cat_regs(c)[h->r->reg].pmu].name));
    bx_json_number(j, "unit", h->r->unit);
    bx_json_text(j, "register", bx_register_word(c, h->r->reg, h->r->unit).text);
    bx_json_text(j, "space", bx_cat_space_name(h->r->space));
    bx_json_text(j, "address", bx_address_word(c, h->package, h->r->reg, h->r->unit).text);
    if (h->err) {
        bx_json_text(j, "value", NULL);
        bx_json_text(j, "error", reason(h->err));
        bx_json_close(j, '}');
        return;
    }
    bx_json_hex(j, "value", h->value);
    bx_json_open(j, "fields", '[');
    for (unsigned i = 0; i < span.n; i++) {
        const bx_cat_field *f = &bx_cat_fields(c)[span.first + i];
        bx_json_open(j, NULL, '{');
        bx_json_text(j, "field", bx_cat_z(c, f->name));
        bx_json_text(j, "bits", bx_bits_word(f).text);
        bx_json_hex(j, "value", bx_field_of(f, h->value));
        bx_json_close(j, '}');
    }
    bx_json_close(j, ']');
    bx_json_text(j, "event", h->event ? bx_event_word(c, &h->event->event).text : NULL);
    bx_json_close(j, '}');
}

static void json(bx_buf *to, const reading *of, bool all)
{
    bx_json j = {.to = to};
    bx_json_open(&j, NULL, '[');
    for (size_t i = 0; i < of->n; i++)
        if (all || of->list[i].err || of->list[i].value)
            json_register(&j, of->c, &of->list[i]);
    bx_json_close(&j, ']');
    bx_buf_z(to, "\n");
}

/* ---- the command ---- */

static int show_registers(bx_cli *cli, bx_machine *m, const values *v, uint16_t only, bx_error *e)
{
    bx_allow allow;
    reading all = {.c = cli->catalog};
    bx_span pmus = bx_cat_cpus(cli->catalog)[bx_machine_cpu(m)].pmus;
    if (!bx_allow_new(&allow, &m->topology, bx_machine_bus(m)))
        return bx_out_of_memory(e);
    size_t cpus = (size_t)bx_machine_packages(m) * bx_machine_cores(m);
    all.list = bx_arena_get(&cli->arena, (allow.n * cpus + 1) * sizeof *all.list);
    int code = all.list ? BX_OK : bx_out_of_memory(e);
    for (unsigned i = 0; i < pmus.n && code == BX_OK; i++)
        if (only == BX_NONE || only == pmus.first + i)
            read_pmu(m, &allow, (uint16_t)(pmus.first + i), &all);
    if (code == BX_OK)
        code = all.no_memory ? bx_out_of_memory(e) : decode(m, &all, &cli->arena, e);
    if (code == BX_OK && v->json)
        json(&cli->out, &all, v->all);
    else if (code == BX_OK)
        show_values(&cli->out, &all, m, v->all);
    bx_allow_free(&allow);
    return code;
}

static int find_pmu(const bx_catalog *c, const bx_machine *m, const char *name, uint16_t *pmu,
                    bx_error *e)
{
    *pmu = name ? bx_cat_find_pmu(c, bx_str_of(name)) : BX_NONE;
    if (!name || (*pmu != BX_NONE && bx_cat_pmus(c)[*pmu].cpu == bx_machine_cpu(m)))
        return BX_OK;
    const char *cpu = bx_catalog_cpu_name(c, (size_t)bx_machine_cpu(m));
    bx_fail(e, BX_NOT_FOUND, 0, 0, "%s has no PMU '%.40s'", cpu, name);
    bx_hint(e, "boxscore info %s names its PMUs", cpu);
    return BX_NOT_FOUND;
}

static int run_regs(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_machine *m = NULL;
    bx_error e = {0};
    uint16_t pmu;
    (void)operands;
    if (bx_machine_open_with(cli->catalog, v->machine, &v->host, &m, &e))
        return bx_cli_error(&e, v->machine);
    int status = bx_cli_need_cpu(m);
    if (!status && !bx_machine_bus(m))
        status = bx_cli_fail("%s", bx_machine_no_access(m));
    if (!status &&
        (find_pmu(cli->catalog, m, v->pmu, &pmu, &e) || show_registers(cli, m, v, pmu, &e)))
        status = bx_cli_error(&e, NULL);
    bx_machine_close(m);
    return status;
}

static const bx_example examples[] = {
    {"boxscore regs --machine virtual:skl", "the registers that do not hold 0"},
    {"boxscore regs --machine virtual:skl --pmu skl_unc_arb --all",
     "all registers of a PMU, field by field"},
    {.line = NULL},
};

const bx_command bx_command_regs = {
    .name = "regs",
    .help =
        "show the contents of a machine's monitoring registers, and the events that they select",
    .operands = "",
    .text = "boxscore reads every register of the catalogue once and writes none. It shows the\n"
            "registers that are not 0, field by field, and the registers that cannot be read.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_regs,
};
