/* Linux's terms that select an event of perfmon. */
#include "perfmon/units.h"

#include "base/bits.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct out {
    char *to;
    size_t room, n;
} out;

static void put(out *o, const char *term, uint64_t value)
{
    if (o->n < o->room)
        o->n += (size_t)snprintf(o->to + o->n, o->room - o->n, "%s%s=0x%" PRIx64, o->n ? "," : "",
                                 term, value);
}

static void put_used(out *o, const char *term, uint64_t value)
{
    if (value)
        put(o, term, value);
}

/* ---- cores ---- */

typedef struct fixed {
    uint64_t event, umask;
} fixed;

/* Fixed counters have codes of their own in Linux (arch/x86/events/intel/core.c,
 * intel_v1_event_constraints and later: 0x00c0, 0x003c, 0x0300, 0x0400). */
static const char *fixed_code(const bx_perfmon_row *row, fixed *to)
{
    static const fixed codes[] = {{0}, {0xc0, 0}, {0x3c, 0}, {0, 3}, {0, 4}};
    static const struct {
        const char *name;
        unsigned code;
    } names[] = {
        {"INST_RETIRED.ANY", 1},     {"CPU_CLK_UNHALTED.THREAD", 2},  {"CPU_CLK_UNHALTED.CORE", 2},
        {"CPU_CLK_UNHALTED.REF", 3}, {"CPU_CLK_UNHALTED.REF_TSC", 3}, {"CPU_CLK_UNHALTED.BUS", 3},
    };
    unsigned code = row->code ? 0 : (unsigned)row->umask;
    for (size_t i = 0; !row->umask && i < sizeof names / sizeof *names; i++)
        if (bx_str_eq_fold(row->name, bx_str_of(names[i].name)))
            code = names[i].code;
    if (row->code && row->umask) { /* it can be counted by others, too */
        *to = (fixed){row->code, row->umask};
        return NULL;
    }
    if (!code && row->code) {
        *to = (fixed){row->code, 0};
        return NULL;
    }
    if (code >= sizeof codes / sizeof *codes)
        return "Linux counts it by the code of the event whose name ends in _P";
    if (!code)
        return "Linux has no code for its fixed counter";
    *to = codes[code];
    return NULL;
}

/* MSRs that complete the selection (Linux, the same file: intel_*_extra_regs). */
static const char *msr_term(uint64_t msr)
{
    switch (msr) {
    case 0x1a6:
    case 0x1a7:
        return "offcore_rsp";
    case 0x3f6:
        return "ldlat";
    case 0x3f7:
        return "frontend";
    case 0x1328:
    case 0x1329:
        return "snoop_rsp";
    default:
        return NULL;
    }
}

static const char *core_terms(const bx_perfmon_row *row, out *o)
{
    fixed code = {row->code, row->umask | row->umask_ext << 8};
    const char *why = row->fixed ? fixed_code(row, &code) : NULL;
    if (why)
        return why;
    put(o, "event", code.event);
    put_used(o, "umask", code.umask);
    put_used(o, "edge", row->edge);
    put_used(o, "any", row->any_thread);
    put_used(o, "inv", row->invert);
    put_used(o, "cmask", row->counter_mask);
    if (row->msr && !msr_term(row->msr))
        return "its MSR has no term in Linux";
    if (row->msr)
        put_used(o, msr_term(row->msr), row->msr_value);
    return NULL;
}

/* ---- outside the cores ---- */

static bool has(bx_str name, const char *part)
{
    bx_str wanted = bx_str_of(part);
    for (size_t i = 0; i + wanted.n <= name.n; i++)
        if (bx_str_eq_fold(bx_str_sub(name, i, wanted.n), wanted))
            return true;
    return false;
}

/* The number after the word PART. */
static uint64_t part_number(bx_str name)
{
    for (size_t i = 0; i + 4 < name.n; i++)
        if (bx_str_eq_fold(bx_str_sub(name, i, 4), BX_STR("PART")) && bx_is_digit(name.p[i + 4]))
            return (uint64_t)(name.p[i + 4] - '0');
    return 0;
}

