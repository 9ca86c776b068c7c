/* Shared by the tests of events: the built-in catalogue, its Skylake model, and parsing that must
 * succeed. */
#ifndef BX_TESTS_EVENT_EVENT_CASE_H
#define BX_TESTS_EVENT_EVENT_CASE_H

#include "../cmocked.h"

#include "event/event.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 512 }; /* room for any event string */

static inline const bx_catalog *built_in(void)
{
    return bx_catalog_builtin();
}

static inline int skl(void)
{
    return bx_cat_find_cpu(built_in(), BX_STR("skl"));
}

static inline bx_evsel parsed(const char *text)
{
    bx_evsel event;
    bx_error e = {0};
    if (bx_event_parse(built_in(), skl(), text, strlen(text), &event, &e))
        fail_msg("'%s': %s (%s)", text, e.message, e.hint);
    return event;
}

static inline const char *canonical(const bx_evsel *event, char *to)
{
    assert_true(bx_event_format(built_in(), event, to, TEXT) < TEXT);
    return to;
}

static inline void assert_canonical(const char *text, const char *expected)
{
    char is[TEXT];
    bx_evsel event = parsed(text);
    assert_string_equal(canonical(&event, is), expected);
}

static inline uint32_t address(uint16_t reg, unsigned unit)
{
    return bx_cat_addrs(built_in())[bx_cat_regs(built_in())[reg].first_addr + unit];
}

/* The event's control register on a counter. */
static inline bx_regvalue control(const bx_evsel *event, unsigned counter)
{
    bx_regvalue to[1 + BX_EXTRAS];
    assert_int_equal(bx_event_registers(built_in(), event, counter, to), 1);
    return to[0];
}

static inline void assert_control(const char *text, uint64_t value)
{
    bx_evsel event = parsed(text);
    int counter = bx_event_lowest_counter(built_in(), &event);
    uint64_t is = control(&event, counter < 0 ? 0 : (unsigned)counter).value;
    if (is != value)
        fail_msg("'%s': 0x%llx instead of 0x%llx", text, (unsigned long long)is,
                 (unsigned long long)value);
    assert_int_equal(event.control, value);
}

#endif
