/* Pages about a CPU model and a PMU. */
#include "cli/show/describe.h"

#include "cli/common/names.h"
#include "cli/common/page.h"
#include "catalog/policies.h"

/* ---- a CPU model ---- */

static const char *field_name(const bx_catalog *c, uint16_t field)
{
    return bx_cat_z(c, bx_cat_fields(c)[field].name);
}

static void interrupts(bx_page *to, const bx_catalog *c, const bx_cat_cpu *cpu)
{
    const char *label = "interrupts";
    if (cpu->freeze != BX_NONE && cpu->freezes != BX_NONE) {
        bx_page_row(to, label, "a request for one clears %s while %s is set",
                    field_name(c, cpu->freezes), field_name(c, cpu->freeze));
        label = "";
    }
    if (cpu->wake != BX_NONE)
        bx_page_row(to, label, "%s wakes sleeping cores for one", field_name(c, cpu->wake));
}

/* Adds a number. Sizes and addresses are more readable in hexadecimal. */
static void add_number(bx_buf *to, uint64_t value)
{
    bx_buf_f(to, value && value % 4096 == 0 ? "0x%llx" : "%llu", (unsigned long long)value);
}

static void add_names(bx_buf *to, bx_str key, uint64_t preset)
{
    const char *name;

    bx_buf_z(to, bx_named_value(key, preset));
    for (uint64_t i = 0; (name = bx_named_value(key, i)); i++)
        bx_buf_f(to, "%s%s", i ? ", " : "; ", name);
}

static void shapes(bx_page *to, const bx_catalog *c, const bx_cat_cpu *cpu)
{
    static const bx_page_columns columns = {.heads = "key", .text_at = 14};
    if (!bx_cat_is_virtual(c, cpu)) {
        bx_page_row(to, "machine", "no machine model imitates it: there is no virtual:%s",
                    bx_cat_z(c, cpu->name));
        return;
    }
    bx_buf heading = {.whole = &to->to->failed};
    bx_buf_f(&heading, "machine virtual:%s,KEY=VALUE...", bx_cat_z(c, cpu->name));
    bx_page_list(to, &columns, bx_buf_text(&heading));
    bx_buf_free(&heading);
    for (unsigned i = 0; i < cpu->shapes.n; i++) {
        const bx_cat_shape *shape = &bx_cat_shapes(c)[cpu->shapes.first + i];
        bx_buf text = {.whole = &to->to->failed};
        bx_buf_f(&text, shape->hi ? "%s (preset " : "%s (", bx_cat_z(c, shape->title));
        bx_str key = bx_cat_str(c, shape->name);
        if (bx_is_named_key(key)) {
            add_names(&text, key, shape->preset);
        } else if (shape->hi == 0) {
            bx_buf_z(&text, "always off");
        } else {
            add_number(&text, shape->preset);
            bx_buf_z(&text, ", range ");
            add_number(&text, shape->lo);
            bx_buf_z(&text, "..");
            add_number(&text, shape->hi);
        }
        bx_buf_z(&text, ")");
        bx_page_item(to, bx_buf_text(&text), "%s", bx_cat_z(c, shape->name));
        bx_buf_free(&text);
    }
}

/* Adds values without the unit of their key: 8M, 4, 0x2000. */
static void add_values(bx_buf *to, const bx_catalog *c, const bx_cat_preset *preset)
{
    for (unsigned i = 0; i < preset->values.n; i++) {
        const bx_cat_preset_value *v = &bx_cat_preset_values(c)[preset->values.first + i];
        bx_buf_f(to, "%s%s=", i ? " " : ": ", bx_cat_z(c, bx_cat_shapes(c)[v->shape].name));
        add_number(to, v->value);
    }
    if (preset->fits != BX_NONE)
        bx_buf_f(to, "; memory=%s", bx_cat_z(c, bx_cat_presets(c)[preset->fits].name));
    bx_buf_f(to, " (%s)", bx_cat_z(c, preset->source));
    if (*bx_cat_z(c, preset->note))
        bx_buf_f(to, "; note: %s", bx_cat_z(c, preset->note));
}

static void presets(bx_page *to, const bx_catalog *c, const char *key, bx_span all)
{
    for (unsigned i = 0; i < all.n; i++) {
        const bx_cat_preset *preset = &bx_cat_presets(c)[all.first + i];
        bx_buf text = {.whole = &to->to->failed};
        bx_buf_z(&text, bx_cat_z(c, preset->title));
        add_values(&text, c, preset);
        bx_page_item(to, bx_buf_text(&text), "%s=%s", key, bx_cat_z(c, preset->name));
        bx_buf_free(&text);
    }
}