/* Linux's numbers of free-running counters: kind << 4 | index (uncore.h,
 * uncore_freerunning_idx()). */
static const char *free_running_terms(const bx_perfmon_row *row, out *o)
{
    static const struct {
        const char *part;
        uint64_t kind;
        bool numbered;
    } kinds[] = {
        {"BANDWIDTH_IN", 0x20, true}, {"BANDWIDTH_OUT", 0x30, true}, {"CLOCKTICKS", 0x10, false},
        {"RDCAS", 0x20, false},       {"WRCAS", 0x30, false},        {"TOTAL_REQ", 0x10, false},
        {"TCAS", 0x10, false},        {"REQCOUNT", 0x10, false},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has(row->name, kinds[i].part)) {
            put(o, "event", 0xff);
            put(o, "umask", kinds[i].kind + (kinds[i].numbered ? part_number(row->name) : 0));
            return NULL;
        }
    return "Linux has no code for its free-running counter";
}

/* IIO's channels and kinds of requests. Files since Sapphire Rapids have the same bits in UMaskExt;
 * a few rows have them there alone. */
static void take_ports(const bx_perfmon_row *row, uint64_t *port, uint64_t *fc, uint64_t *ext)
{
    if (!*port && !*fc) {
        *port = row->umask_ext >> 4 & 0xfff;
        *fc = row->umask_ext >> 16 & 7;
    }
    *ext &= ~UINT64_C(0x7fff0);
}

/* The fields of CHA's register Filter1 (Intel 336274, Skylake-SP uncore, 2.2.2), which Linux has
 * terms for. */
static const char *filter_terms(const bx_perfmon_row *row, out *o)
{
    static const struct {
        const char *term;
        unsigned lo, bits;
    } fields[] = {
        {"filter_rem", 0, 1},    {"filter_loc", 1, 1},    {"filter_all_op", 3, 1},
        {"filter_nm", 4, 1},     {"filter_not_nm", 5, 1}, {"filter_opc0", 9, 10},
        {"filter_opc1", 19, 10}, {"filter_nc", 30, 1},    {"filter_isoc", 31, 1},
    };
    uint64_t left = row->filter_value;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        unsigned lo = fields[i].lo, hi = lo + fields[i].bits - 1;
        put_used(o, fields[i].term, bx_bits_get(left, lo, hi));
        left &= ~bx_mask_bits(lo, hi);
    }
    return left ? "its FILTER_VALUE has bits that Linux has no term for" : NULL;
}

static const char *uncore_terms(const bx_perfmon_row *row, const bx_perfmon_unit *unit, out *o)
{
    uint64_t ext = row->umask_ext, port = row->port_mask, fc = row->fc_mask;
    if (row->fixed) {
        put(o, "event", 0xff);
        return NULL;
    }
    if (bx_str_starts_fold(bx_str_of(unit->kernel), BX_STR("uncore_iio")))
        take_ports(row, &port, &fc, &ext);
    put(o, "event", row->code | row->ext_sel << 8);
    put_used(o, "umask", row->umask | ext << 8);
    put_used(o, "ch_mask", port);
    put_used(o, "fc_mask", fc);
    put_used(o, "edge", row->edge);
    put_used(o, "inv", row->invert);
    put_used(o, "thresh", row->counter_mask);
    return filter_terms(row, o);
}

const char *bx_perfmon_terms(const bx_perfmon_row *row, const bx_perfmon_unit *unit, char *to,
                             size_t room)
{
    out o = {to, room, 0};
    const char *why = unit->core          ? core_terms(row, &o)
                      : row->free_running ? free_running_terms(row, &o)
                                          : uncore_terms(row, unit, &o);
    return why ? why : o.n >= room ? "its terms are too long" : NULL;
}
