/* The signals that a test raises, for a reference that goes cycle by cycle. */
#ifndef BX_TESTS_VPMU_RAISED_H
#define BX_TESTS_VPMU_RAISED_H

#include "seam/signal.h"

enum { RAISED_SIGNALS = 16 };

struct raised {
    struct {
        bx_selection what;
        uint32_t level;
        uint64_t end;
    } signal[RAISED_SIGNALS];
    unsigned signals;
};

/* Whether the counter of a reference selects what is raised. */
typedef bool raised_seen(const void *counter, const bx_selection *what);

/* From `now` until before `end`. What has ended before `now` is forgotten. */
void raised_add(struct raised *r, const bx_selection *what, uint32_t level, uint64_t now,
                uint64_t end);

/* The sum of the levels that a counter sees in a cycle. */
uint32_t raised_level(const struct raised *r, uint64_t now, raised_seen *seen, const void *counter);

/* Something that the counter sees ends just now. */
bool raised_ends(const struct raised *r, uint64_t now, raised_seen *seen, const void *counter);

#endif