void bx_describe_cpu(bx_page *to, const bx_catalog *c, unsigned index)
{
    static const bx_page_columns pmus = {.heads = "PMU", .text_at = 20};
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[index];
    bx_page_subject(to, "CPU model", bx_cat_z(c, cpu->name), bx_cat_z(c, cpu->title), false);
    bx_page_row(to, "source", "%s", bx_cat_z(c, cpu->source));
    bx_page_row(to, "note", "%s", bx_cat_z(c, cpu->note));
    for (unsigned i = 0; i < cpu->ids.n; i++) {
        const bx_cat_id *id = &bx_cat_ids(c)[cpu->ids.first + i];
        bx_page_row(to, i ? "" : "CPUID", "family %u model 0x%x", id->family, id->model);
    }
    interrupts(to, c, cpu);
    bx_page_list(to, &pmus, "PMUs");
    for (unsigned i = 0; i < cpu->pmus.n; i++) {
        const bx_cat_pmu *pmu = &bx_cat_pmus(c)[cpu->pmus.first + i];
        bx_word page = bx_pmu_page_word(c, cpu->pmus.first + i);
        bx_page_link(to, page.text, NULL);
        bx_page_item(to, bx_cat_z(c, pmu->title), "%s", bx_cat_z(c, pmu->name));
    }
    shapes(to, c, cpu);
    presets(to, c, "part", cpu->parts);
    presets(to, c, "memory", cpu->memories);
    bx_describe_metrics_of(to, c, index);
}

/* ---- a PMU ---- */

static void units(bx_page *to, const bx_catalog *c, const bx_cat_pmu *pmu)
{
    const char *scope = pmu->scope == BX_SCOPE_PACKAGE ? "package"
                        : pmu->scope == BX_SCOPE_CORE  ? "core"
                                                       : "logical CPU";
    if (pmu->unit_max > 1 && pmu->scope != BX_SCOPE_CORE)
        bx_page_row(to, "units", "up to %u in each %s: %s to %s", pmu->unit_max, scope,
                    bx_pattern_word(c, pmu->unit_label, 0, 0).text,
                    bx_pattern_word(c, pmu->unit_label, pmu->unit_max - 1u, 0).text);
    else
        bx_page_row(to, "units", "one in each %s", scope);
    if (pmu->unit_field != BX_NONE)
        bx_page_row(to, "", "%s tells how many: its value %+d", field_name(c, pmu->unit_field),
                    pmu->unit_bias);
}

static void counters(bx_page *to, const bx_catalog *c, const bx_cat_pmu *pmu)
{
    for (unsigned i = 0; i < pmu->counters.n; i++) {
        const bx_cat_counter *counter = &bx_cat_counters(c)[pmu->counters.first + i];
        const char *kind = counter->flags & BX_COUNTER_FREE    ? "free-running, "
                           : counter->flags & BX_COUNTER_FIXED ? "fixed, "
                                                               : "";
        bx_cat_text likwid = counter->likwid ? counter->likwid : pmu->likwid;
        bx_page_row(
            to, i ? "" : "counters", "%u: %s%u bits, value in %s%s%s%s%s", counter->index, kind,
            counter->width, bx_cat_z(c, bx_cat_regs(c)[counter->value].name),
            counter->control == BX_NONE ? "" : ", control in ",
            counter->control == BX_NONE ? "" : bx_cat_z(c, bx_cat_regs(c)[counter->control].name),
            likwid ? "; LIKWID: " : "",
            likwid ? bx_pattern_word(c, likwid, 0, counter->index).text : "");
    }
}

static void registers(bx_page *to, const bx_catalog *c, const bx_cat_pmu *pmu)
{
    static const bx_page_columns columns = {
        .heads = "space\taddress\tregister", .widths = {5, 13}, .text_at = 52};
    bx_word page = bx_pmu_page_word(c, (unsigned)(pmu - bx_cat_pmus(c)));
    if (pmu->regs.n)
        bx_page_list(to, &columns, "registers");
    for (unsigned i = 0; i < pmu->regs.n; i++) {
        uint16_t reg = (uint16_t)(pmu->regs.first + i);
        const bx_cat_reg *r = &bx_cat_regs(c)[reg];
        bx_page_link(to, page.text, bx_cat_z(c, r->name));
        bx_page_item(to, bx_cat_z(c, r->title), "%s\t%s\t%s", bx_cat_space_name(r->space),
                     bx_address_word(c, 0, reg, 0).text, bx_cat_z(c, r->name));
    }
}

void bx_describe_pmu_facts(bx_page *to, const bx_catalog *c, unsigned index)
{
    static const bx_page_columns events = {.heads = "event", .text_at = 30};
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[index];
    bx_word page = bx_pmu_page_word(c, index);
    bx_page_row(to, "CPU model", "%s", bx_cat_z(c, bx_cat_cpus(c)[pmu->cpu].name));
    bx_page_row(to, "source", "%s", bx_cat_z(c, pmu->source));
    bx_page_row(to, "note", "%s", bx_cat_z(c, pmu->note));
    units(to, c, pmu);
    counters(to, c, pmu);
    if (pmu->kernel)
        bx_page_row(to, "Linux", "%s", bx_pattern_word(c, pmu->kernel, 0, 0).text);
    registers(to, c, pmu);
    bx_describe_modifiers(to, c, index);
    if (pmu->events.n)
        bx_page_list(to, &events, "events");
    for (unsigned i = 0; i < pmu->events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[pmu->events.first + i];
        bx_word name = bx_event_name_word(c, pmu->events.first + i);
        bx_page_link(to, page.text, name.text);
        bx_page_item(to, bx_cat_z(c, event->title), "%s", bx_cat_z(c, event->name));
    }
}

void bx_describe_pmu(bx_page *to, const bx_catalog *c, unsigned index)
{
    const bx_cat_pmu *pmu = &bx_cat_pmus(c)[index];
    bx_page_subject(to, "PMU", bx_cat_z(c, pmu->name), bx_cat_z(c, pmu->title), false);
    bx_describe_pmu_facts(to, c, index);
}
