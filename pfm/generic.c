/* Reads strings of the PMU `perf`, and describes it. It has no state. */
#include "pfm/generic.h"

#include "base/buf.h"
#include "pfm/generic_events.h"
#include "pfm/results.h"
#include "pfm/sized.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { PMU = 51, TYPE_OS_GENERIC = 3, EVENT_BITS = 21 }; /* PFM_PMU_PERF_EVENT */
enum { PLM_HYPERVISOR = 0x10 };

/* Attributes, with libpfm4's numbers. */
enum { U, K, H, PERIOD, FREQ, PRECISE, EXCL, MG, MH, CPU, PINNED, TERMS };

static const struct {
    const char *name, *title;
    bool flag, extended, hardware; /* 0 or 1; PFM_OS_PERF_EVENT_EXT only; not of software events */
    uint64_t most;
} terms[TERMS] = {
    [U] = {"u", "count at user level", true, false, false, 1},
    [K] = {"k", "count in the kernel", true, false, false, 1},
    [H] = {"h", "count in the hypervisor", true, false, true, 1},
    [PERIOD] = {"period", "events between samples", false, true, false, UINT64_MAX},
    [FREQ] = {"freq", "samples per second", false, true, false, UINT64_MAX},
    [PRECISE] = {"precise", "how near a sample is to its instruction", false, true, true, 3},
    [EXCL] = {"excl", "nothing else on the PMU", true, true, false, 1},
    [MG] = {"mg", "count in guests", true, false, false, 1},
    [MH] = {"mh", "count in the host", true, false, false, 1},
    [CPU] = {"cpu", "CPU to count on", false, true, false, INT32_MAX},
    [PINNED] = {"pinned", "always on a counter", true, true, false, 1},
};

/* What a string says. */
typedef struct asked {
    const bx_generic_event *event;       /* never another name */
    unsigned operations, results, given; /* masks */
    uint64_t value[TERMS];
} asked;

static int start(void)
{
    return BX_PFM_SUCCESS;
}

static void end(void)
{
}

/* As libpfm4 treats its PMUs: LIBPFM_FORCE_PMU leaves one, LIBPFM_DISABLED_PMUS takes some away. */
static bool is_present(void)
{
    const char *forced = getenv("LIBPFM_FORCE_PMU");
    bx_str rest = bx_str_of(forced), off = bx_str_of(getenv("LIBPFM_DISABLED_PMUS"));
    if (forced && *forced && !bx_str_eq_fold(bx_str_cut(&rest, ','), BX_STR("perf")))
        return false;
    while (off.p) {
        bx_str item = bx_str_cut(&off, ',');
        if (item.n && bx_str_starts_fold(BX_STR("perf"), item))
            return false;
    }
    return true;
}

static int identifier(const bx_generic_event *event)
{
    return PMU << EVENT_BITS | (int)(event - bx_generic_events);
}

static const bx_generic_event *event_of(int idx)
{
    int local = idx & ((1 << EVENT_BITS) - 1);
    return idx >> EVENT_BITS == PMU && local < BX_GENERIC_EVENTS ? &bx_generic_events[local] : NULL;
}

static const bx_generic_event *generic_by_name(bx_str name)
{
    for (size_t i = 0; i < BX_GENERIC_EVENTS; i++)
        if (bx_str_eq_fold(bx_str_of(bx_generic_events[i].name), name))
            return &bx_generic_events[i];
    return NULL;
}

static bool offers(const bx_generic_event *event, int os, unsigned term)
{
    return os != BX_PFMLIB_OS_NONE && (!terms[term].extended || os == BX_PFMLIB_OS_PERF_EXT) &&
           !(terms[term].hardware && event->type == PERF_TYPE_SOFTWARE);
}

/* ---- strings ---- */

static bool read_mask(asked *a, bx_str name)
{
    for (unsigned i = 0; i < BX_GENERIC_OPERATIONS; i++)
        if (a->event->operations >> i & 1 &&
            bx_str_eq_fold(bx_str_of(bx_generic_operations[i]), name)) {
            a->operations |= 1u << i;
            return true;
        }
    for (unsigned i = 0; a->event->operations && i < BX_GENERIC_RESULTS; i++)
        if (bx_str_eq_fold(bx_str_of(bx_generic_results[i]), name)) {
            a->results |= 1u << i;
            return true;
        }
    return false;
}

