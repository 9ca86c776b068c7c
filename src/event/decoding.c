/* Register values as event strings, for users of the library. */
#include "base/error.h"
#include "base/grow.h"
#include "event/event.h"
#include "event/hint.h"
#include "register/register.h"
#include "event/decode/decode.h"

#include <inttypes.h>
#include <stdlib.h>

struct bx_decoding {
    const bx_catalog *c;
    int cpu;
    bx_raw *raw; /* [room] */
    size_t n, room;
    struct decoded {
        char *event;
        size_t value; /* index of raw */
    } * decoded;      /* [found] */
    size_t found;
};

bx_decoding *bx_decoding_new(const bx_catalog *c, const char *cpu, bx_error *e)
{
    if (!c || !cpu) {
        bx_missing(e, c ? "CPU model" : "catalogue");
        return NULL;
    }
    uint16_t model = bx_cpu_named(c, cpu, e);
    bx_decoding *d = model == BX_NONE ? NULL : calloc(1, sizeof *d);

    if (d)
        *d = (bx_decoding){.c = c, .cpu = model};
    else if (model != BX_NONE)
        bx_out_of_memory(e);
    return d;
}

static void forget(bx_decoding *d)
{
    for (size_t i = 0; i < d->found; i++)
        free(d->decoded[i].event);
    free(d->decoded);
    d->decoded = NULL;
    d->found = 0;
}

void bx_decoding_free(bx_decoding *d)
{
    if (!d)
        return;
    forget(d);
    free(d->raw);
    free(d);
}

static bool make_room_for_event(bx_decoding *d)
{
    bx_raw *raw = bx_grow(d->raw, d->n, &d->room, sizeof *raw, 16);
    if (raw)
        d->raw = raw;
    return raw;
}

int bx_decoding_add(bx_decoding *d, const char *space, uint64_t address, uint64_t value,
                    bx_error *e)
{
    if (!d)
        return bx_missing(e, "decoding");
    if (!space)
        return bx_missing(e, "space");
    unsigned s = BX_SPACE_MSR;

    while (s <= BX_SPACE_MMIO && !bx_str_eq(bx_str_of(bx_cat_space_name(s)), bx_str_of(space)))
        s++;
    if (s > BX_SPACE_MMIO || bx_register_at(d->c, (unsigned)d->cpu, s, address).reg == BX_NONE)
        return bx_fail(e, BX_NOT_FOUND, 0, 0, "%s has no register at %s:0x%" PRIx64,
                       bx_cat_z(d->c, bx_cat_cpus(d->c)[d->cpu].name),
                       bx_quote(bx_str_of(space)).text, address);
    if (!make_room_for_event(d))
        return bx_out_of_memory(e);
    d->raw[d->n++] = (bx_raw){(uint8_t)s, address, value};
    return BX_OK;
}

/* The next value, from `from` on, that is the event's control register. */
static size_t control_of(const bx_decoding *d, const bx_decoded *event, size_t from)
{
    while (from < d->n) {
        const bx_raw *raw = &d->raw[from];
        bx_unit_register at = bx_register_at(d->c, (unsigned)d->cpu, raw->space, raw->address);
        if (at.reg == event->reg && raw->value == event->value &&
            (event->event.unit == BX_ANY || event->event.unit == at.unit))
            break;
        from++;
    }
    return from;
}

int bx_decoding_run(bx_decoding *d, size_t *n, bx_error *e)
{
    if (!d)
        return bx_missing(e, "decoding");
    if (!n)
        return bx_missing(e, "place for the number");
    bx_decoded *events = malloc((d->n + 1) * sizeof *events);
    size_t found = 0, control = 0;
    int code = BX_OK;

    forget(d);
    d->decoded = calloc(d->n + 1, sizeof *d->decoded);
    if (!events || !d->decoded)
        code = bx_out_of_memory(e);
    if (!code)
        code = bx_decode(d->c, d->cpu, d->raw, d->n, events, d->n, &found, e);
    for (; !code && d->found < found; control++) {
        const bx_decoded *event = &events[d->found];
        control = control_of(d, event, control);
        struct decoded is = {bx_event_text(d->c, &event->event, bx_event_format), control};
        if (is.event)
            d->decoded[d->found++] = is;
        else
            code = bx_out_of_memory(e);
    }
    free(events);
    if (code)
        forget(d);
    else
        *n = d->found;
    return code;
}

const char *bx_decoding_event(const bx_decoding *d, size_t i)
{
    if (!d)
        return "";
    return i < d->found ? d->decoded[i].event : "";
}

size_t bx_decoding_value(const bx_decoding *d, size_t i)
{
    if (!d)
        return 0;
    return i < d->found ? d->decoded[i].value : 0;
}
