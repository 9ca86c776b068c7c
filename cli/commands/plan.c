/* boxscore plan: lists the register operations of a measurement without executing any. */
#include "plan/plan.h"

#include "base/bits.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/commands/plan.h"
#include "cli/common/names.h"
#include "event/parse/list.h"
#include "guard/operations.h"
#include "machine/kernel_events.h"
#include "machine/machine.h"
#include "measure/remarks.h"
#include "measure/overflow_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    bx_texts events;
    const char *until, *sample; /* EVENT=N */
    const char *machine;
    bool json;
} values;

/* A plan, and the counter whose overflow stops all others. */
typedef struct planned {
    const bx_machine *m;
    bx_schedule schedule;
    bx_overflow overflow; /* counts 0: no counter has to overflow */
    bx_plan plan;
} planned;

static const bx_option options[] = {
    {.name = "event",
     .letter = 'e',
     .kind = BX_OPTION_TEXTS,
     .metavar = "EVENTS",
     .help = "events to count, separated by commas; may be repeated",
     .offset = offsetof(values, events)},
    {.name = "until",
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT=N",
     .help = "with the operations that stop all counters when a counter has counted N",
     .offset = offsetof(values, until)},
    {.name = "sample",
     .kind = BX_OPTION_TEXT,
     .metavar = "EVENT=N",
     .help = "the same, and the operations that let the counters continue",
     .offset = offsetof(values, sample)},
    BX_OPTION_MACHINE(values, machine),
    BX_OPTION_JSON(values),
};

static bx_word register_word(const bx_catalog *c, const bx_op *op)
{
    return bx_register_word(c, op->reg, op->unit);
}

/* Whether the value is known. The value of a restore is not: its save operation will read it. */
static bool knows_value(const bx_op *op)
{
    return op->write && op->keep != UINT64_MAX;
}

/* ---- what is put back ---- */

/* The saved value that the listing assumes for a register: enables are set, and statuses are clear.
 * The order of operations does not depend on saved values; the set of disabled registers does. */
static uint64_t assumed(const bx_register_policy *k, const bx_allowed *r)
{
    uint64_t disabled = bx_policy_disabled(k, r, 0);
    uint64_t others = disabled ^ bx_policy_disabled(k, r, UINT64_MAX);
    return ~disabled & ~others;
}

static void fill(const bx_register_policy *k, const bx_plan *plan, unsigned package,
                 bx_undo_log *log)
{
    log->n = 0;
    for (size_t i = 0; i < plan->n; i++) {
        const bx_op *op = &plan->ops[i];
        const bx_allowed *r = bx_allow_find(k->allow, &op->at);
        if (op->step == BX_STEP_SAVE && op->package == package && r)
            log->list[log->n++] = (bx_undo_entry){.at = op->at, .r = r, .first = assumed(k, r)};
    }
}

static bx_op restoring(const bx_register_policy *k, const bx_undo_log *log, const bx_undo_op *ops,
                       size_t n, size_t i, uint16_t package)
{
    const bx_allowed *r = bx_allow_find(k->allow, &ops[i].write.at);
    uint64_t changed = ops[i].write.value ^ log->list[ops[i].entry].first;
    bx_op op = {.step = BX_STEP_RESTORE,
                .write = true,
                .package = package,
                .unit = r->unit,
                .reg = r->reg,
                .at = ops[i].write.at,
                .value = ops[i].write.value & changed,
                .keep = r->write & ~r->triggers & ~changed};
    if (ops[i].has_status || r->clears) {
        op.value = ops[i].write.value;
        op.keep = 0;
    } else if (bx_undo_op_is_last(ops, n, i)) {
        op.keep = UINT64_MAX;
    }
    return op;
}

/* Adds the operations that put a package's registers back after the plan's own. false: out of
 * memory. */
static bool add_package(const bx_register_policy *k, uint16_t package, bx_arena *arena,
                        bx_plan *plan)
{
    bx_undo_log log = {.list = bx_arena_get(arena, (plan->n + 1) * sizeof *log.list)};
    if (!log.list)
        return false;
    fill(k, plan, package, &log);
    bx_undo_op *ops = bx_arena_get(arena, (bx_undo_ops_room(log.n) + 1) * sizeof *ops);
    size_t n = ops ? bx_undo_ops(k, &log, ops) : 0;
    bx_op *all = ops ? realloc(plan->ops, (plan->n + n + 1) * sizeof *all) : NULL;
    if (!all)
        return false;
    plan->ops = all;
    for (size_t i = 0; i < n; i++)
        plan->ops[plan->n++] = restoring(k, &log, ops, n, i, package);
    return true;
}