static bool read_term_value(unsigned term, bx_str text, uint64_t *value)
{
    if (!terms[term].flag)
        return text.n && bx_str_u64(text, value) && *value <= terms[term].most;
    *value = !text.p || (text.n == 1 && strchr("1yYtT", *text.p));
    return !text.p || (text.n == 1 && strchr("1yYtT0nNfF", *text.p));
}

static int read_term(asked *a, int os, bx_str name, bx_str text)
{
    unsigned term = 0;
    uint64_t value;
    while (term < TERMS &&
           !(offers(a->event, os, term) && bx_str_eq_fold(bx_str_of(terms[term].name), name)))
        term++;
    if (term == TERMS)
        return BX_PFM_ATTR;
    if (!read_term_value(term, text, &value))
        return BX_PFM_ATTR_VAL;
    if (a->given >> term & 1 && a->value[term] != value)
        return BX_PFM_ATTR_SET;
    a->given |= 1u << term;
    a->value[term] = value;
    return BX_PFM_SUCCESS;
}

static bx_str cut_part(bx_str *rest)
{
    size_t n = 0;
    while (n < rest->n && rest->p[n] != ':' && rest->p[n] != '.')
        n++;
    bx_str part = bx_str_sub(*rest, 0, n);
    *rest = n < rest->n ? bx_str_sub(*rest, n + 1, rest->n) : (bx_str){NULL, 0};
    return part;
}

static int read_attributes(asked *a, int os, bx_str rest)
{
    int code = BX_PFM_SUCCESS;
    while (!code && rest.p) {
        bx_str text = cut_part(&rest), name = bx_str_cut(&text, '=');
        if (text.p || !read_mask(a, name))
            code = read_term(a, os, name, text);
    }
    bool both = a->given >> PERIOD & a->given >> FREQ & 1;
    return code ? code : both ? BX_PFM_ATTR_VAL : BX_PFM_SUCCESS;
}

static int read_string(const char *z, int os, asked *a)
{
    bx_str text = bx_str_of(z), rest = text;
    static const char pmu[] = "perf::";
    *a = (asked){0};
    if (strpbrk(z, " \t\n,"))
        return BX_PFM_INVAL;
    bool named = bx_str_starts_fold(text, BX_STR(pmu));
    if (!is_present() && !(named && getenv("LIBPFM_ENCODE_INACTIVE")))
        return BX_PFM_NOTFOUND;
    for (size_t i = 0; !named && i + 1 < text.n; i++)
        if (text.p[i] == ':' && text.p[i + 1] == ':')
            return BX_PFM_NOTFOUND; /* another PMU */
    if (named)
        rest = bx_str_sub(text, strlen(pmu), text.n);
    a->event = generic_by_name(cut_part(&rest));
    if (!a->event)
        return BX_PFM_NOTFOUND;
    if (a->event->equals) {
        bx_str masks = bx_str_of(a->event->equals);
        a->event = generic_by_name(cut_part(&masks));
        while (masks.p)
            read_mask(a, cut_part(&masks));
    }
    return read_attributes(a, os, rest);
}

/* One of each group; without one, reads and misses. */
static int complete_masks(asked *a)
{
    if (!a->event->operations)
        return BX_PFM_SUCCESS;
    if (a->operations & (a->operations - 1) || a->results & (a->results - 1))
        return BX_PFM_UMASK;
    a->operations = a->operations ? a->operations : 1u << PERF_COUNT_HW_CACHE_OP_READ;
    a->results = a->results ? a->results : 1u << PERF_COUNT_HW_CACHE_RESULT_MISS;
    return BX_PFM_SUCCESS;
}

static uint64_t config_of(const asked *a)
{
    uint64_t config = a->event->config;
    for (unsigned i = 0; i < BX_GENERIC_OPERATIONS; i++)
        config |= a->operations >> i & 1 ? (uint64_t)i << 8 : 0;
    for (unsigned i = 0; i < BX_GENERIC_RESULTS; i++)
        config |= a->results >> i & 1 ? (uint64_t)i << 16 : 0;
    return config;
}

static void spell(const asked *a, bx_buf *to)
{
    bx_buf_f(to, "perf::%s", a->event->name);
    for (unsigned i = 0; i < BX_GENERIC_OPERATIONS; i++)
        if (a->operations >> i & 1)
            bx_buf_f(to, ":%s", bx_generic_operations[i]);
    for (unsigned i = 0; i < BX_GENERIC_RESULTS; i++)
        if (a->results >> i & 1)
            bx_buf_f(to, ":%s", bx_generic_results[i]);
}

/* ---- encoding ---- */

