/* Rows with what they have called. */
#ifndef BX_PROFILE_CHILDREN_H
#define BX_PROFILE_CHILDREN_H

#include "profile/table.h"

/* Sets the children of each row of a table by function or by line, and ranks rows by them. Code
 * that has only called others gets a row. */
int bx_profile_add_children(bx_profile *p, bx_profile_table *t, bx_error *e);

#endif
