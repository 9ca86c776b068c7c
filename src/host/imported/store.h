/* Catalogues that users imported: one file per CPU, below the user's data folder
 * ($XDG_DATA_HOME/boxscore/perfmon, or ~/.local/share/boxscore/perfmon) or, for all users, below
 * /var/lib/boxscore/perfmon. Nothing here adds to the registers that boxscore may write. */
#ifndef BX_HOST_IMPORTED_STORE_H
#define BX_HOST_IMPORTED_STORE_H

#include "base/error.h"
#include "catalog/catalog.h"

enum { BX_STORED_IDS = 16 };

/* The head of a file; the catalogue follows. */
typedef struct bx_stored {
    char magic[8];
    char boxscore[16]; /* the version of boxscore that wrote it */
    char name[24];     /* the CPU: "spr", "ivt" */
    char version[16], date[16];
    char source[400]; /* the folder that was imported */
    uint64_t size;    /* of the catalogue */
    uint32_t events, metrics;
    uint32_t ids_n;
    uint16_t steppings; /* mask, of the last id: two CPUs may share family and model */
    uint16_t pad;
    bx_cat_id ids[BX_STORED_IDS];
} bx_stored;

typedef struct bx_imported {
    const struct bx_catalog *catalog;
    const bx_stored *head;
    size_t mapped;
} bx_imported;

/* The stored name of a CPU: "ivbep" is kept as "ivt". Writes the name in lower case. */
void bx_imported_name(bx_str cpu, char to[24]);

/* Opens the catalogue of a CPU by any of its names. BX_NOT_FOUND: it was not imported. Files of
 * other users, links, and files that fail the checks are refused. The user's own come first. */
int bx_imported_open(const struct bx_catalog *builtin, bx_str cpu, bx_imported *to, bx_error *e);

/* The same for a processor. stepping: 0 to 15. */
int bx_imported_find(const struct bx_catalog *builtin, unsigned family, unsigned model,
                     unsigned stepping, bx_imported *to, bx_error *e);

void bx_imported_close(bx_imported *i);

/* Writes a catalogue in place of an earlier one, and checks it. head: all but magic, boxscore and
 * size. */
int bx_imported_write(const bx_stored *head, const struct bx_catalog *c,
                      const struct bx_catalog *builtin, bool system, bx_error *e);

/* Calls take() for each file, by name. A file that cannot be used is given with its error. */
typedef void bx_imported_take(void *context, const bx_imported *i, const char *file,
                              const bx_error *e);
int bx_imported_each(const struct bx_catalog *builtin, bx_imported_take *take, void *context,
                     bx_error *e);

/* Removes the file of a CPU. BX_NOT_FOUND: there is none. */
int bx_imported_remove(bx_str cpu, bool system, bx_error *e);

#endif
