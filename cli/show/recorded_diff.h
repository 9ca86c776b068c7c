/* Two recordings, opened to be compared. */
#ifndef BX_CLI_SHOW_RECORDED_DIFF_H
#define BX_CLI_SHOW_RECORDED_DIFF_H

#include "cli/common/cli.h"
#include "compare/condition.h"
#include "compare/recordings/causes.h"

typedef struct bx_recorded_diff {
    bx_recording_reader *from[2];
    bx_profile profile[2];
    bx_profile_metrics metrics[2];
    bx_causes causes;
} bx_recorded_diff;

/* Whether the file begins as databases of SQLite do. */
bool bx_is_database(const char *path);

/* Opens both and fills in saved[2]. sort: as in bx_causes_read(). Close *to in any case. */
int bx_recorded_diff_open(bx_cli *cli, char *const path[2], const char *sort, bx_saved *saved,
                          bx_recorded_diff *to, bx_error *e);
void bx_recorded_diff_close(bx_recorded_diff *d);

/* Says in each condition that fails which lines did it, and sorts the rows by the first of these
 * conditions unless `sorted`. */
int bx_recorded_diff_blame(bx_cli *cli, bx_recorded_diff *d, bool sorted, bx_verdict *verdicts,
                           size_t n, bx_error *e);

#endif
