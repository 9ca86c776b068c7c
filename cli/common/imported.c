/* Catalogues that the user imported. They are never unmapped: texts of them may be in the output.
 */
#include "cli/common/imported.h"

#include "base/error.h"
#include "host/discover/probe.h"
#include "host/imported/store.h"

#include <string.h>

int bx_cli_use_imported(const bx_catalog **c, const char *cpu, bx_error *e)
{
    bx_imported found;
    int code = bx_imported_open(bx_catalog_builtin(), bx_str_of(cpu), &found, e);
    if (code == BX_OK)
        *c = found.catalog;
    return code == BX_NOT_FOUND ? BX_OK : code;
}

int bx_cli_use_imported_of(const bx_catalog **c, const char *root, bx_arena *arena, int *cpu,
                           bx_error *e)
{
    bx_imported found;
    bx_probe p;
    *cpu = -1;
    if (!bx_probe_read(root, arena, &p))
        return bx_out_of_memory(e);
    if (!p.cpu_known || strcmp(p.vendor, "GenuineIntel") != 0)
        return BX_OK;
    int code = bx_imported_find(bx_catalog_builtin(), p.family, p.model, p.stepping, &found, e);
    if (code && code != BX_NOT_FOUND)
        return code;
    if (code == BX_OK)
        *c = found.catalog;
    uint16_t known = bx_cat_find_cpu_by_id(*c, p.family, p.model);
    *cpu = known == BX_NONE ? -1 : known;
    return BX_OK;
}

int bx_cli_use_imported_host(const bx_catalog **c, const char *machine,
                             const bx_machine_options *host, bx_arena *arena, bx_error *e)
{
    int cpu;
    if ((machine && !bx_str_eq_fold(bx_str_of(machine), BX_STR("host"))) || host->replay)
        return BX_OK;
    return bx_cli_use_imported_of(c, host->root ? host->root : "", arena, &cpu, e);
}

bool bx_cli_same_cpu(const char *a, const char *b)
{
    char first[24], second[24];
    bx_imported_name(bx_str_of(a), first);
    bx_imported_name(bx_str_of(b), second);
    return *first && strcmp(first, second) == 0;
}
