/* libpfm4's PMU `perf` without a libpfm4: the kernel's generic events. */
#ifndef BX_PFM_GENERIC_H
#define BX_PFM_GENERIC_H

#include "pfm/installed.h"

/* It answers for this PMU only, with the functions of an installed libpfm4. */
extern const bx_pfmlib_installed bx_pfmlib_generic;

#endif
