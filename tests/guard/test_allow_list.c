/* The allow-list. Addresses and bits are typed from the documents. */
#include "../cmocked.h"

#include "plan/overflow.h"

#include "guard/allow_list.h"
#include "register/register.h"

#include <string.h>

typedef struct typed {
    const char *cpu;
    uint8_t space, width;
    uint64_t address, write; /* write 0: read-only */
} typed;

#define PCI(bus, device, function, reg) ((bus) << 20 | (device) << 15 | (function) << 12 | (reg))

static const typed registers[] = {
    /* 334060-001: table 2-7 has fields 7:0, 15:8, 18, 20, 22, 23, 28:24; table 2-8 43:0; 2-2 has
     * 3:0 (and Linux bit 4), 29, 30, 31; 2-3 has 0, 1 and 3; 2-4 20 and 22; 2-5 47:0 */
    {"skl", BX_SPACE_MSR, 64, 0x700, 0x1fd4ffff},
    {"skl", BX_SPACE_MSR, 64, 0x731, 0x1fd4ffff},
    {"skl", BX_SPACE_MSR, 64, 0x3b2, 0x1fd4ffff},
    {"skl", BX_SPACE_MSR, 64, 0x706, 0xfffffffffff},
    {"skl", BX_SPACE_MSR, 64, 0x3b1, 0xfffffffffff},
    {"skl", BX_SPACE_MSR, 64, 0xe01, 0xe000001f},
    {"skl", BX_SPACE_MSR, 64, 0xe02, 0xb},
    {"skl", BX_SPACE_MSR, 64, 0x394, 0x500000},
    {"skl", BX_SPACE_MSR, 64, 0x395, 0xffffffffffff},
    {"skl", BX_SPACE_MSR, 64, 0x396, 0},
    {"skl", BX_SPACE_PCI, 64, PCI(0, 0, 0, 0x48), 0},
    {"skl", BX_SPACE_PCI, 32, PCI(0, 0, 0, 0), 0},
    /* 329468-002: control 7:0, 15:8, 17, 18, 19, 22, 31:24; box control 0, 1, 8; count 43:0 */
    {"ivbep", BX_SPACE_MSR, 64, 0xd04, 0x103},
    {"ivbep", BX_SPACE_MSR, 64, 0xd10, 0xff4effff},
    {"ivbep", BX_SPACE_MSR, 64, 0xed3, 0xff4effff}, /* box 14: D10H + 14 x 20H */
    {"ivbep", BX_SPACE_MSR, 64, 0xd16, 0xfffffffffff},
    {"ivbep", BX_SPACE_MSR, 64, 0xc01, 0xffffffff},
    /* 323535-001: C-Box 0 enables six counters (p23), control of p27, counters of 48 bits */
    {"nhmex", BX_SPACE_MSR, 32, 0xd00, 0x3f},
    {"nhmex", BX_SPACE_MSR, 64, 0xd00, 0x3f}, /* an MSR access has 64 bits */
    {"nhmex", BX_SPACE_MSR, 32, 0xd02, 0x3f},
    {"nhmex", BX_SPACE_MSR, 64, 0xd10, 0xffd4ffff},
    {"nhmex", BX_SPACE_MSR, 64, 0xd11, 0xffffffffffff},
    {"nhmex", BX_SPACE_MSR, 64, 0xe48, UINT64_C(1) << 63}, /* S-Box 0, MM_CFG (p61) */
    {"nhmex", BX_SPACE_MSR, 64, 0xe49, UINT64_MAX},        /* MATCH (p62) */
    {"nhmex", BX_SPACE_MSR, 64, 0x394, 0xffffffffffff},
    {"nhmex", BX_SPACE_MSR, 32, 0xca4, 0}, /* the M-Box's time stamp belongs to no counter */
    /* SDM volume 3, P6 family: 7:0, 15:8, 16 to 20, 22 (of the first only), 23, 31:24; 40 bits */
    {"p6", BX_SPACE_MSR, 64, 0x186, 0xffdfffff},
    {"p6", BX_SPACE_MSR, 64, 0x187, 0xff9fffff},
    {"p6", BX_SPACE_MSR, 64, 0xc1, 0xffffffffff},
    {"pm", BX_SPACE_MSR, 64, 0x187, 0xff9fffff},
};

static bx_topology machine(const char *spec)
{
    bx_topology t;
    bx_error e = {0};
    if (bx_topology_parse(bx_catalog_builtin(), bx_str_of(spec), &t, &e) != BX_OK)
        fail_msg("%s", e.message);
    return t;
}

static bx_allow allowed_on(const char *spec)
{
    bx_topology t = machine(spec);
    bx_allow a;
    assert_true(bx_allow_new(&a, &t, NULL));
    return a;
}

static const bx_allowed *find(const bx_allow *a, unsigned space, unsigned width, uint64_t offset)
{
    const bx_address at = {.space = (uint8_t)space, .width = (uint8_t)width, .offset = offset};
    return bx_allow_find(a, &at);
}

