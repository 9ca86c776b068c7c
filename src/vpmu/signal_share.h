/* The signals of one machine model for several virtual PMUs: its register banks. Each of them has
 * signals of its own (seam/signal.h), so neither they nor the model know of the others. Watches of
 * all are numbered together; the alarm is the earliest of all. */
#ifndef BX_VPMU_SIGNAL_SHARE_H
#define BX_VPMU_SIGNAL_SHARE_H

#include "seam/signal.h"

typedef struct bx_signal_share bx_signal_share;

/* Becomes the model's watcher. To be freed before the model; NULL: out of memory. */
bx_signal_share *bx_signal_share_new(bx_signals *of);
void bx_signal_share_free(bx_signal_share *share); /* with all that it handed out; NULL is fine */

/* Signals for one more; NULL: out of memory. */
bx_signals *bx_signal_share_add(bx_signal_share *share);
void bx_signal_share_remove(bx_signal_share *share, bx_signals *signals); /* NULL is fine */

/* There was no memory for a watch: counts are wrong from there on. */
bool bx_signal_share_out_of_memory(const bx_signal_share *share);

#endif
