/* What the tests share that go through the whole space of a PMU's selections. */
#ifndef BX_TESTS_EVENT_SPACE_H
#define BX_TESTS_EVENT_SPACE_H

#include "event_case.h"

const char *space_name(bx_cat_text t);
const bx_cat_pmu *space_pmu(const char *name); /* it must be there */

/* Parses what a text gave; it must be accepted. */
bx_evsel space_read_back(const bx_cat_pmu *pmu, const char *text, const char *from);

/* The same registers with the same values, or the test fails and shows both. */
bool space_same(const bx_regvalue *a, size_t na, const bx_regvalue *b, size_t nb);
void space_differ(const char *text, const char *of, const bx_regvalue *a, size_t na,
                  const bx_regvalue *b, size_t nb);
/* So on each counter that can count the event, and these are the same. */
void space_same_registers(const char *text, const char *of, const bx_evsel *a, const bx_evsel *b);

/* Its canonical string, which is a fixed point and means the same registers. */
bx_evsel space_canonical(const bx_cat_pmu *pmu, const char *text, const bx_evsel *event,
                         char string[TEXT]);

/* ":name=value" of all modifiers, hidden ones included, at the bounds of their ranges, and with a
 * value's name. */
enum { SETTINGS = 192, SETTING = 48 };
unsigned space_settings(const bx_cat_pmu *pmu, char settings[SETTINGS][SETTING]);

#endif
