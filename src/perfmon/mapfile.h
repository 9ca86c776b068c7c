/* perfmon's mapfile.csv: which folder has the files of which processor. */
#ifndef BX_PERFMON_MAPFILE_H
#define BX_PERFMON_MAPFILE_H

#include "base/error.h"
#include "catalog/catalog.h"

/* One line: "GenuineIntel-6-55-[01234],V1.37,/SKX/events/skylakex_core.json,core,,,". */
typedef struct bx_perfmon_line {
    bx_cat_id id;
    uint16_t steppings; /* mask of 0 to 15 */
    bx_str folder;      /* "SKX" */
    bx_str path;        /* below the folder of the mapfile, without '/' in front */
    bx_str role;        /* of the cores of a hybrid CPU; empty */
} bx_perfmon_line;

/* Reads the next line of *rest; false: there is none. Lines that say nothing of a processor are
 * skipped. */
bool bx_perfmon_line_next(bx_str *rest, bx_perfmon_line *to);

#endif
