/* Catalogues that the user imported, in place of the built-in one. */
#ifndef BX_CLI_COMMON_IMPORTED_H
#define BX_CLI_COMMON_IMPORTED_H

#include "base/arena.h"
#include "catalog/catalog.h"

/* Makes the imported catalogue of a CPU the command's. Without one *c stays. */
int bx_cli_use_imported(const bx_catalog **c, const char *cpu, bx_error *e);

/* The same for the CPU of the machine under a folder; "" is this machine. *cpu: the catalogue's CPU
 * then; -1: it has none. */
int bx_cli_use_imported_of(const bx_catalog **c, const char *root, bx_arena *arena, int *cpu,
                           bx_error *e);

/* The same for the machine that a measurement opens: the host, by name or without one. */
int bx_cli_use_imported_host(const bx_catalog **c, const char *machine,
                             const bx_machine_options *host, bx_arena *arena, bx_error *e);

/* Whether both are names of one CPU: "ivt" and "ivbep". */
bool bx_cli_same_cpu(const char *a, const char *b);

#endif