static int add_restore(const bx_machine *m, bx_arena *arena, bx_plan *plan, bx_error *e)
{
    bx_allow allow = {0};
    bx_register_policy k = {0};
    bool made =
        bx_allow_new(&allow, &m->topology, NULL) && bx_policy_new(&k, &m->topology, &allow, NULL);
    for (uint16_t i = 0; made && i < m->topology.packages; i++)
        made = add_package(&k, i, arena, plan);
    bx_policy_free(&k);
    bx_allow_free(&allow);
    return made ? BX_OK : bx_out_of_memory(e);
}

/* ---- the order in which stat executes the operations ---- */

/* Appends the operations of a step and pass; as: the step that they are listed in. */
static void append_part(const bx_plan *from, unsigned step, unsigned pass, unsigned as, bx_plan *to)
{
    size_t n;
    const bx_op *ops = bx_plan_part(from, step, pass, &n);
    for (size_t i = 0; i < n; i++) {
        to->ops[to->n] = ops[i];
        to->ops[to->n++].step = (uint8_t)as;
    }
}

/* Appends the reads of the registers that hold base addresses of memory-mapped counters. */
static void append_bases(const bx_topology *t, const bx_plan *from, bx_plan *to)
{
    size_t first = to->n;
    for (size_t i = 0; i < from->n; i++) {
        uint16_t holder = bx_register_base_holder(t->catalog, from->ops[i].reg);
        bool known = holder == BX_NONE;
        for (size_t k = first; !known && k < to->n; k++)
            known = to->ops[k].reg == holder && to->ops[k].package == from->ops[i].package;
        if (known)
            continue;
        bx_op op = {.step = BX_STEP_SAVE, .package = from->ops[i].package, .reg = holder};
        op.assignment = UINT16_MAX;
        op.saved = BX_NOT_SAVED;
        op.at = bx_plan_address(t, op.package, 0, holder);
        to->ops[to->n++] = op;
    }
}

/* Lists the plan in the order of a measurement: the counters are read once they are enabled, and
 * again when the enables have been cleared (323535-001 p14). The base address of memory-mapped
 * counters is read first (334060-001 section 3.3). */
static int put_in_order(const bx_topology *t, unsigned passes, bx_plan *plan, bx_error *e)
{
    bx_plan listed = {.ops = calloc(3 * plan->n + 1, sizeof *listed.ops)};
    size_t all = plan->n;
    if (!listed.ops)
        return bx_out_of_memory(e);
    while (plan->n && plan->ops[plan->n - 1].step == BX_STEP_RESTORE)
        plan->n--;
    append_bases(t, plan, &listed);
    append_part(plan, BX_STEP_SAVE, 0, BX_STEP_SAVE, &listed);
    for (unsigned pass = 0; pass < passes; pass++) {
        append_part(plan, BX_STEP_SETUP, pass, BX_STEP_SETUP, &listed);
        append_part(plan, BX_STEP_START, pass, BX_STEP_START, &listed);
        append_part(plan, BX_STEP_READ, pass, BX_STEP_START, &listed);
        append_part(plan, BX_STEP_REARM, pass, BX_STEP_REARM, &listed);
        append_part(plan, BX_STEP_STOP, pass, BX_STEP_STOP, &listed);
        append_part(plan, BX_STEP_READ, pass, BX_STEP_READ, &listed);
    }
    for (size_t i = plan->n; i < all; i++)
        listed.ops[listed.n++] = plan->ops[i];
    bx_plan_free(plan);
    *plan = listed;
    return BX_OK;
}

/* The bits of a base address that the operation reads; 0: it reads none. */
static uint64_t base_mask(const bx_catalog *c, const planned *p, const bx_op *op)
{
    for (size_t i = 0; !op->write && i < p->plan.n; i++) {
        const bx_cat_reg *r = &bx_cat_regs(c)[p->plan.ops[i].reg];
        if (r->base != BX_NONE && bx_cat_fields(c)[r->base].reg == op->reg)
            return bx_cat_field_mask(&bx_cat_fields(c)[r->base]);
    }
    return 0;
}

/* The bits of a count at the end, of which the reading at the start is subtracted; 0: it is no such
 * reading. */
static uint64_t count_mask(const bx_catalog *c, const bx_op *op)
{
    const bx_cat_counter *counter =
        op->step == BX_STEP_READ ? bx_register_counter(c, op->reg) : NULL;
    return counter ? bx_mask_width(counter->width) : 0;
}

/* ---- a counter that stops all others ---- */

