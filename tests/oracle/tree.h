/* "Tree-PLRU": a bit for each node of a binary tree over the ways of a set. If it is set, the upper
 * half is replaced next. The children of node n are 2n + 1 and 2n + 2. For all oracles. */
#ifndef BX_TESTS_ORACLE_TREE_H
#define BX_TESTS_ORACLE_TREE_H

#include <stdbool.h>

/* Every node above the way points to its other half. */
static inline void tree_touch(bool *upper_next, unsigned ways, unsigned way)
{
    unsigned node = 0;

    for (unsigned half = ways / 2; half > 0; half /= 2) {
        bool upper = way >= half;
        upper_next[node] = !upper;
        node = upper ? 2 * node + 2 : 2 * node + 1;
        if (upper)
            way -= half;
    }
}

/* The way that the nodes point to. */
static inline unsigned tree_victim(const bool *upper_next, unsigned ways)
{
    unsigned node = 0, way = 0;

    for (unsigned half = ways / 2; half > 0; half /= 2) {
        bool upper = upper_next[node];
        node = upper ? 2 * node + 2 : 2 * node + 1;
        if (upper)
            way += half;
    }
    return way;
}

#endif
