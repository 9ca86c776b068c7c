/* Whether the values of a saved run fit each other. */
#ifndef BX_COMPARE_CONSISTENCY_H
#define BX_COMPARE_CONSISTENCY_H

#include "compare/members.h"
#include "compare/saved.h"

/* BX_BAD_INPUT if an event has two units, or a count a deviation that its runs cannot have. */
int bx_saved_check(const bx_saved *s, const bx_members *m);

#endif
