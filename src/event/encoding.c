/* An event string as named registers, for users of the library. */
#include "base/buf.h"
#include "base/error.h"
#include "event/event.h"
#include "event/hint.h"
#include "register/register.h"

#include <stdlib.h>

enum { REGISTERS = 1 + BX_EXTRAS, NAME = 80 };

struct encoded {
    char name[NAME];
    const char *space;
    uint64_t address, value, mask;
};

struct bx_encoding {
    char *event, *perf;
    int counter;
    size_t n;
    struct encoded reg[REGISTERS], count;
};

/* A register beside a unit of the PMU. */
static struct encoded named(const bx_catalog *c, unsigned pmu, unsigned unit, unsigned reg)
{
    const bx_cat_reg *r = &bx_cat_regs(c)[reg];
    unsigned of = bx_register_unit(c, reg, pmu, unit);
    struct encoded x = {.space = bx_cat_space_name(r->space),
                        .address = bx_register_offset(c, reg, of)};

    bx_cat_expand(x.name, sizeof x.name, bx_cat_z(c, r->name), of, 0);
    return x;
}

static void fill(bx_encoding *x, const bx_catalog *c, const bx_evsel *event)
{
    unsigned unit = event->unit == BX_ANY ? 0 : (unsigned)event->unit;
    unsigned counter = event->counter == BX_ANY ? bx_lowest_bit(bx_event_counters(c, event))
                                                : (unsigned)event->counter;
    bx_regvalue values[REGISTERS];

    x->counter = bx_event_lowest_counter(c, event) < 0 ? -1 : (int)counter;
    x->n = bx_event_registers(c, event, counter, values);
    for (size_t i = 0; i < x->n; i++) {
        x->reg[i] = named(c, event->pmu, unit, values[i].reg);
        x->reg[i].value = values[i].value;
        x->reg[i].mask = values[i].mask;
    }
    x->count = named(c, event->pmu, unit, bx_pmu_counter(c, event->pmu, counter)->value);
}

int bx_encode(const bx_catalog *c, const char *cpu, const char *event, bx_encoding **to,
              bx_error *e)
{
    if (!c)
        return bx_missing(e, "catalogue");
    if (!event)
        return bx_missing(e, "event");
    if (!to)
        return bx_missing(e, "place for the encoding");
    uint16_t model = cpu ? bx_cpu_named(c, cpu, e) : BX_NONE;
    bx_evsel selected;

    if (cpu && model == BX_NONE)
        return BX_NOT_FOUND;
    int code = bx_event_parse(c, cpu ? model : -1, event, bx_str_of(event).n, &selected, e);
    if (code)
        return code;
    bx_encoding *x = calloc(1, sizeof *x);
    if (x) {
        x->event = bx_event_text(c, &selected, bx_event_format);
        x->perf = bx_event_text(c, &selected, bx_event_format_perf);
    }
    if (!x || !x->event || !x->perf) {
        bx_encoding_free(x);
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    }
    fill(x, c, &selected);
    *to = x;
    return BX_OK;
}

void bx_encoding_free(bx_encoding *x)
{
    if (!x)
        return;
    free(x->event);
    free(x->perf);
    free(x);
}

const char *bx_encoding_event(const bx_encoding *x)
{
    if (!x)
        return "";
    return x->event;
}

const char *bx_encoding_perf(const bx_encoding *x)
{
    if (!x)
        return "";
    return x->perf;
}

int bx_encoding_counter(const bx_encoding *x)
{
    if (!x)
        return -1;
    return x->counter;
}

size_t bx_encoding_registers(const bx_encoding *x)
{
    if (!x)
        return 0;
    return x->n;
}

static const struct encoded *register_at(const bx_encoding *x, size_t i)
{
    static const struct encoded none = {.space = ""};

    return x && i < x->n ? &x->reg[i] : &none;
}

const char *bx_encoding_register(const bx_encoding *x, size_t i)
{
    return register_at(x, i)->name;
}

const char *bx_encoding_space(const bx_encoding *x, size_t i)
{
    return register_at(x, i)->space;
}

uint64_t bx_encoding_address(const bx_encoding *x, size_t i)
{
    return register_at(x, i)->address;
}

uint64_t bx_encoding_value(const bx_encoding *x, size_t i)
{
    return register_at(x, i)->value;
}

uint64_t bx_encoding_mask(const bx_encoding *x, size_t i)
{
    return register_at(x, i)->mask;
}

const char *bx_encoding_count(const bx_encoding *x)
{
    if (!x)
        return "";
    return x->count.name;
}

const char *bx_encoding_count_space(const bx_encoding *x)
{
    if (!x)
        return "";
    return x->count.space;
}

uint64_t bx_encoding_count_address(const bx_encoding *x)
{
    if (!x)
        return 0;
    return x->count.address;
}
