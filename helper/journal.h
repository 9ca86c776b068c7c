/* What the helper leaves behind if both its processes are killed: a journal of everything that
 * clients have changed, for `boxscore restore`. */
#ifndef BX_HELPER_JOURNAL_H
#define BX_HELPER_JOURNAL_H

#include "host/safety/journal.h"

typedef struct bx_helper_journal {
    bx_journal_file file;
    const char *path;
    char machine[BX_MACHINE_PATH], boot[BX_BOOT_ID];
    const char *cpu; /* in the catalogue */
    bx_owner owner;  /* the helper */
} bx_helper_journal;

/* Opens the journal of the machine under `root`. What an earlier helper left there is not put back
 * yet: *e tells how that is done. */
int bx_helper_journal_open(bx_helper_journal *n, const char *path, const char *root,
                           const char *cpu, bx_error *e);

/* The command that puts back what is in it. */
void bx_helper_journal_hint(const bx_helper_journal *n, const char *machine, bx_error *e);

#endif