/* What the operation does to stop the counters: "preload", "FRZ_ON_PMI PMI_SEL_CORE0"; empty:
 * nothing. */
static bx_word overflow_word(const planned *p, const bx_op *op)
{
    const bx_topology *t = &p->m->topology;
    const bx_catalog *c = t->catalog;
    const bx_assignment *of = &p->schedule.assignments[p->overflow.assignment];
    const bx_cat_counter *counter = &bx_cat_counters(c)[of->counter];
    bx_word word = {""};
    if (!op->write || op->package != of->package || op->step == BX_STEP_RESTORE ||
        op->unit != bx_register_unit(c, op->reg, counter->pmu, of->unit))
        return word;
    if (op->reg == counter->value)
        strcpy(word.text, "preload");
    uint64_t bits = op->value & bx_overflow_bits(t, counter, op->reg);
    bx_span fields = bx_cat_regs(c)[op->reg].fields;
    for (unsigned i = 0; i < fields.n; i++) {
        const bx_cat_field *field = &bx_cat_fields(c)[fields.first + i];
        size_t n = strlen(word.text);
        if (bits & bx_cat_field_mask(field))
            snprintf(word.text + n, sizeof word.text - n, "%s%s", n ? " " : "",
                     bx_cat_z(c, field->name));
    }
    return word;
}

/* ---- the listing ---- */

/* The number, in its package, of the core whose register it is; -1: the register is no core's. */
static int core_of(const bx_topology *t, const bx_op *op)
{
    const bx_catalog *c = t->catalog;
    bool of_core = bx_cat_pmus(c)[bx_cat_regs(c)[op->reg].pmu].scope == BX_SCOPE_CORE;
    return of_core ? (int)(op->at.cpu % t->cores) : -1;
}

static const char *source_of(const bx_catalog *c, const bx_op *op)
{
    return bx_cat_z(c, bx_cat_regs(c)[op->reg].source);
}

static void show_operations(bx_buf *to, const bx_catalog *c, const planned *p)
{
    const bx_plan *plan = &p->plan;
    bx_buf_z(to,
             "pass  step     op     package  space  address       value               register\n");
    for (size_t i = 0; i < plan->n; i++) {
        const bx_op *op = &plan->ops[i];
        char value[64] = "";
        if (knows_value(op) && op->keep)
            snprintf(value, sizeof value, "0x%llx, keeps 0x%llx", (unsigned long long)op->value,
                     (unsigned long long)op->keep);
        else if (knows_value(op))
            snprintf(value, sizeof value, "0x%llx", (unsigned long long)op->value);
        else if (op->write)
            snprintf(value, sizeof value, "as saved");
        bx_buf_f(to, "%4u  %-7s  %-5s  %7u  %-5s  %-12s  %-18s  %s", op->pass,
                 bx_plan_step_name(op->step), op->write ? "write" : "read", op->package,
                 bx_cat_space_name(bx_cat_regs(c)[op->reg].space),
                 bx_address_word(c, op->package, op->reg, op->unit).text, value,
                 register_word(c, op).text);
        int core = core_of(&p->m->topology, op);
        if (core >= 0)
            bx_buf_f(to, " of core %d", core);
        if (base_mask(c, p, op))
            bx_buf_f(to, "  # BAR: the bits 0x%llx of it", (unsigned long long)base_mask(c, p, op));
        if (count_mask(c, op))
            bx_buf_z(to, "  # less the reading at the start");
        if (p->overflow.counts) {
            bx_word word = overflow_word(p, op);
            bx_buf_f(to, "  # %s%s%s", word.text, *word.text ? ": " : "", source_of(c, op));
        }
        bx_buf_z(to, "\n");
    }
}

static void json(bx_buf *to, const bx_catalog *c, const planned *p)
{
    const bx_plan *plan = &p->plan;
    bx_json j = {.to = to};
    bx_json_open(&j, NULL, '[');
    for (size_t i = 0; i < plan->n; i++) {
        const bx_op *op = &plan->ops[i];
        bx_json_open(&j, NULL, '{');
        bx_json_text(&j, "step", bx_plan_step_name(op->step));
        bx_json_text(&j, "op", op->write ? "write" : "read");
        bx_json_text(&j, "space", bx_cat_space_name(bx_cat_regs(c)[op->reg].space));
        bx_json_number(&j, "package", op->package);
        int core = core_of(&p->m->topology, op);
        if (core >= 0)
            bx_json_number(&j, "core", (uint64_t)core);
        bx_json_text(&j, "address", bx_address_word(c, op->package, op->reg, op->unit).text);
        bx_json_text(&j, "name", register_word(c, op).text);
        if (knows_value(op))
            bx_json_hex(&j, "value", op->value);
        else
            bx_json_text(&j, "value", NULL);
        if (knows_value(op) && op->keep)
            bx_json_hex(&j, "keep", op->keep);
        if (base_mask(c, p, op))
            bx_json_hex(&j, "bar", base_mask(c, p, op));
        if (count_mask(c, op))
            bx_json_hex(&j, "less-start", count_mask(c, op));
        bx_json_number(&j, "pass", op->pass);
        if (p->overflow.counts) {
            bx_word word = overflow_word(p, op);
            if (*word.text)
                bx_json_text(&j, "overflow", word.text);
            bx_json_text(&j, "source", source_of(c, op));
        }
        bx_json_close(&j, '}');
    }
    bx_json_close(&j, ']');
    bx_buf_z(to, "\n");
}

