/* What the tests of catalog/nhmex against the facts have in common. */
#ifndef NHMEX_FACTS_H
#define NHMEX_FACTS_H

#include "facts.h"

/* How sure a row is: in the guide itself or given alike by two implementations; by one
 * implementation, or with an open question; inferred. */
enum { SURE = BX_SURE, LIKELY = BX_LIKELY, WEAK = BX_WEAK };

/* A register and what it is to hold. */
struct msr {
    uint32_t address;
    uint64_t value;
};

enum { MOST_MSRS = BX_EXTRAS + 1 };

/* A row of an event list: event, unit mask ("" for none), its code, the unit mask's value and the
 * most that one cycle adds (0: unknown). */
struct event_row {
    const char *event, *umask;
    uint16_t code, value, max;
    unsigned sure;
};

/* The row's code, unit mask, increment and confidence, as the catalogue has them. */
void facts_check_row(const struct bx_catalog *c, uint16_t pmu, const struct event_row *row);

/* Every event and unit mask of the PMU is in one of the rows. */
void facts_check_all_named(const struct bx_catalog *c, uint16_t pmu, const struct event_row *rows,
                           size_t n);

/* "PMU UNIT::EVENT:UMASK" gives exactly these registers, the counter's control being the first. */
void facts_check_registers(const struct bx_catalog *c, const char *pmu, unsigned unit,
                           const char *event, const char *umask, const struct msr *expected,
                           size_t n);

#endif
