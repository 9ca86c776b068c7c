/* Shares the signals of one machine model among several virtual PMUs: its register banks. Each bank
 * has its own bx_signals (seam/signal.h), so neither the banks nor the model know of the sharing.
 * Watches of all banks are numbered together. The model's alarm is the earliest alarm of all banks.
 */
#ifndef BX_VPMU_SIGNAL_SHARE_H
#define BX_VPMU_SIGNAL_SHARE_H

#include "seam/signal.h"

typedef struct bx_signal_share bx_signal_share;

/* Makes a share, which becomes the model's watcher. Free it before the model. NULL: out of memory.
 */
bx_signal_share *bx_signal_share_new(bx_signals *of);
void bx_signal_share_free(
    bx_signal_share *share); /* also frees all signals that it returned; NULL is fine */

/* Signals for one more bank; NULL: out of memory. */
bx_signals *bx_signal_share_add(bx_signal_share *share);
void bx_signal_share_remove(bx_signal_share *share, bx_signals *signals); /* NULL is fine */

/* Whether memory ran out for a watch: counts are wrong from then on. */
bool bx_signal_share_out_of_memory(const bx_signal_share *share);

#endif