static int encode_raw(const char *text, bx_pfmlib_raw_arg *arg)
{
    asked a;
    if (!bx_pfmlib_sized(arg, arg->size, sizeof *arg))
        return BX_PFM_INVAL;
    int code = read_string(text, BX_PFMLIB_OS_NONE, &a);
    if (!code)
        code = complete_masks(&a);
    if (code)
        return code;
    bx_buf string = {0};
    spell(&a, &string);
    bx_pfm_code out = {.words = 1, .word = {config_of(&a)}};
    if (!string.failed)
        memcpy(out.fstr, string.p, string.n + 1);
    code = string.failed ? BX_PFM_NOMEM : bx_pfmlib_hand_out_words(&out, arg);
    bx_buf_free(&string);
    if (!code)
        arg->idx = identifier(a.event);
    return code;
}

/* Sets the levels and the host from what was given and from the caller's levels. libpfm4 takes mg=0
 * and mh=0 for mg and mh. */
static void complete_terms(asked *a, unsigned plm)
{
    if (!(a->given & (1u << U | 1u << K | 1u << H))) {
        a->value[U] = !!(plm & BX_PFM_PLM3);
        a->value[K] = !!(plm & BX_PFM_PLM0);
        a->value[H] = !!(plm & PLM_HYPERVISOR);
    }
    a->value[MG] = a->given >> MG & 1;
    a->value[MH] = a->given >> MH & 1 || !a->value[MG];
}

/* libpfm4 does not spell `cpu` and `pinned`. */
static void spell_terms(const asked *a, int os, bx_buf *to)
{
    for (unsigned i = 0; i < CPU; i++)
        if (offers(a->event, os, i) && (a->given >> i & 1 || (i != PERIOD && i != FREQ)))
            bx_buf_f(to, ":%s=%llu", terms[i].name, (unsigned long long)a->value[i]);
}

static void fill(const asked *a, struct perf_event_attr *attr)
{
    attr->type = a->event->type;
    attr->config = config_of(a);
    attr->exclude_user = !a->value[U];
    attr->exclude_kernel = !a->value[K];
    attr->exclude_hv = !a->value[H];
    attr->exclude_guest = !a->value[MG];
    attr->exclude_host = !a->value[MH];
    if (a->given >> PERIOD & 1)
        attr->sample_period = a->value[PERIOD];
    if (a->given >> FREQ & 1) {
        attr->sample_freq = a->value[FREQ];
        attr->freq = 1;
    }
    if (a->given >> PRECISE & 1)
        attr->precise_ip = a->value[PRECISE] & 3;
    if (a->given >> EXCL & 1)
        attr->exclusive = a->value[EXCL] & 1;
    if (a->given >> PINNED & 1)
        attr->pinned = a->value[PINNED] & 1;
}

static int encode_perf(const char *text, unsigned plm, int os, bx_pfmlib_perf_arg *arg)
{
    asked a;
    bx_buf string = {0};
    if (!bx_pfmlib_sized(arg, arg->size, sizeof *arg) || !arg->attr)
        return BX_PFM_INVAL;
    int code = read_string(text, os, &a);
    if (!code)
        code = complete_masks(&a);
    if (code)
        return code;
    complete_terms(&a, plm);
    spell(&a, &string);
    spell_terms(&a, os, &string);
    code = string.failed ? BX_PFM_NOMEM : bx_pfmlib_hand_out_text(arg->fstr, string.p);
    bx_buf_free(&string);
    if (code)
        return code;
    fill(&a, arg->attr);
    arg->idx = identifier(a.event);
    arg->cpu = a.given >> CPU & 1 ? (int)a.value[CPU] : -1;
    return BX_PFM_SUCCESS;
}

static int encode(const char *text, int plm, int os, void *arg)
{
    return os == BX_PFMLIB_OS_NONE ? encode_raw(text, arg)
                                   : encode_perf(text, (unsigned)plm, os, arg);
}

static int find(const char *text)
{
    asked a;
    int code = read_string(text, BX_PFMLIB_OS_NONE, &a);
    return code ? code : identifier(a.event);
}

/* ---- descriptions ---- */

static int describe_pmu(int id, bx_pfmlib_pmu_info *info)
{
    if (id != PMU)
        return BX_PFMLIB_NOTSUPP;
    if (!bx_pfmlib_sized(info, info->size, sizeof *info))
        return BX_PFM_INVAL;
    *info = (bx_pfmlib_pmu_info){.name = "perf",
                                 .desc = "generic events of Linux perf",
                                 .size = sizeof *info,
                                 .pmu = PMU,
                                 .type = TYPE_OS_GENERIC,
                                 .nevents = BX_GENERIC_EVENTS,
                                 .first_event = PMU << EVENT_BITS,
                                 .max_encoding = 1,
                                 .is_present = is_present()};
    return BX_PFM_SUCCESS;
}

