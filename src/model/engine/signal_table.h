/* The notation of signals: which tallies a selection adds up. Every box of every machine has one
 * table of rows in it, for its uncore and for its cores.
 *
 * A model keeps its tallies in arrays (struct bx_tallies) of up to four axes, such as request x
 * state. A row says: this code, with this unit mask, adds up these tallies of this array.
 *
 *     {0x2e, IS(0x41), &counts, LLC_MISSES}        only this unit mask
 *     {0xd1, HAS(0x02), &counts, CORE(FROM_L2)}    these bits; other rows may add others
 *     {0x15, EACH(0x0f), &hits}                    each bit a tally of the first axis, in order
 *     {0x10, ANY, &accepted}                       whatever the unit mask is
 *     {0x34, BY_CHOICE, &lookups, CHOICES(of_lookups)}
 *
 * - All rows that match are added up. A tally that several of them mean counts once. A row IS
 *   hides the others. A unit mask that no row matches, or with a bit that no matching row knows, is
 *   not modelled.
 * - A row without a set means all tallies of its array; a row without an array means none: 0.
 * - Choices narrow the axes of the row's array. Along an axis, the sets of the choices that match
 *   are united, and only then the axes multiply: requests x states. An axis without choices is not
 *   narrowed. AGAIN(axis) narrows an axis a second time: what both let through counts.
 * - Choices compare the unit mask and filter registers. A filter that applies to a selection and is
 *   not 0 is honoured only if a matching row compares it. Otherwise the selection is not modelled:
 *   no row can ignore a filter.
 *
 * A selection is resolved once, when a counter is programmed. Reading it then only adds. */
#ifndef BX_MODEL_ENGINE_SIGNAL_TABLE_H
#define BX_MODEL_ENGINE_SIGNAL_TABLE_H

#include "base/buf.h"
#include "model/engine/resolved_signal.h"

/* A comparison of a word of the selection. A word matches if its bits `care` are `value`, and if at
 * least one bit of `some` is set, unless `some` is 0. A word that matches selects by `each` or
 * `number`, if they are not 0: each bit of `each` selects one tally along the axis, from the lowest
 * on; the value of the bits `number` is the index of one. `free` bits may be anything. */
struct bx_when {
    uint64_t care, value, some, each, number, free;
    uint8_t word; /* enum bx_word_of_selection */
};

enum bx_word_of_selection {
    BX_OF_UMASK,
    /* BX_OF_FILTER + k: the bits of filter register k that apply. BX_OF_APPLIES + k: which of its
     * bits apply. */
    BX_OF_FILTER,
    BX_OF_APPLIES = BX_OF_FILTER + BX_FILTERS,
};

struct bx_choice {
    uint8_t axis;           /* BX_NO_AXIS: the choice only makes bits known */
    struct bx_when when[2]; /* both must match */
    uint64_t set;           /* along the axis; 0: all of it */
    bool from_own;          /* the indexes are packages, counted from the selection's own */
};

enum { BX_NO_AXIS = 0xff, BX_AXIS_AGAIN = 4, BX_ANY_CODE = 0xffff };

struct bx_row {
    uint16_t code;       /* of a box whose codes differ by counter: counter << 8 | code */
    struct bx_when when; /* of the unit mask */
    const struct bx_tallies *of;
    uint64_t set, minus; /* along the first axis; those of `minus` are subtracted */
    const struct bx_choice *choice;
    uint8_t choices;
    uint8_t what;      /* see struct bx_reader */
    uint8_t threshold; /* the event exists only with this threshold, and includes it */
    uint8_t needs;     /* what the machine must have, beside what the array needs */
    /* Filters that the reader itself compares: bits of filter register k. */
    uint64_t honours[3];
};

/* The table of a box: its own rows, and those that it shares with others. */
enum { BX_BOX_PARTS = 4 };
struct bx_box_signals {
    struct {
        const struct bx_row *row;
        size_t n;
    } part[BX_BOX_PARTS];
    bool by_counter;
    bool of_user; /* nothing is executed at privilege level 0: with that level alone only tallies
                     `at_level_0` are modelled */
};

#define BX_ROWS(of)                                                                                \
    {                                                                                              \
        of, sizeof of / sizeof *of                                                                 \
    }

/* Resolves a selection. The unit exists. index: the unit's number over all packages. has: what the
 * machine has, for bx_row.needs. false: not modelled. */
bool bx_signal_resolve(const struct bx_box_signals *box, bx_model *m, const bx_selection *sel,
                       unsigned index, unsigned has, struct bx_signal *signal);

/* Counts in uint64_t: each occurrence is a pulse of one cycle. */
extern const struct bx_reader bx_read_counts;
/* struct bx_gauge. what: enum bx_gauge_sum, or BX_WHAT_LANES: cycles with an entry in any lane of
 * the set. */
extern const struct bx_reader bx_read_gauges;
enum { BX_WHAT_LANES = 0x80 };
/* 1 in every cycle. */
extern const struct bx_tallies bx_every_cycle;

/* Appends what the signal adds up, in words. */
void bx_signal_describe(const struct bx_signal *signal, bx_buf *to);

#endif