/* The events to plan, and the room for the result. */
typedef struct request {
    const char *text; /* the events */
    bx_evsel *events;
    size_t n, room;
    bx_overflow_event overflow; /* name NULL: none */
    bool again;
} request;

/* *why: the reason for several passes; its message is empty if there is only one. */
static int make_plan(planned *p, const request *r, size_t overflow, bx_arena *arena, bx_error *why,
                     bx_error *e)
{
    const bx_topology *t = &p->m->topology;
    int code = bx_schedule_make(t, r->events, r->n, &p->schedule, e);
    if (!code && r->overflow.name)
        code = bx_overflow_find(t, r->events, &p->schedule, overflow, &p->overflow, e);
    if (!code && r->overflow.name)
        code = bx_overflow_fits(t, r->events, &p->schedule, e);
    if (!code)
        code = bx_plan_make(t, r->events, &p->schedule, 0, &p->overflow, &p->plan, e);
    if (!code && bx_schedule_explain(t, r->events, &p->schedule, why))
        bx_hint(why, "%u passes", p->schedule.passes);
    if (!code)
        code = add_restore(p->m, arena, &p->plan, e);
    return code ? code : put_in_order(t, p->schedule.passes, &p->plan, e);
}

/* *why: as above. */
static int plan_events(planned *p, request *r, bx_arena *arena, bx_error *why, bx_error *e)
{
    const bx_topology *t = &p->m->topology;
    size_t n = 0, event = 0;
    int code = *r->text
                   ? bx_events_parse(t->catalog, t->cpu, r->text, r->events, r->room - 1, &n, e)
                   : BX_OK;
    if (!code && r->overflow.name) {
        event = bx_overflow_event_add(p->m, &r->overflow, arena, r->events, &n, &r->text);
        p->overflow = (bx_overflow){.counts = r->overflow.counts, .again = r->again};
    }
    r->n = n;
    if (!code)
        bx_note_nodes(&bx_cli_listener, t, r->events, n);
    return code ? code : make_plan(p, r, event, arena, why, e);
}

/* The caution of an event, unless an event before it has the same; "": none. */
static const char *caution_once(const bx_catalog *c, const bx_evsel *events, size_t i)
{
    if (events[i].pmu == BX_KERNEL || events[i].event == BX_NONE)
        return "";
    uint32_t caution = bx_cat_events(c)[events[i].event].caution;
    for (size_t k = 0; k < i; k++)
        if (events[k].pmu != BX_KERNEL && events[k].event != BX_NONE &&
            bx_cat_events(c)[events[k].event].caution == caution)
            return "";
    return bx_cat_z(c, caution);
}

static void list_cautions(bx_cli *cli, const request *r, bool as_json)
{
    for (size_t i = 0; i < r->n; i++) {
        const char *caution = caution_once(cli->catalog, r->events, i);
        if (!*caution)
            continue;
        const char *name =
            bx_cat_z(cli->catalog, bx_cat_events(cli->catalog)[r->events[i].event].name);
        if (as_json)
            bx_cli_note("%s: %s", name, caution);
        else
            bx_buf_f(&cli->out, "# %s: %s\n", name, caution);
    }
}

static void list_passes(bx_cli *cli, const planned *p, const request *r, const bx_error *passes,
                        bool as_json)
{
    const char *why = bx_machine_chosen_because(p->m);
    list_cautions(cli, r, as_json);
    if (as_json) {
        if (why)
            bx_cli_note("for a virtual machine, %s: %s", bx_machine_name(p->m), why);
        if (passes->code)
            bx_cli_note("%s: %s", passes->hint, passes->message);
        json(&cli->out, cli->catalog, p);
    } else {
        if (why)
            bx_buf_f(&cli->out, "# for a virtual machine, %s: %s\n", bx_machine_name(p->m), why);
        if (passes->code)
            bx_buf_f(&cli->out, "# %s: %s\n", passes->hint, passes->message);
        show_operations(&cli->out, cli->catalog, p);
    }
}

