/* The tallies of the boxes of a Xeon 7500 as arrays, for the tables of their signals. Rules and
 * words: docs/explanation/model-nhmex.md. */
#ifndef BX_MODEL_MACHINE_NHMEX_SIGNALS_H
#define BX_MODEL_MACHINE_NHMEX_SIGNALS_H

#include "model/engine/signal_words.h"
#include "model/machine/nhmex/machine.h"

#define IN(box, member)                                                                            \
    {                                                                                              \
        .at = offsetof(struct bx_nhmex, package[0].box[0].member),                                 \
        .package = sizeof(struct bx_nhmex_package),                                                \
        .unit = sizeof(((struct bx_nhmex_package *)0)->box[0])                                     \
    }

/* Counts, and entries of gauges, change only when the uncore serves an access. */
#define SERVED                                                                                     \
    {                                                                                              \
        .at = offsetof(struct bx_nhmex, served)                                                    \
    }

#define COUNTS(box, member)     &bx_read_counts, IN(box, member), SERVED
#define GAUGES(box, member)     &bx_read_gauges, IN(box, member), SERVED
#define EACH_OF(names, n)       .axis = {{names, n, sizeof(uint64_t)}}
#define EACH_IN(names, n, type) .axis = {{names, n, sizeof(type)}}

/* Readings of gauges. */
enum {
    ENTRIES = BX_GAUGE_ENTRIES,
    NOT_EMPTY = BX_GAUGE_NOT_EMPTY,
    FULL = BX_GAUGE_FULL,
    EMPTY = BX_GAUGE_EMPTY,
};

/* Packets that match, of box B, R or S. what: a set of bx_nhmex_compared. */
extern const struct bx_reader bx_nhmex_read_matches;
#define MATCHES(box) &bx_nhmex_read_matches, IN(box, patterns), SERVED

extern const struct bx_box_signals bx_nhmex_c_signals, bx_nhmex_s_signals, bx_nhmex_b_signals,
    bx_nhmex_r_signals, bx_nhmex_m_signals, bx_nhmex_u_signals, bx_nhmex_w_signals;

/* What rows may need of the unit, or of what is selected with it: that the port is that of a link;
 * that the model sends such packets; that its memory gives such responses, and that there is such
 * a scheduling mode. */
enum {
    BX_NHMEX_HAS_LINK = 1,
    BX_NHMEX_HAS_NO_LINK = 2,
    BX_NHMEX_HAS_PACKET = 4,
    BX_NHMEX_HAS_RESPONSE = 8,
    BX_NHMEX_HAS_MODE = 16,
};

/* Whether the model sends packets that an R-Box's pattern can match: by class and opcode. */
bool bx_nhmex_sends(const uint64_t filter[3]);

/* What an M-Box has of a selection. */
unsigned bx_nhmex_memory_has(const bx_selection *sel);

#endif
