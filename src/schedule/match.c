/* Matches members to counters by augmenting paths. */
#include "schedule/match.h"

#include <stdbool.h>

/* With k passes, a counter takes k members, in any order. So the problem is bipartite matching of
 * members to counters with a capacity of k each, by augmenting paths. If there is no path, some
 * members need more counters than exist, and k must grow. */

enum { UNMATCHED = UINT8_MAX };

struct matching {
    const uint32_t *can;
    uint8_t *counter; /* by member, or UNMATCHED */
    size_t n;
    unsigned capacity; /* capacity of each counter: the number of passes */
    unsigned used[BX_MATCH_COUNTERS];
    uint32_t others[BX_MATCH_COUNTERS]; /* by counter: all that its members could have */
};

static void take_counter(struct matching *s, size_t member, unsigned counter)
{
    s->counter[member] = (uint8_t)counter;
    s->others[counter] |= s->can[member];
}

static bool match_one(struct matching *s, size_t member, uint32_t *tried)
{
    uint32_t open = s->can[member] & ~*tried;
    unsigned best = UNMATCHED;
    for (unsigned c = 0; c < BX_MATCH_COUNTERS; c++)
        if (open >> c & 1 && s->used[c] < s->capacity &&
            (best == UNMATCHED || s->used[c] < s->used[best]))
            best = c;
    if (best != UNMATCHED) {
        take_counter(s, member, best);
        s->used[best]++;
        return true;
    }
    for (unsigned c = 0; c < BX_MATCH_COUNTERS; c++) {
        if (!(open >> c & 1) || *tried >> c & 1)
            continue;
        *tried |= UINT32_C(1) << c;
        for (size_t other = 0; other < s->n && s->others[c] & ~*tried; other++) {
            if (s->counter[other] == c && match_one(s, other, tried)) {
                take_counter(s, member, c);
                return true;
            }
        }
    }
    return false;
}

unsigned bx_match(const uint32_t *can, size_t n, uint8_t *counter, uint16_t *pass)
{
    struct matching s = {.can = can, .counter = counter, .n = n, .capacity = n ? 1 : 0};
    for (size_t i = 0; i < n; i++)
        counter[i] = UNMATCHED;
    for (size_t i = 0; i < n; i++) {
        for (uint32_t tried = 0; !match_one(&s, i, &tried); tried = 0)
            s.capacity++;
    }
    uint16_t next[BX_MATCH_COUNTERS] = {0};
    for (size_t i = 0; i < n; i++)
        pass[i] = next[counter[i]]++;
    return s.capacity;
}
