/* The causes of a core's cycles as events, which only virtual machines have. The codes are those of
 * catalog/NAME/stalls.pmu. */
#include "model/core/core_events.h"
#include "model/engine/core_signal.h"
#include "model/engine/cycle_stack.h"
#include "model/engine/signal_words.h"

static const char *const cause_names[BX_CAUSES] = {
    [BX_ISSUE] = "cycles in which instructions issue or compute",
    [BX_WAIT_L2] = "cycles of waiting for a private level behind L1",
    [BX_WAIT_FLIGHT] = "cycles of waiting for a line that is on its way",
    [BX_WAIT_LLC] = "cycles of waiting for the LLC",
    [BX_WAIT_CORE] = "cycles of waiting for a line of another core",
    [BX_WAIT_PACKAGE] = "cycles of waiting for a line of another package's caches",
    [BX_WAIT_TURN] = "cycles of waiting until another core is done with a line",
    [BX_WAIT_MEMORY] = "cycles of waiting for memory",
    [BX_WAIT_REMOTE_MEMORY] = "cycles of waiting for remote memory",
    [BX_WAIT_TLB] = "cycles of waiting for a translation",
    [BX_WAIT_BUFFER] = "cycles of waiting for a fill buffer",
    [BX_WAIT_STORES] = "cycles of waiting for the store buffer",
    [BX_WAIT_LOCK] = "cycles in which a locked operation waits for what was before it",
    [BX_WAIT_KERNEL] = "cycles of waiting for accesses of a kernel",
    [BX_WAIT_BRANCH] = "cycles of waiting after a mispredicted branch",
    [BX_WAIT_END] = "cycles of waiting at the end of work",
    [BX_WAIT_FETCH] = "cycles of waiting for a fetch",
    [BX_WAIT_DATA] = "cycles of waiting for data",
};

static const struct bx_tallies causes = {
    .reader = &bx_read_core_stack,
    .axis = {{cause_names, BX_CAUSES, 0}},
    .no_levels = UINT64_MAX,
};

static const struct bx_row rows[] = {
    {0x00, ANY, &causes}, /* all */
    {0x01, ANY, &causes, SET(BX_ISSUE)},
    {0x02, ANY, &causes, SET(BX_WAIT_L2)},
    {0x03, ANY, &causes, SET(BX_WAIT_FLIGHT)},
    {0x04, ANY, &causes, SET(BX_WAIT_LLC)},
    {0x05, ANY, &causes, SET(BX_WAIT_CORE), .needs = BX_CORE_HAS_CORES},
    {0x06, ANY, &causes, SET(BX_WAIT_PACKAGE), .needs = BX_CORE_HAS_PACKAGES},
    {0x07, ANY, &causes, SET(BX_WAIT_TURN), .needs = BX_CORE_HAS_TURNS},
    {0x08, ANY, &causes, SET(BX_WAIT_MEMORY)},
    {0x09, ANY, &causes, SET(BX_WAIT_REMOTE_MEMORY), .needs = BX_CORE_HAS_PACKAGES},
    {0x0a, ANY, &causes, SET(BX_WAIT_TLB), .needs = BX_CORE_HAS_TLB},
    {0x0b, ANY, &causes, SET(BX_WAIT_BUFFER)},
    {0x0c, ANY, &causes, SET(BX_WAIT_STORES), .needs = BX_CORE_HAS_STORES},
    {0x0d, ANY, &causes, SET(BX_WAIT_LOCK), .needs = BX_CORE_HAS_LOCKS},
    {0x0e, ANY, &causes, SET(BX_WAIT_KERNEL)},
    {0x0f, ANY, &causes, SET(BX_WAIT_BRANCH), .needs = BX_CORE_HAS_BRANCHES},
    {0x10, ANY, &causes, SET(BX_WAIT_END)},
};

const struct bx_box_signals bx_core_stalls = {{BX_ROWS(rows)}};
