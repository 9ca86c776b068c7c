/* Reads rows of perfmon's event files. Members have several spellings through the years: 0XB7,
 * "0xB7, 0xBB", "0", "null". No number is cut: one that cannot be read refuses the row. */
#include "perfmon/row.h"

enum { PARTS = 4, MOST_COUNTERS = 32 };

static bx_str text_of(const bx_json_value *object, const char *key)
{
    const bx_json_value *v = bx_json_member(object, key);
    bool said = v && (v->kind == BX_JSON_STRING || v->kind == BX_JSON_NUMBER);
    bx_str text = said ? bx_str_trim(v->text) : (bx_str){"", 0};
    return bx_str_eq_fold(text, BX_STR("null")) || bx_str_eq_fold(text, BX_STR("na"))
               ? (bx_str){"", 0}
               : text;
}

/* Decimal, also with zeros in front, or hexadecimal after 0x or 0X. An empty text is 0. */
static bool number(bx_str s, uint64_t *to)
{
    s = bx_str_trim(s);
    *to = 0;
    if (bx_str_starts_fold(s, BX_STR("0x"))) {
        if (s.n == 2 || s.n > 18)
            return false;
        for (size_t i = 2; i < s.n; i++) {
            unsigned digit = bx_digit_value(s.p[i]);
            if (digit > 15)
                return false;
            *to = *to << 4 | digit;
        }
        return true;
    }
    for (size_t i = 0; i < s.n; i++) {
        if (!bx_is_digit(s.p[i]) || *to > (UINT64_MAX - 9) / 10)
            return false;
        *to = *to * 10 + (uint64_t)(s.p[i] - '0');
    }
    return true;
}

/* A list of numbers, such as the code on each of two counters: "0xB7, 0xBB". */
typedef struct numbers {
    uint64_t part[PARTS];
    unsigned n;
} numbers;

static bool read_list(bx_str s, numbers *to)
{
    *to = (numbers){0};
    for (bx_str rest = s; rest.p;) {
        uint64_t value;
        if (to->n == PARTS || !number(bx_str_cut(&rest, ','), &value))
            return false;
        to->part[to->n++] = value;
    }
    return to->n > 0;
}

static uint64_t part_of(const numbers *n, unsigned i)
{
    return n->part[i < n->n ? i : 0];
}

static bool read_member(const bx_json_value *object, const char *key, uint64_t *to)
{
    return number(text_of(object, key), to);
}

static bool read_flag(const bx_json_value *object, const char *key, bool *to)
{
    uint64_t value;
    bool ok = read_member(object, key, &value);
    *to = ok && value != 0;
    return ok;
}

/* The position in all lists belongs to the MSR: 0x1a7 alone needs the second unit mask (Knights
 * Landing). */
static const char *read_selection(const bx_json_value *object, bx_perfmon_row *to)
{
    numbers code, umask, msr;
    if (!read_list(text_of(object, "EventCode"), &code))
        return "its EventCode is no number";
    if (!read_list(text_of(object, "UMask"), &umask))
        return "its UMask is no number";
    if (!read_list(text_of(object, "MSRIndex"), &msr))
        return "its MSRIndex is no number";
    to->msr = msr.part[0];
    unsigned at = msr.n == 1 && to->msr == 0x1a7;
    to->code = part_of(&code, at);
    to->umask = part_of(&umask, at);
    if (!read_member(object, "MSRValue", &to->msr_value))
        return "its MSRValue is no number";
    if (!read_member(object, "UMaskExt", &to->umask_ext) || to->umask_ext > UINT32_MAX)
        return "its UMaskExt is no number of 32 bits";
    if (to->umask > UINT8_MAX)
        return "its UMask has more than 8 bits";
    return to->code > UINT8_MAX ? "its EventCode has more than 8 bits" : NULL;
}

static const char *read_options(const bx_json_value *object, bx_perfmon_row *to)
{
    bool ok = read_member(object, "PortMask", &to->port_mask) &&
              read_member(object, "FCMask", &to->fc_mask) &&
              read_member(object, "FILTER_VALUE", &to->filter_value) &&
              read_member(object, "ExtSel", &to->ext_sel) &&
              read_member(object, "CounterMask", &to->counter_mask) &&
              read_flag(object, "EdgeDetect", &to->edge) &&
              read_flag(object, "Invert", &to->invert) &&
              read_flag(object, "AnyThread", &to->any_thread) &&
              read_flag(object, "Deprecated", &to->deprecated);
    if (!ok)
        return "one of its options is no number";
    if (to->port_mask > UINT32_MAX || to->fc_mask > UINT32_MAX || to->filter_value > UINT32_MAX)
        return "one of its filters has more than 32 bits";
    return to->ext_sel > 1 ? "its ExtSel is neither 0 nor 1" : NULL;
}

/* The number at the end of "Fixed counter 1"; 0 of "FIXED". */
static unsigned fixed_number(bx_str text)
{
    char last = text.n ? text.p[text.n - 1] : '\0';
    return last >= '0' && last < '0' + BX_PERFMON_FIXED ? (unsigned)(last - '0') : 0;
}

/* "0,1,2,3"; "Fixed counter 1"; "FIXED"; of a free-running counter its number. */
static const char *read_counters(const bx_json_value *object, bx_perfmon_row *to)
{
    bx_str text = text_of(object, "Counter");
    to->fixed = bx_str_starts_fold(text, BX_STR("fixed"));
    to->free_running = bx_str_starts_fold(text_of(object, "CounterType"), BX_STR("FREERUN")) ||
                       (to->name.n > 8 && bx_str_eq_fold(bx_str_sub(to->name, to->name.n - 8, 8),
                                                         BX_STR("_FREERUN")));
    if (to->fixed || to->free_running) {
        to->fixed_counters = (uint16_t)(to->fixed ? 1U << fixed_number(text) : 0);
        to->counters = to->fixed ? 0 : 1;
        return NULL;
    }
    for (bx_str rest = text; rest.p;) {
        uint64_t index;
        bx_str part = bx_str_trim(bx_str_cut(&rest, ','));
        if (!part.n || !number(part, &index) || index >= MOST_COUNTERS)
            return "its Counter is no list of counters";
        to->counters |= UINT32_C(1) << index;
    }
    return NULL;
}

bool bx_perfmon_is_name(bx_str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] <= ' ' || name.p[i] > '~' || name.p[i] == ',' || name.p[i] == '/')
            return false;
    return name.n > 0 && name.n < 128;
}

const char *bx_perfmon_row_read(const bx_json_value *object, bx_perfmon_row *to, bool *bits)
{
    *to = (bx_perfmon_row){0};
    *bits = false;
    if (object->kind != BX_JSON_OBJECT)
        return "it is no object";
    to->name = text_of(object, "EventName");
    if (!bx_json_member(object, "EventName")) {
        *bits = bx_json_member(object, "MATRIX_VALUE") || bx_json_member(object, "BitName");
        return *bits ? "it names bits of an event" : "it has no EventName";
    }
    if (!bx_perfmon_is_name(to->name))
        return "its EventName is no name";
    to->title = text_of(object, "BriefDescription");
    to->text = text_of(object, "PublicDescription");
    to->unit = text_of(object, "Unit");
    to->errata = text_of(object, "Errata");
    bx_str filter = text_of(object, "Filter");
    to->filter = bx_str_find(filter, '[', 0) > 0 && !bx_str_starts_fold(filter, BX_STR("CtrCtrl"))
                     ? filter
                     : (bx_str){"", 0};
    const char *why = read_selection(object, to);
    why = why ? why : read_options(object, to);
    return why ? why : read_counters(object, to);
}
