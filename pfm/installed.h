/* An installed libpfm4, which answers for the PMUs that this library does not have: nothing is lost
 * for a program that uses this library in its place. */
#ifndef BX_PFM_INSTALLED_H
#define BX_PFM_INSTALLED_H

#include "pfm/abi.h"

#include <stdio.h>

/* The functions of an installed libpfm4, with their usual meanings. */
typedef struct bx_pfmlib_installed {
    int (*initialize)(void);
    void (*terminate)(void);
    int (*get_pmu_info)(int pmu, bx_pfmlib_pmu_info *info);
    int (*pmu_validate)(int pmu, FILE *to);
    int (*get_event_next)(int idx);
    int (*get_event_info)(int idx, int os, bx_pfmlib_event_info *info);
    int (*get_event_attr_info)(int idx, int attr, int os, bx_pfmlib_attr_info *info);
    int (*find_event)(const char *text);
    int (*get_os_event_encoding)(const char *text, int plm, int os, void *arg);
} bx_pfmlib_installed;

/* Answers where none is installed: tabled.h. */
extern const bx_pfmlib_installed bx_pfmlib_tabled;

/* Loads it and calls its pfm_initialize(), at the first call after bx_pfmlib_installed_end(). If
 * there is none, or it does not start: bx_pfmlib_tabled. BOXSCORE_LIBPFM names its file; empty:
 * none is used. */
const bx_pfmlib_installed *bx_pfmlib_installed_get(void);

/* Calls its pfm_terminate(), if it was started. It stays loaded. */
void bx_pfmlib_installed_end(void);

#endif
