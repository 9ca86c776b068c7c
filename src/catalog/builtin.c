/* The catalogue that is compiled in: catalog/ as it was when the library was built. */
#include "catalog/builtin.h"
#include "catalog/catalog.h"

const bx_catalog *bx_catalog_builtin(void)
{
    return (const bx_catalog *)(const void *)bx_builtin_words;
}

size_t bx_catalog_cpus(const bx_catalog *c)
{
    if (!c)
        return 0;
    return c->cpus.n;
}

const char *bx_catalog_cpu_name(const bx_catalog *c, size_t cpu)
{
    if (!c)
        return NULL;
    return cpu < c->cpus.n ? bx_cat_z(c, bx_cat_cpus(c)[cpu].name) : NULL;
}
