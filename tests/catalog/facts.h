/* What a catalogue has under a name; the test fails if it has nothing. */
#ifndef BX_TESTS_CATALOG_FACTS_H
#define BX_TESTS_CATALOG_FACTS_H

#include "catalog/catalog.h"

uint16_t facts_pmu(const struct bx_catalog *c, const char *name);
const bx_cat_event *facts_event(const struct bx_catalog *c, uint16_t pmu, const char *name);
const bx_cat_umask *facts_umask(const struct bx_catalog *c, const bx_cat_event *event,
                                const char *name); /* NULL for "" */

#endif
