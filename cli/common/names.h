/* Text for names and numbers of the catalogue, shared by several commands. */
#ifndef BX_CLI_COMMON_NAMES_H
#define BX_CLI_COMMON_NAMES_H

#include "base/buf.h"
#include "catalog/catalog.h"

/* A short text as a value; a longer text is cut. */
typedef struct bx_word {
    char text[256];
} bx_word;

/* A selection's canonical string. */
bx_word bx_event_word(const bx_catalog *c, const bx_evsel *event);

/* An event's name with its PMU's, and with one of its unit masks:
 * "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP", "skl_unc_cbo::UNC_CBO_CACHE_LOOKUP:ANY_I". */
bx_word bx_event_name_word(const bx_catalog *c, unsigned event);
bx_word bx_umask_name_word(const bx_catalog *c, unsigned umask);

/* A pattern of the catalogue with `{unit}` and `{n}` replaced. */
bx_word bx_pattern_word(const bx_catalog *c, bx_cat_text pattern, unsigned unit, unsigned n);

/* Name and address of a unit's register. An address is "0x700", "00:00.0+0x48", "BAR+0x5050". */
bx_word bx_register_word(const bx_catalog *c, uint16_t reg, unsigned unit);
bx_word bx_address_word(const bx_catalog *c, unsigned package, uint16_t reg, unsigned unit);

/* Bits of a field: "15:8", or "22" for a single bit. */
bx_word bx_bits_word(const bx_cat_field *field);

/* Counters that can count an event: "0,1", "fixed" or "free-running". */
bx_word bx_counters_word(const bx_catalog *c, const bx_cat_event *event);

/* A name with its ASCII letters in lower case, in any locale. */
bx_word bx_lower_word(const char *name);

/* Pages of the manual: "boxscore-skl", "boxscore-skl-metrics", "boxscore-skl-cbo". */
bx_word bx_cpu_page_word(const bx_catalog *c, unsigned cpu);
bx_word bx_metrics_page_word(const bx_catalog *c, unsigned cpu);
bx_word bx_pmu_page_word(const bx_catalog *c, unsigned pmu);

/* Whether a machine model imitates the CPU. */
bool bx_cpu_is_modelled(const bx_catalog *c, unsigned cpu);

const char *bx_confidence_name(unsigned level); /* "sure", "likely", "weak" */

/* Adds at least two blanks, up to a column of the line that starts at `line`. */
void bx_add_column(bx_buf *to, size_t line, size_t column);

#endif
