/* The machine model: cores, caches, LLC slices, ARB, memory controller. It executes streams of
 * memory accesses and raises signals through seam/signal.h; it knows no register and no event name.
 * Its exact rules are in docs/model.md. */
#ifndef BX_MODEL_MODEL_H
#define BX_MODEL_MODEL_H

#include "seam/signal.h"

#include <boxscore/boxscore.h>

/* One access, packed: what the hot path reads. All accesses stay within one 64-byte line.
 *   bits 1:0   kind (enum bx_access_kind)
 *   bit  2     dependent: the agent waits for its completion
 *   bit  3     partial: a write of less than a line (IO and GT agents only)
 *   bits 15:4  cost: cycles from the agent's previous access to this one when nothing stalls
 *   bits 55:16 physical line number (address / 64) */
typedef uint64_t bx_access;

enum bx_access_kind { BX_LOAD, BX_STORE, BX_FETCH };
enum { BX_ACCESS_DEPENDENT = 4, BX_ACCESS_PARTIAL = 8, BX_ACCESS_COST_MAX = 4095 };

static inline bx_access bx_access_make(uint64_t line, unsigned kind, unsigned flags, unsigned cost)
{
    return line << 16 | (uint64_t)cost << 4 | flags | kind;
}

/* Where an agent's accesses come from. `refill` makes next…end non-empty and returns true, or
 * returns false at the end of the stream. The buffer belongs to the feed. */
typedef struct bx_feed {
    const bx_access *next, *end;
    bool (*refill)(struct bx_feed *feed);
} bx_feed;

typedef struct bx_model_shape {
    uint32_t packages, cores, slices; /* cores and slices per package */
    uint64_t llc_bytes;               /* per package */
} bx_model_shape;

/* The last-level cache of a package. */
typedef struct bx_model_llc {
    uint64_t bytes;
    unsigned ways; /* 0: there is none */
} bx_model_llc;

typedef struct bx_model bx_model;

/* The boxes of the "client" model, as bx_selection.box: the order of the catalogue's `boxes`. */
enum bx_client_box {
    BX_CLIENT_PACKAGE, /* global control: nothing to count */
    BX_CLIENT_CBO,
    BX_CLIENT_ARB,
    BX_CLIENT_CLOCK,
    BX_CLIENT_IMC,
};

/* The same of the "ivbep" model. */
enum bx_ivbep_box {
    BX_IVBEP_UBO, /* global control: nothing to count */
    BX_IVBEP_CBO,
};

/* The same of the "nhmex" model. */
enum bx_nhmex_box {
    BX_NHMEX_U,
    BX_NHMEX_C,
    BX_NHMEX_B,
    BX_NHMEX_S,
    BX_NHMEX_R,
    BX_NHMEX_M,
    BX_NHMEX_W,
};

/* Agents: cores 0 … packages x cores - 1, package by package, then these two of package 0. */
enum bx_agent { BX_AGENT_GT = 64, BX_AGENT_IO = 65, BX_AGENTS = 66 };

/* name: the model the catalogue names for the CPU ("client"). NULL and *e on an impossible shape.
 */
bx_model *bx_model_new(const char *name, const bx_model_shape *shape, bx_error *e);
void bx_model_free(bx_model *m);

/* That of a machine of this model and shape, which can be made. */
bx_model_llc bx_model_llc_of(const char *name, const bx_model_shape *shape);
bx_signals *bx_model_signals(bx_model *m);

/* Sets the feed of an agent (NULL: none). It starts at the model's present time. */
void bx_model_feed(bx_model *m, unsigned agent, bx_feed *feed);

/* Runs until every feed is empty or the time `until` is reached: nothing happens at or after it,
 * but that a core may be ahead with accesses that no one else can see. Returns true when all feeds
 * have ended and all their accesses have completed; the time is then that of the last completion,
 * else `until`. */
bool bx_model_run(bx_model *m, uint64_t until);

/* `cycles` pass with nothing to do (in flight requests complete). Feeds are not touched. */
void bx_model_idle(bx_model *m, uint64_t cycles);

uint64_t bx_model_accesses(const bx_model *m); /* accesses executed since power-on */

/* Whether the model produces a signal; a selection's package and unit are not looked at. */
bool bx_model_produces(const bx_model *m, const bx_selection *sel);

#endif
