/* Inserts the names of all CPUs into expected messages, so that tests need no change for a new
 * CPU. */
#ifndef BX_TESTS_CPU_NAMES_H
#define BX_TESTS_CPU_NAMES_H

#include "catalog/catalog.h"

#include <stdio.h>
#include <string.h>

enum { CPU_NAMES_ROOM = 1024 };

/* The text with the names of all CPUs in place of its "{cpus}". */
static inline const char *with_cpu_names(char to[CPU_NAMES_ROOM], const char *text,
                                         const char *between)
{
    const bx_catalog *c = bx_catalog_builtin();
    const char *at = strstr(text, "{cpus}"), *rest = at ? at + strlen("{cpus}") : "";
    size_t n = at ? (size_t)(at - text) : strlen(text);
    snprintf(to, CPU_NAMES_ROOM, "%.*s", (int)n, text);
    for (uint16_t i = 0; at && i < c->cpus.n && n < CPU_NAMES_ROOM; i++)
        n += (size_t)snprintf(to + n, CPU_NAMES_ROOM - n, "%s%s", i ? between : "",
                              bx_cat_z(c, bx_cat_cpus(c)[i].name));
    if (n < CPU_NAMES_ROOM)
        snprintf(to + n, CPU_NAMES_ROOM - n, "%s", rest);
    return to;
}

#endif