static int validate(int id, FILE *to)
{
    (void)to;
    return id == PMU ? BX_PFM_SUCCESS : BX_PFM_INVAL;
}

static int next_event(int idx)
{
    const bx_generic_event *event = event_of(idx);
    return event && event + 1 < bx_generic_events + BX_GENERIC_EVENTS ? idx + 1 : -1;
}

/* Passes over the attributes of an event. Returns their number, and describes the one of that
 * index. */
static int attributes(const bx_generic_event *event, int os, int index, bx_pfmlib_attr_info *info)
{
    int n = 0;
    bx_pfmlib_attr_info one = {.type = BX_PFMLIB_ATTR_UMASK, .ctrl = BX_PFMLIB_CTRL_PMU};
    for (unsigned i = 0; i < BX_GENERIC_OPERATIONS + BX_GENERIC_RESULTS; i++) {
        bool operation = i < BX_GENERIC_OPERATIONS;
        unsigned value = operation ? i : i - BX_GENERIC_OPERATIONS;
        if (!event->operations || (operation && !(event->operations >> i & 1)))
            continue;
        one.name = one.desc = operation ? bx_generic_operations[value] : bx_generic_results[value];
        one.code = (uint64_t)value << (operation ? 8 : 16);
        if (n++ == index)
            *info = one;
    }
    for (unsigned i = 0; i < TERMS; i++) {
        if (!offers(event, os, i))
            continue;
        one = (bx_pfmlib_attr_info){.name = terms[i].name,
                                    .desc = terms[i].title,
                                    .code = i,
                                    .type = terms[i].flag ? BX_PFMLIB_ATTR_BOOL
                                                          : BX_PFMLIB_ATTR_INTEGER,
                                    .ctrl = BX_PFMLIB_CTRL_PERF};
        if (n++ == index)
            *info = one;
    }
    return n;
}

/* The event itself: of another name, that which it stands for, whose masks are fixed. */
static bx_generic_event meaning(const bx_generic_event *event)
{
    bx_str masks = bx_str_of(event->equals);
    bx_generic_event meant = event->equals ? *generic_by_name(cut_part(&masks)) : *event;
    meant.operations = event->operations;
    return meant;
}

static int describe_event(int idx, int os, bx_pfmlib_event_info *info)
{
    const bx_generic_event *event = event_of(idx);
    if (!event || os < 0 || os >= BX_PFMLIB_OS_MAX || !info ||
        !bx_pfmlib_sized(info, info->size, sizeof *info))
        return BX_PFM_INVAL;
    const bx_generic_event meant = meaning(event);
    *info = (bx_pfmlib_event_info){.name = event->name,
                                   .desc = event->equals ? event->equals : event->name,
                                   .equiv = event->equals,
                                   .size = sizeof *info,
                                   .code = meant.config,
                                   .pmu = PMU,
                                   .dtype = BX_PFMLIB_DTYPE_UINT64,
                                   .idx = idx,
                                   .nattrs = attributes(&meant, os, -1, NULL),
                                   .is_precise = event == bx_generic_events};
    return BX_PFM_SUCCESS;
}

static int describe_attribute(int idx, int attr, int os, bx_pfmlib_attr_info *info)
{
    const bx_generic_event *event = event_of(idx);
    bx_pfmlib_attr_info own = {0};
    if (!event || os < 0 || os >= BX_PFMLIB_OS_MAX || attr < 0 || !info ||
        !bx_pfmlib_sized(info, info->size, sizeof *info))
        return BX_PFM_INVAL;
    const bx_generic_event meant = meaning(event);
    if (attr >= attributes(&meant, os, attr, &own))
        return BX_PFM_INVAL;
    own.size = sizeof own;
    own.idx = attr;
    *info = own;
    return BX_PFM_SUCCESS;
}

const bx_pfmlib_installed bx_pfmlib_generic = {
    .initialize = start,
    .terminate = end,
    .get_pmu_info = describe_pmu,
    .pmu_validate = validate,
    .get_event_next = next_event,
    .get_event_info = describe_event,
    .get_event_attr_info = describe_attribute,
    .find_event = find,
    .get_os_event_encoding = encode,
};
