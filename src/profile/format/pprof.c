/* pprof's format, a message of protocol buffers:
 * https://github.com/google/pprof/blob/main/proto/profile.proto (numbers of fields), and
 * https://protobuf.dev/programming-guides/encoding/ (their bytes). */
#include "base/error.h"
#include "profile/format/formats.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2 };

/* Fields of the messages. */
enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, DEFAULT_TYPE = 14 };
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum {
    MAPPING_ID = 1,
    MAPPING_LIMIT = 3,
    MAPPING_FILE = 5,
    MAPPING_KNOWN = 7,
    MAPPING_KNOWN_LAST = 10
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

typedef struct pprof_out {
    const bx_calls *c;
    const bx_profile_table *t;
    bx_buf *to;
    bx_buf strings; /* the field of each */
    const char **text;
    uint32_t *slot; /* [slots], a power of two: 1 + index of the text */
    size_t slots;
    uint32_t texts;
    bool sums; /* a first value that is the sum of those that rank */
    bool failed;
} pprof_out;

/* ---- protocol buffers ---- */

static void put_varint(bx_buf *to, uint64_t value)
{
    char bytes[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (char)(value | 0x80);
    bytes[n++] = (char)value;
    bx_buf_add(to, bytes, n);
}

static void put_number(bx_buf *to, unsigned field, uint64_t value)
{
    put_varint(to, field << 3 | VARINT);
    put_varint(to, value);
}

static void put_bytes(bx_buf *to, unsigned field, const char *bytes, size_t n)
{
    put_varint(to, field << 3 | BYTES);
    put_varint(to, n);
    bx_buf_add(to, bytes, n);
}

/* Empties the message for the next one. */
static void put_message(bx_buf *to, unsigned field, bx_buf *message)
{
    put_bytes(to, field, bx_buf_text(message), message->n);
    to->failed |= message->failed;
    message->n = 0;
}

/* ---- texts: a message names them by their number ---- */

static size_t hash_of_text(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ h >> 32);
}

static void slot_text(pprof_out *o, uint32_t number)
{
    size_t i = hash_of_text(o->text[number]) & (o->slots - 1);
    while (o->slot[i])
        i = (i + 1) & (o->slots - 1);
    o->slot[i] = number + 1;
}

static bool widen_texts(pprof_out *o)
{
    size_t slots = o->slots ? 2 * o->slots : 1024;
    const char **text = realloc(o->text, slots / 2 * sizeof *text);
    uint32_t *slot = text ? calloc(slots, sizeof *slot) : NULL;
    o->text = text ? text : o->text;
    o->failed |= !slot;
    if (!slot)
        return false;
    free(o->slot);
    o->slot = slot;
    o->slots = slots;
    for (uint32_t i = 0; i < o->texts; i++)
        slot_text(o, i);
    return true;
}

static uint64_t number_of_text(pprof_out *o, const char *text)
{
    text = text ? text : "";
    if (2 * (o->texts + UINT64_C(1)) > o->slots && !widen_texts(o))
        return 0;
    for (size_t i = hash_of_text(text) & (o->slots - 1); o->slot[i]; i = (i + 1) & (o->slots - 1))
        if (strcmp(o->text[o->slot[i] - 1], text) == 0)
            return o->slot[i] - 1;
    o->text[o->texts] = text;
    slot_text(o, o->texts);
    put_bytes(&o->strings, STRING, text, strlen(text));
    return o->texts++;
}

/* ---- the messages ---- */

/* pprof shows a unit right after the number, except for those that it knows. */
static const char *unit_after_number(pprof_out *o, const char *unit)
{
    bx_buf text = {0};
    if (!unit || !*unit || strcmp(unit, "ns") == 0)
        return unit && *unit ? "nanoseconds" : "count";
    bx_buf_f(&text, " %s", unit);
    const char *copy = bx_arena_copy(o->t->of->arena, bx_str_of(bx_buf_text(&text)));
    o->to->failed |= text.failed || !copy;
    bx_buf_free(&text);
    return copy ? copy : "";
}

static void put_type(pprof_out *o, const char *name, const char *unit)
{
    bx_buf type = {0};
    put_number(&type, TYPE_NAME, number_of_text(o, name));
    put_number(&type, TYPE_UNIT, number_of_text(o, unit_after_number(o, unit)));
    put_message(o->to, SAMPLE_TYPE, &type);
    bx_buf_free(&type);
}

/* The value of the table's order first. */
static bool is_type(const pprof_out *o, uint32_t event, bool first)
{
    return o->t->has[event] && (o->sums ? !first : o->t->ranks[event] == first);
}

static void put_types(pprof_out *o)
{
    const bx_profile *p = o->t->of;
    unsigned ranks = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < p->events; i++)
        if (o->t->ranks[i]) {
            ranks++;
            last = i;
        }
    o->sums = ranks > 1;
    if (o->sums)
        put_type(o, o->t->sort, p->event[last].unit);
    for (unsigned first = 1; first <= 2; first++)
        for (uint32_t i = 0; i < p->events; i++)
            if (is_type(o, i, first == 1))
                put_type(o, p->event[i].name, p->event[i].unit);
    if (o->t->sort)
        put_number(o->to, DEFAULT_TYPE,
                   number_of_text(o, o->sums ? o->t->sort : p->event[last].name));
}

