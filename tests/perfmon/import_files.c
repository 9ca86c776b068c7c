#include "perfmon/import_files.h"

#include "../cmocked.h"

struct bx_catalog *import_files(const bx_perfmon_file *files, size_t n, bx_perfmon_counts *counts,
                                bx_buf *refusals)
{
    static const bx_cat_id id = {6, 0x8f};
    const bx_perfmon_cpu cpu = {.folder = {"spr", 3},
                                .ids = &id,
                                .ids_n = 1,
                                .files = files,
                                .files_n = n,
                                .builtin = bx_catalog_builtin(),
                                .builtin_cpu = -1};
    const bx_perfmon_file *at_fault;
    bx_error e = {0};
    struct bx_catalog *c = bx_perfmon_compile(&cpu, counts, refusals, &at_fault, &e);
    if (!c)
        fail_msg("%s", e.message);
    return c;
}
