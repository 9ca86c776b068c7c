/* Checks of single event strings, shared by the tests that try all selections of a PMU. */
#ifndef BX_TESTS_EVENT_SPACE_H
#define BX_TESTS_EVENT_SPACE_H

#include "event_case.h"

const char *space_name(bx_cat_text t);
const bx_cat_pmu *space_pmu(const char *name); /* fails if there is none */

/* Parses the text that `from` was formatted to; fails if it is not accepted. */
bx_evsel space_read_back(const bx_cat_pmu *pmu, const char *text, const char *from);

/* space_same() compares registers and values; space_differ() fails the test and shows both. */
bool space_same(const bx_regvalue *a, size_t na, const bx_regvalue *b, size_t nb);
void space_differ(const char *text, const char *of, const bx_regvalue *a, size_t na,
                  const bx_regvalue *b, size_t nb);
/* Fails unless both events have the same counters, and the same registers on each of them. */
void space_same_registers(const char *text, const char *of, const bx_evsel *a, const bx_evsel *b);

/* Formats the event's canonical string, and checks that it is a fixed point and means the same
 * registers. */
bx_evsel space_canonical(const bx_cat_pmu *pmu, const char *text, const bx_evsel *event,
                         char string[TEXT]);

/* Lists ":name=value" for all modifiers, hidden ones included, at the bounds of their ranges and
 * with the names of values. */
enum { SETTINGS = 192, SETTING = 48 };
unsigned space_settings(const bx_cat_pmu *pmu, char settings[SETTINGS][SETTING]);

#endif
