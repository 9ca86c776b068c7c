/* A machine model: cores, caches, and what is around them. It executes streams of memory accesses
 * and raises signals through seam/signal.h; it knows no register and no event name. Which models
 * there are and their exact rules: docs/model.md. */
#ifndef BX_MODEL_MODEL_H
#define BX_MODEL_MODEL_H

#include "model/engine/access.h"
#include "model/engine/shape.h"
#include "seam/signal.h"

#include <boxscore/boxscore.h>

typedef struct bx_model bx_model;

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
