/* The write filter in front of a host's registers: it allows only monitoring registers, and only
 * their writable bits (334060-001 tables 2-1 to 2-8). Also the search for counters in use. */
#include "../cmocked.h"

#include "guard/write_filter.h"
#include "host/discover/in_use.h"
#include "machine/machine.h"

#include <errno.h>
#include <string.h>

/* Registers in a table; accesses on offline CPUs return ENXIO. */
typedef struct plain {
    struct bx_bus bus;
    uint64_t msr[0x1000];
    unsigned gone;
    unsigned on; /* the CPU of the last access */
    unsigned reads, writes;
} plain;

static int plain_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    plain *p = (plain *)(void *)bus;
    if (p->gone >> at->cpu & 1)
        return ENXIO;
    p->reads++;
    p->on = at->cpu;
    *value = at->space == BX_SPACE_MSR ? p->msr[at->offset & 0xfff] : 0;
    return 0;
}

static int plain_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    plain *p = (plain *)(void *)bus;
    if (p->gone >> at->cpu & 1)
        return ENXIO;
    p->writes++;
    p->on = at->cpu;
    p->msr[at->offset & 0xfff] = value;
    return 0;
}

static void plain_close(struct bx_bus *bus)
{
    plain *p = (plain *)(void *)bus;
    p->gone = ~0u;
}

static plain registers;

static bx_topology skl(void)
{
    bx_topology t;
    assert_int_equal(
        bx_topology_parse(bx_catalog_builtin(), BX_STR("virtual:skl,cores=4"), &t, NULL), BX_OK);
    memset(&registers, 0, sizeof registers);
    registers.bus = (struct bx_bus){.read = plain_read, .write = plain_write, .close = plain_close};
    return t;
}

static int put(struct bx_bus *bus, unsigned cpu, uint64_t address, uint64_t value)
{
    return bus->write(bus, &(bx_address){.width = 64, .cpu = (uint16_t)cpu, .offset = address},
                      value);
}

static void only_monitoring_registers(void **state)
{
    (void)state;
    const bx_topology t = skl();
    struct bx_bus *filter = bx_write_filter_open(&registers.bus, &t);
    static const uint64_t others[] = {0x10, 0x1a0, 0x396, 0x199, 0x770, 0x3a, 0xc0000080, 0x740};
    assert_non_null(filter);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(put(filter, 0, others[i], 1), EPROTO);
    assert_int_equal(put(filter, 4, 0x700, 0x408834), EPROTO); /* no such CPU */
    const bx_address bar = {.space = BX_SPACE_PCI, .width = 32, .offset = 0x48};
    assert_int_equal(filter->write(filter, &bar, 0), EPROTO);
    assert_int_equal(registers.writes, 0);
    assert_int_equal(put(filter, 0, 0x700, 0x408834), 0);
    assert_int_equal(put(filter, 0, 0x706, 0xfffffffffff), 0);
    assert_int_equal(put(filter, 0, 0xe01, 0x20000000), 0);
    assert_int_equal(registers.writes, 3);
    filter->close(filter);
    assert_int_equal(registers.gone, ~0u); /* the next is closed with it */
}

/* Reserved bits: bit 16 of an event select, bit 44 of a counter. */
static void no_reserved_bit(void **state)
{
    (void)state;
    const bx_topology t = skl();
    struct bx_bus *filter = bx_write_filter_open(&registers.bus, &t);
    assert_int_equal(put(filter, 0, 0x700, 0x418834), EPROTO);
    assert_int_equal(put(filter, 0, 0x706, UINT64_C(1) << 44), EPROTO);
    assert_int_equal(registers.writes, 0);
    registers.msr[0x710] = 0x10000; /* a set bit must stay set */
    assert_int_equal(put(filter, 0, 0x710, 0x408834), EPROTO);
    assert_int_equal(put(filter, 0, 0x710, 0x418834), 0);
    assert_int_equal(registers.writes, 1);
    filter->close(filter);
}

/* ---- counters in use ---- */

static size_t in_use(const bx_topology *t, const char *events, char *what, size_t room)
{
    bx_evsel list[8];
    bx_schedule schedule = {0};
    bx_plan plan = {0};
    bx_inuse found[4];
    size_t n = 0;
    *what = '\0';
    assert_int_equal(bx_events_parse(t->catalog, t->cpu, events, list, 8, &n, NULL), BX_OK);
    assert_int_equal(bx_schedule_make(t, list, n, &schedule, NULL), BX_OK);
    assert_int_equal(bx_plan_make(t, list, &schedule, 0, NULL, &plan, NULL), BX_OK);
    size_t users = bx_inuse_find(t, &registers.bus, &plan, found, 4);
    if (users)
        bx_inuse_event(t, &registers.bus, &found[0], what, room);
    bx_plan_free(&plan);
    bx_schedule_free(&schedule);
    return users;
}

static void counters_in_use(void **state)
{
    (void)state;
    const bx_topology t = skl();
    char what[160];
    static const char reads[] = "skl_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_I";
    assert_int_equal(in_use(&t, reads, what, sizeof what), 0);
    registers.msr[0x710] = 0x408834; /* selected and enabled, but the package is off */
    assert_int_equal(in_use(&t, reads, what, sizeof what), 0);
    registers.msr[0xe01] = 0x20000000;
    assert_int_equal(in_use(&t, reads, what, sizeof what),
                     1); /* the plan programs the same package */
    assert_string_equal(what, "skl_unc_cbo1::UNC_CBO_CACHE_LOOKUP:ANY_I");
    registers.msr[0x711] = 0x4000aa; /* an unknown event */
    registers.msr[0x710] = 0;
    assert_int_equal(in_use(&t, reads, what, sizeof what), 1);
    assert_string_equal(what, "MSR_UNC_CBO_1_PERFEVTSEL1 = 0x4000aa");
    registers.msr[0x394] = 0x400000;
    assert_int_equal(in_use(&t, reads, what, sizeof what), 2);
    assert_int_equal(in_use(&t, "DRAM_DATA_READS", what, sizeof what),
                     0); /* the plan writes nothing */
    assert_int_equal(registers.writes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_monitoring_registers),
        cmocka_unit_test(no_reserved_bit),
        cmocka_unit_test(counters_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
