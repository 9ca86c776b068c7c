/* Parts of error messages: quoted input, the nearest name, a short list of valid names. */
#ifndef BX_EVENT_HINT_H
#define BX_EVENT_HINT_H

#include "base/nearest.h"
#include "catalog/catalog.h"

/* Input that is safe in a message: clipped, without control characters. */
typedef struct bx_quoted {
    char text[56];
} bx_quoted;
bx_quoted bx_quote(bx_str s);

/* The CPU model with that name. BX_NONE: there is none; *e has the message. */
uint16_t bx_cpu_named(const struct bx_catalog *c, const char *name, bx_error *e);

/* These offer all names of a kind as candidates for the nearest name. */
void bx_nearest_offer_umasks(bx_nearest *n, const struct bx_catalog *c, const bx_cat_event *event);
void bx_nearest_offer_modifiers(bx_nearest *n, const struct bx_catalog *c, const bx_cat_pmu *pmu,
                                uint32_t mask);
void bx_nearest_offer_events(bx_nearest *n, const struct bx_catalog *c, const bx_cat_pmu *pmu);
void bx_nearest_offer_pmus(bx_nearest *n, const struct bx_catalog *c, bx_span pmus);

/* A list for a hint: "ANY_M, ANY_I, …". */
typedef struct bx_names {
    char text[160];
    size_t n;
    bool cut;
} bx_names;
void bx_names_add(bx_names *names, const char *name); /* unless it is empty or in the list */

bx_names bx_names_of_umasks(const struct bx_catalog *c, const bx_cat_event *event); /* no aliases */
bx_names bx_names_of_group(const struct bx_catalog *c, const bx_cat_group *group);  /* no aliases */
/* The unit masks whose names set the modifier (catalogue index). */
bx_names bx_names_of_setters(const struct bx_catalog *c, const bx_cat_event *event,
                             uint16_t modifier);
bx_names bx_names_of_events(const struct bx_catalog *c, const bx_cat_pmu *pmu);
bx_names bx_names_of_pmus(const struct bx_catalog *c, bx_span pmus); /* PMUs with events */
bx_names bx_names_of_cpus(const struct bx_catalog *c);

/* The counters that can count an event of the selection's code, "0, 1", if its own counter cannot;
 * else empty. */
bx_names bx_names_of_other_counters(const struct bx_catalog *c, const bx_evsel *event);

/* How a name is refused that no model has. */
#define BX_UNKNOWN_EVENT(name) "unknown event '" name "'"

/* "did you mean 'X'?", or else the given list after its heading. */
void bx_hint_nearest(bx_error *e, const bx_nearest *n, const char *heading, const bx_names *names);

/* Whether the hint is "did you mean". */
bool bx_hint_is_likeness(const bx_error *e);

#endif
