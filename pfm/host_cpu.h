/* The CPU model of this host. */
#ifndef BX_PFM_HOST_CPU_H
#define BX_PFM_HOST_CPU_H

#include "catalog/catalog.h"

/* Its index in the catalogue; -1: it is not there. */
int bx_pfmlib_host_cpu(const struct bx_catalog *c);

#endif
