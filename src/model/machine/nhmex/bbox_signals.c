/* What a selection of a B-Box counts: docs/explanation/model-nhmex.md. Each counter has its own
 * codes: the counter is in the high byte of a row's code. */
#include "model/machine/nhmex/signals.h"

/* Kinds of requests: [request][from the IOH]. */
enum { RD = 0x03, WR = 0x0c, INV = 0x30, ALL = 0x3f, NOT_IOH = 0x15, IOH = 0x2a, ACKS = 0xc0 };
_Static_assert(BX_NHMEX_RD == 0 && BX_NHMEX_WR == 1 && BX_NHMEX_INVITOE == 2 && BX_NHMEX_IOH == 1 &&
                   BX_NHMEX_CONFLICT_ACKS == 3,
               "the order of the kinds");
static const char *const kind_names[] = {
    "RD",      "RD of the IOH",      "WR",       "WR of the IOH",
    "INVITOE", "INVITOE of the IOH", "AckCnflt", "AckCnflt for the IOH"};

static const char *const class_names[] = {"NCB", "NCS", "DRS", "NDR", "SNP", "HOM", "HOM1"};

static const struct bx_tallies
    tracked = {"requests at the home", GAUGES(b, tracker), EACH_IN(kind_names, 6, struct bx_gauge)},
    inserted = {"requests at the home", COUNTS(b, inserts), EACH_OF(kind_names, 8)},
    table = {"the IMT", GAUGES(b, table.in)},
    table_waits = {"requests waiting for the IMT", GAUGES(b, table.waiting)},
    drsq = {"DRSQ", GAUGES(b, drsq)}, drsq_inserts = {"data into DRSQ", COUNTS(b, drsq_inserts)},
    in_not_snoops = {"messages in that are no snoops", COUNTS(b, in_not_snoops)},
    s_to_b = {"messages of the S-Boxes", COUNTS(b, s_to_b)},
    b_to_s = {"messages to the S-Boxes", COUNTS(b, b_to_s)},
    early_acks = {"write-backs acknowledged before memory has written", COUNTS(b, early_acks)},
    cohq_bypasses = {"requests that found room in the IMT", COUNTS(b, cohq_bypasses)},
    conflicts = {"requests that found another one for their line", COUNTS(b, conflicts)},
    demand_fetches = {"demand fetches", COUNTS(b, demand_fetches)},
    implicit_wbs = {"lines written for snoops", COUNTS(b, implicit_wbs)},
    acks_before_snoops = {"reads that memory answers before the last response to a snoop",
                          COUNTS(b, acks_before_snoops)},
    no_vna = {"packets without a credit of VNA for the R-Box", COUNTS(b, no_vna)},
    no_s_vn0 = {"packets without a credit of VN0 for the S-Box", COUNTS(b, s_credits[0].waits),
                EACH_IN(class_names, BX_NHMEX_CLASSES, struct bx_queue)},
    compared = {"messages that match", MATCHES(b)};

static const struct bx_choice of_pattern[] = {
    {BX_NO_AXIS, {FILTER(0, .free = UINT64_MAX), FILTER(1, .free = UINT64_MAX)}},
    {BX_NO_AXIS, {FILTER(2, .free = UINT64_MAX)}},
};

enum {
    OUT = BX_NHMEX_COMPARES_OUT,
    CLASS = BX_NHMEX_COMPARES_CLASS,
    OPCODE = BX_NHMEX_COMPARES_OPCODE,
    LINE = BX_NHMEX_COMPARES_LINE,
};

#define MATCH(code, compares)                                                                      \
    {                                                                                              \
        code, ANY, &compared, CHOICES(of_pattern), .what = compares                                \
    }

static const struct bx_row rows[] = {
    MATCH(0x001, CLASS | LINE),
    MATCH(0x002, OPCODE | LINE),
    MATCH(0x003, CLASS | OPCODE | LINE),
    {0x004, ANY, &tracked, ALL, .what = ENTRIES},
    {0x005, ANY, &tracked, WR, .what = ENTRIES},
    {0x006, ANY, &tracked, INV, .what = ENTRIES},
    {0x007, ANY, &table, .what = ENTRIES},
    {0x009, ANY, &drsq, .what = ENTRIES},
    {0x00b, ANY, &tracked, IOH, .what = ENTRIES},
    {0x00d, ANY, &tracked, WR &IOH, .what = ENTRIES},
    {0x00f, ANY, &tracked, INV &IOH, .what = ENTRIES},
    {0x01c, ANY, &tracked, RD &IOH, .what = ENTRIES},

    MATCH(0x101, CLASS),
    MATCH(0x102, OUT | CLASS),
    MATCH(0x103, OPCODE),
    MATCH(0x104, OUT | OPCODE),
    MATCH(0x105, CLASS | OPCODE),
    MATCH(0x106, OUT | CLASS | OPCODE),
    {0x107, ANY, &inserted, ALL | ACKS}, /* page 47 */
    {0x109, ANY, &drsq_inserts},
    {0x10a, ANY, &inserted, IOH},
    {0x10b, ANY, &inserted, NOT_IOH},
    {0x10c, ANY, &inserted, WR},
    {0x10d, ANY, &inserted, WR &IOH},
    {0x10e, ANY, &inserted, WR &NOT_IOH},
    {0x10f, ANY, &inserted, INV},
    {0x110, ANY, &inserted, INV &IOH},
    {0x11c, ANY, &inserted, INV &NOT_IOH},
    {0x11d, ANY, &inserted, RD},
    {0x11f, ANY, &inserted, RD &NOT_IOH},

    {0x201, ANY, &in_not_snoops},
    {0x202, ANY, &s_to_b},
    {0x203, ANY, &b_to_s},
    MATCH(0x204, LINE),
    {0x207, ANY, &table, .what = NOT_EMPTY},

    {0x302, ANY, &early_acks},
    {0x30e, ANY, &cohq_bypasses},
    {0x30f, ANY, &demand_fetches},
    {0x312, ANY, &implicit_wbs},
    {0x313, ANY, &table_waits, .what = NOT_EMPTY},
    {0x314, ANY, &no_s_vn0},
    {0x315, ANY, &no_vna},
    {0x316, ANY, &table, .what = FULL},
    {0x317, ANY, &conflicts},
    {0x319, ANY, &acks_before_snoops},
};

const struct bx_box_signals bx_nhmex_b_signals = {{BX_ROWS(rows)}, .by_counter = true};