static int show_plan(bx_cli *cli, const bx_machine *m, const char *events_text, const values *v)
{
    bx_error e = {0}, passes = {0};
    planned p = {.m = m};
    const char *option = v->until ? v->until : v->sample;
    size_t room = bx_events_most(events_text) + 1; /* and for the event of an overflow */
    request r = {.text = events_text,
                 .events = bx_arena_get(&cli->arena, room * sizeof *r.events),
                 .room = room,
                 .again = v->sample};
    if (!r.events)
        return bx_cli_fail("out of memory");
    if (option && bx_overflow_event_read(m, option, &cli->arena, &r.overflow, &e))
        return bx_cli_error(&e, option);
    int code = plan_events(&p, &r, &cli->arena, &passes, &e);
    if (!code)
        list_passes(cli, &p, &r, &passes, v->json);
    bx_schedule_free(&p.schedule);
    bx_plan_free(&p.plan);
    return code ? bx_cli_error(&e, r.text) : BX_EXIT_OK;
}

/* ---- for another command ---- */

static void tell_kernel(const bx_catalog *c, const request *r, bx_buf *to)
{
    for (size_t i = 0; i < r->n; i++) {
        char *name = bx_event_text(c, &r->events[i], bx_event_format);
        char *perf = bx_event_text(c, &r->events[i], bx_event_format_perf);
        to->failed |= !name || !perf;
        bx_buf_f(to, "# %s: the kernel is given %s\n", name ? name : "",
                 perf && *perf ? perf : "nothing, it has no such event");
        free(name);
        free(perf);
    }
}

int bx_plan_tell(const bx_machine *m, const bx_evsel *events, size_t n, bx_arena *arena, bx_buf *to,
                 bx_error *e)
{
    planned p = {.m = m};
    request r = {.events = bx_arena_get(arena, (n + 1) * sizeof *r.events)};
    bx_error why = {0};
    if (!r.events)
        return bx_out_of_memory(e);
    for (size_t i = 0; i < n; i++)
        if (events[i].pmu != BX_KERNEL)
            r.events[r.n++] = events[i];
    if (bx_machine_kernel_may_count(m)) {
        tell_kernel(m->topology.catalog, &r, to);
        return BX_OK;
    }
    int code = r.n ? make_plan(&p, &r, 0, arena, &why, e) : BX_OK;
    if (!code && why.code)
        bx_buf_f(to, "# %s: %s\n", why.hint, why.message);
    if (!code && r.n)
        show_operations(to, m->topology.catalog, &p);
    bx_schedule_free(&p.schedule);
    bx_plan_free(&p.plan);
    return code;
}

/* ---- the command ---- */

static int run_plan(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    const char *events_text = bx_cli_join(cli, &v->events, operands);
    bx_error e = {0};
    if (!events_text)
        return bx_cli_fail("out of memory");
    if (v->until && v->sample) {
        bx_cli_fail("--until and --sample were given: give one of them");
        return BX_EXIT_USAGE;
    }
    if (!events_text[0] && !v->until && !v->sample) {
        bx_fail(&e, BX_BAD_INPUT, 0, 0, "'plan' needs events");
        bx_hint(&e, "boxscore plan -e EVENTS");
        bx_cli_error(&e, NULL);
        return BX_EXIT_USAGE;
    }
    bx_machine *m;
    if (bx_machine_open(cli->catalog, v->machine, &m, &e))
        return bx_cli_error(&e, v->machine);
    int status = bx_cli_need_cpu(m);
    if (!status)
        status = show_plan(cli, m, events_text, v);
    bx_machine_close(m);
    return status;
}

static const bx_example examples[] = {
    {"boxscore plan --machine virtual:skl UNC_CBO_CACHE_LOOKUP:ANY_I",
     "all register accesses for counting the event, in order"},
    {.line = NULL},
};

const bx_command bx_command_plan = {
    .name = "plan",
    .help = "show the register operations that would count events",
    .operands = "[EVENT...]",
    .text =
        "No register is written. The order is that of 'stat': counters are read when they have\n"
        "started and when they have stopped. A read has no value in the list. A restore writes the "
        "value\n"
        "that the save before it has read. 'keep' marks bits of a shared register that none of\n"
        "these events owns.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = SIZE_MAX,
    .values_size = sizeof(values),
    .run = run_plan,
};