static void the_documents(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++) {
        const typed *t = &registers[i];
        char spec[48] = "virtual:";
        bx_allow a = allowed_on(
            strcat(strcat(spec, t->cpu), strcmp(t->cpu, "ivbep") == 0 ? ",cores=15" : ""));
        const bx_allowed *r = find(&a, t->space, t->width, t->address);
        if (!r || r->write != t->write)
            fail_msg("%s 0x%llx: %llx instead of %llx", t->cpu, (unsigned long long)t->address,
                     r ? (unsigned long long)r->write : 0, (unsigned long long)t->write);
        assert_int_equal(r->write & r->reserved, 0);
        bx_allow_free(&a);
    }
}

/* LBRs, the debug store area, speculation control and the register that selects precise events are
 * passive. */
static void nothing_else(void **state)
{
    (void)state;
    static const uint32_t msrs[] = {0,     0x10,  0x48,  0x1d9, 0x3f1, 0x1a0, 0x392,  0x391,
                                    0x600, 0x680, 0x6c0, 0x702, 0x740, 0xe00, 0xffff, UINT32_MAX};
    bx_allow a = allowed_on("virtual:skl");
    for (size_t i = 0; i < sizeof msrs / sizeof *msrs; i++)
        assert_null(find(&a, BX_SPACE_MSR, 64, msrs[i]));
    assert_null(find(&a, BX_SPACE_MSR, 32, 0x700));
    assert_null(find(&a, BX_SPACE_MSR, 8, 0x700));
    assert_null(find(&a, BX_SPACE_PCI, 32, PCI(0, 0, 0, 0x48)));
    assert_null(find(&a, BX_SPACE_PCI, 32, PCI(0, 0, 0, 0x44)));
    assert_null(find(&a, BX_SPACE_PCI, 64, 0x700)); /* of another space */
    assert_null(find(&a, 3, 64, 0x700));
    assert_null(find(&a, BX_SPACE_MMIO, 32, 0x5050)); /* without the base address */
    bx_allow_free(&a);
}

static void units_and_cpus_that_are_there(void **state)
{
    (void)state;
    bx_allow a = allowed_on("virtual:skl,cores=2,slices=2");
    assert_non_null(find(&a, BX_SPACE_MSR, 64, 0x710));
    assert_null(find(&a, BX_SPACE_MSR, 64, 0x720)); /* a third C-Box */
    bx_address at = {.space = BX_SPACE_MSR, .width = 64, .cpu = 1, .offset = 0x710};
    const bx_allowed *r = bx_allow_find(&a, &at);
    assert_non_null(r);
    assert_int_equal(r->unit, 1);
    at.cpu = 2;
    assert_null(bx_allow_find(&a, &at));
    bx_allow_free(&a);
}

static void bits_that_must_stay(void **state)
{
    (void)state;
    bx_allow a = allowed_on("virtual:skl");
    const bx_allowed *control = find(&a, BX_SPACE_MSR, 64, 0x700);
    assert_int_equal(bx_allow_forbidden(control, 0, 0x408834), 0);
    assert_int_equal(bx_allow_forbidden(control, 0, 0x428834), 0x20000); /* bits 17:16 */
    assert_int_equal(bx_allow_forbidden(control, 0, UINT64_C(1) << 29), UINT64_C(1) << 29);
    assert_int_equal(bx_allow_forbidden(control, 0, UINT64_C(1) << 63), UINT64_C(1) << 63);
    /* A reserved bit that is set must stay set. */
    assert_int_equal(bx_allow_forbidden(control, 0x20000, 0x428834), 0);
    assert_int_equal(bx_allow_forbidden(control, 0x20000, 0x408834), 0x20000);
    /* A read-only register cannot be written, not even with its own value. */
    assert_int_equal(bx_allow_forbidden(find(&a, BX_SPACE_MSR, 64, 0x396), 5, 5), UINT64_MAX);
    /* OVF_EN, bit 20; FRZ_ON_PMI and WAKE_ON_PMI, bits 31:30, and PMI_SEL_CORE0 to 3 */
    assert_int_equal(bx_allow_new_interrupts(control, 0, 0x508834), 0x100000);
    assert_int_equal(bx_allow_new_interrupts(control, 0x100000, 0x508834), 0);
    assert_int_equal(bx_allow_new_interrupts(find(&a, BX_SPACE_MSR, 64, 0xe01), 1, 0xe000000f),
                     0xc000000e);
    bx_allow_free(&a);

    /* The Xeon 7500 has fixed bits: 62:61 and 50 are reserved in most registers (p44). Ignored and
     * read-only bits may be written with any value. */
    a = allowed_on("virtual:nhmex");
    const bx_allowed *b = find(&a, BX_SPACE_MSR, 64, 0xc30);
    assert_int_equal(bx_allow_forbidden(b, 0, UINT64_MAX), UINT64_C(0x6004000000000000));
    bx_allow_free(&a);
}

/* On a virtual machine, a measurement sets bits that make an overflow stop all counters
 * (plan/overflow.h). No measurement may set these bits on a host. */
