/* Looking at the machine that we run on. */
#ifndef BX_ACCESS_HOST_H
#define BX_ACCESS_HOST_H

#include "catalog/catalog.h"

/* Says why the PMUs of this machine cannot be counted: its CPU is not in the catalogue, or its
 * registers cannot be reached. Always BX_NO_ACCESS: no access path to real registers exists yet. */
int bx_host_look(const struct bx_catalog *c, bx_error *e);

#endif
