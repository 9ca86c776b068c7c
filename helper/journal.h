/* The helper's journal: everything that clients have changed, for `boxscore restore` if both of its
 * processes are killed. */
#ifndef BX_HELPER_JOURNAL_H
#define BX_HELPER_JOURNAL_H

#include "guard/journal.h"

#include <limits.h>

typedef struct bx_helper_journal {
    bx_journal_file file;
    const char *path;
    char whole[PATH_MAX]; /* its absolute path, for the files of locks */
    char machine[BX_MACHINE_PATH], boot[BX_BOOT_ID];
    const char *cpu; /* its name in the catalogue */
    bx_owner owner;  /* the helper */
} bx_helper_journal;

/* Opens the journal of the machine under `root`. An error if an earlier helper left changes there
 * that are not restored; the hint of *e is the command to restore them. */
int bx_helper_journal_open(bx_helper_journal *h, const char *path, const char *root,
                           const char *cpu, bx_error *e);

/* Sets the hint of *e to the command that restores the journal. */
void bx_helper_journal_hint(const bx_helper_journal *h, const char *machine, bx_error *e);

#endif