static void put_values(pprof_out *o, const int64_t *count, bx_buf *sample)
{
    bx_buf values = {0};
    int64_t sum = 0;
    for (uint32_t i = 0; i < o->t->of->events; i++)
        sum += o->t->ranks[i] ? count[i] : 0;
    if (o->sums)
        put_varint(&values, (uint64_t)sum);
    for (unsigned first = 1; first <= 2; first++)
        for (uint32_t i = 0; i < o->t->of->events; i++)
            if (is_type(o, i, first == 1))
                put_varint(&values, (uint64_t)count[i]);
    put_message(sample, SAMPLE_VALUE, &values);
    bx_buf_free(&values);
}

static void put_label(pprof_out *o, const char *key, const char *text, int64_t number,
                      bx_buf *sample)
{
    bx_buf label = {0};
    put_number(&label, LABEL_KEY, number_of_text(o, key));
    if (text)
        put_number(&label, LABEL_TEXT, number_of_text(o, text));
    else
        put_number(&label, LABEL_NUMBER, (uint64_t)number);
    put_message(sample, SAMPLE_LABEL, &label);
    bx_buf_free(&label);
}

static void put_sample(pprof_out *o, const bx_call_cost *of, const int64_t *count)
{
    uint32_t chain[BX_CALLS_DEEPEST];
    unsigned n = bx_calls_chain(o->c, of->context, chain);
    const bx_call_data *object = bx_calls_object(o->c, of->object);
    const bx_call_data *thread = bx_calls_thread(o->c, of->thread);
    bx_buf sample = {0}, places = {0};
    put_varint(&places, of->code + UINT64_C(1));
    for (unsigned i = 0; i < n; i++)
        put_varint(&places, chain[i] + UINT64_C(1));
    put_message(&sample, SAMPLE_LOCATION, &places);
    put_values(o, count, &sample);
    if (object)
        put_label(o, "object", object->name, 0, &sample);
    if (thread) {
        put_label(o, "thread", NULL, thread->number, &sample);
        put_label(o, "process", NULL, thread->process, &sample);
    }
    put_message(o->to, SAMPLE, &sample);
    bx_buf_free(&sample);
    bx_buf_free(&places);
}

static void put_samples(pprof_out *o)
{
    const bx_calls *c = o->c;
    int64_t *count = calloc(o->t->of->events + UINT64_C(1), sizeof *count);
    o->failed |= !count;
    for (uint32_t i = 0; i < c->costs && count;) {
        const bx_call_cost *first = &c->cost[i];
        memset(count, 0, o->t->of->events * sizeof *count);
        for (; i < c->costs && bx_calls_same(first, &c->cost[i]); i++)
            count[c->cost[i].event] += c->cost[i].count;
        put_sample(o, first, count);
    }
    free(count);
}

/* One mapping, whose functions, files, lines and inlined functions are known: pprof looks for no
 * others. */
static void put_mapping(pprof_out *o)
{
    bx_buf mapping = {0};
    put_number(&mapping, MAPPING_ID, 1);
    put_number(&mapping, MAPPING_LIMIT, UINT64_MAX);
    put_number(&mapping, MAPPING_FILE, number_of_text(o, bx_profile_fact_text(o->t->of, "work")));
    for (unsigned known = MAPPING_KNOWN; known <= MAPPING_KNOWN_LAST; known++)
        put_number(&mapping, known, 1);
    put_message(o->to, MAPPING, &mapping);
    bx_buf_free(&mapping);
}

static void put_line(uint32_t function, int64_t number, bx_buf *place)
{
    bx_buf line = {0};
    put_number(&line, LINE_FUNCTION, function + UINT64_C(1));
    put_number(&line, LINE_NUMBER, (uint64_t)number);
    put_message(place, LOCATION_LINE, &line);
    bx_buf_free(&line);
}

/* Functions into which that of a place was inlined stand in its lines, the innermost first. */
static void put_places(pprof_out *o)
{
    bx_buf place = {0};
    for (uint32_t i = 0; i < o->c->codes; i++) {
        put_number(&place, LOCATION_ID, i + UINT64_C(1));
        put_number(&place, LOCATION_MAPPING, 1);
        put_number(&place, LOCATION_ADDRESS, i + UINT64_C(1)); /* places are told apart by it */
        const bx_call_code *code = &o->c->code[i];
        put_line(code->function, code->line, &place);
        for (uint32_t k = 0; k < code->frames; k++) {
            const bx_call_frame *frame = &o->c->frame[code->frame + k];
            put_line(frame->function, frame->line, &place);
        }
        put_message(o->to, LOCATION, &place);
    }
    for (uint32_t i = 0; i < o->c->functions; i++) {
        const bx_call_function *of = &o->c->function[i];
        const char *name = of->name ? of->name : "(unknown)";
        put_number(&place, FUNCTION_ID, i + UINT64_C(1));
        put_number(&place, FUNCTION_NAME, number_of_text(o, name));
        put_number(&place, FUNCTION_SYSTEM_NAME, number_of_text(o, name));
        put_number(&place, FUNCTION_FILE, number_of_text(o, of->file));
        put_message(o->to, FUNCTION, &place);
    }
    bx_buf_free(&place);
}

void bx_profile_pprof(const bx_calls *c, const bx_profile_table *t, bx_buf *to)
{
    pprof_out o = {.c = c, .t = t, .to = to};
    number_of_text(&o, ""); /* the first one */
    put_types(&o);
    put_samples(&o);
    put_mapping(&o);
    put_places(&o);
    bx_buf_add(to, bx_buf_text(&o.strings), o.strings.n);
    if (o.failed || o.strings.failed)
        bx_buf_fail(to);
    bx_buf_free(&o.strings);
    free(o.text);
    free(o.slot);
}
