/* The catalogue of an imported CPU, made of texts as perfmon's files have them. */
#ifndef BX_TESTS_PERFMON_IMPORT_FILES_H
#define BX_TESTS_PERFMON_IMPORT_FILES_H

#include "perfmon/perfmon.h"

/* Of Sapphire Rapids, 6-8FH. Fails the test if a file is refused; *refusals gets a line for each
 * event or metric that is. Both are to be freed. */
struct bx_catalog *import_files(const bx_perfmon_file *files, size_t n, bx_perfmon_counts *counts,
                                bx_buf *refusals);

#endif