static void no_overflow_stops_counters(void **state)
{
    static const char *const machines[] = {"virtual:skl", "virtual:nhmex", "virtual:p6",
                                           "virtual:pm"};
    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        bx_topology t;
        assert_int_equal(bx_topology_parse(bx_catalog_builtin(), bx_str_of(machines[m]), &t, NULL),
                         BX_OK);
        bx_allow a = allowed_on(machines[m]);
        bx_span pmus = bx_cat_cpus(t.catalog)[t.cpu].pmus;
        unsigned found = 0;
        for (size_t i = 0; i < a.n; i++) {
            for (unsigned p = pmus.first; p < pmus.first + pmus.n; p++) {
                const bx_cat_counter *counters =
                    &bx_cat_counters(t.catalog)[bx_cat_pmus(t.catalog)[p].counters.first];
                for (unsigned k = 0; k < bx_cat_pmus(t.catalog)[p].counters.n; k++) {
                    uint64_t bits = bx_overflow_bits(&t, &counters[k], a.list[i].reg);
                    assert_int_equal(bx_allow_new_interrupts(&a.list[i], 0, bits), bits);
                    found += bits != 0;
                }
            }
        }
        assert_true(found > 1);
        bx_allow_free(&a);
    }
}

static void what_puts_them_back(void **state)
{
    (void)state;
    bx_allow a = allowed_on("virtual:ivbep");
    const bx_allowed *box = find(&a, BX_SPACE_MSR, 64, 0xd04);
    assert_int_equal(box->triggers, 3); /* RST_CTRL, RST_CTRS */
    assert_int_equal(bx_allow_restore_value(box, 0x30103), 0x30100);
    assert_false(box->write_only);
    bx_allow_free(&a);
    a = allowed_on("virtual:nhmex");
    assert_true(find(&a, BX_SPACE_MSR, 64, 0xd02)->write_only);
    assert_false(find(&a, BX_SPACE_MSR, 64, 0xd01)->write_only);
    bx_allow_free(&a);
}

static int base_value(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    (void)bus;
    if (at->space != BX_SPACE_PCI || at->offset != 0x48 || at->width != 64)
        return 19;
    *value = 0xfed10001;
    return 0;
}

static int no_value(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    (void)bus;
    (void)at;
    (void)value;
    return 13;
}

static void memory_is_where_the_machine_says(void **state)
{
    (void)state;
    struct bx_bus bus = {.read = base_value}, mute = {.read = no_value};
    bx_topology t = machine("virtual:skl");
    bx_allow a;
    assert_true(bx_allow_new(&a, &t, &bus));
    const bx_allowed *r = find(&a, BX_SPACE_MMIO, 32, 0xfed15050);
    assert_non_null(r);
    assert_int_equal(r->write, 0);
    assert_null(find(&a, BX_SPACE_MMIO, 64, 0xfed15050));
    assert_null(find(&a, BX_SPACE_MMIO, 32, 0xfed1504c));
    bx_allow_free(&a);
    assert_true(bx_allow_new(&a, &t, &mute));
    assert_null(find(&a, BX_SPACE_MMIO, 32, 0xfed15050));
    assert_non_null(find(&a, BX_SPACE_MSR, 64, 0x700));
    bx_allow_free(&a);
}

/* Every register of every unit of every CPU model is found, and only at its own address. */
static void all_are_found(void **state)
{
    (void)state;
    const bx_catalog *c = bx_catalog_builtin();
    for (size_t cpu = 0; cpu < bx_catalog_cpus(c); cpu++) {
        bx_topology t;
        bx_allow a;
        bx_topology_real(c, (uint16_t)cpu, 2, 4, &t);
        assert_true(bx_allow_new(&a, &t, NULL));
        assert_true(a.n > 3);
        for (size_t i = 0; i < a.n; i++) {
            const bx_allowed *r = &a.list[i];
            bool shared = r->package == BX_ANY_PACKAGE;
            unsigned package = shared ? 0 : r->package;
            bx_address at = {r->space, r->width, (uint16_t)(4 * package), r->offset};
            assert_ptr_equal(bx_allow_find(&a, &at), r);
            at.cpu = (uint16_t)(4 * (1 - package));
            assert_ptr_equal(bx_allow_find(&a, &at), shared ? r : NULL);
            assert_int_equal(shared, !bx_cat_regs(c)[r->reg].package_stride);
            assert_int_equal(r->offset, bx_register_offset_in(c, package, r->reg, r->unit));
            assert_int_equal(r->triggers & ~r->write, 0);
            assert_int_equal(r->interrupts & ~r->write, 0);
        }
        bx_allow_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_documents),
        cmocka_unit_test(nothing_else),
        cmocka_unit_test(units_and_cpus_that_are_there),
        cmocka_unit_test(bits_that_must_stay),
        cmocka_unit_test(no_overflow_stops_counters),
        cmocka_unit_test(what_puts_them_back),
        cmocka_unit_test(memory_is_where_the_machine_says),
        cmocka_unit_test(all_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
