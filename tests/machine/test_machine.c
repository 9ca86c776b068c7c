/* Machines opened by their strings, and built-in workloads on them. */
#include "../cmocked.h"

#include "machine/machine.h"
#include "model/machine/client/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bx_machine *opened(const char *spec)
{
    bx_error e = {0};
    bx_machine *m = NULL;
    if (bx_machine_open(bx_catalog_builtin(), spec, &m, &e) != BX_OK)
        fail_msg("%s: %s", spec ? spec : "(none)", e.message);
    return m;
}

static uint64_t read_register(bx_machine *m, unsigned space, unsigned width, uint64_t offset)
{
    bx_bus *bus = bx_machine_bus(m);
    uint64_t value = 0;
    const bx_address at = {.space = (uint8_t)space, .width = (uint8_t)width, .offset = offset};
    assert_int_equal(bus->read(bus, &at, &value), 0);
    return value;
}

static void a_virtual_machine(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain,cores=2,hz=3000000000");
    const bx_catalog *c = bx_catalog_builtin();
    assert_true(bx_machine_is_virtual(m));
    assert_string_equal(bx_machine_name(m), "virtual:skl,part=plain,cores=2,hz=3000000000");
    assert_null(bx_machine_chosen_because(m));
    assert_string_equal(bx_catalog_cpu_name(c, (size_t)bx_machine_cpu(m)), "skl");
    assert_int_equal(bx_machine_packages(m), 1);
    assert_int_equal(bx_machine_cores(m), 2);
    assert_int_equal(bx_machine_units(m, bx_cat_find_pmu(c, BX_STR("skl_unc_cbo"))), 2);
    assert_int_equal(bx_machine_units(m, bx_cat_find_pmu(c, BX_STR("skl_unc_arb"))), 1);
    assert_int_equal(bx_machine_units(m, 100000), 0);
    assert_true(bx_machine_hz(m) == 3e9);
    assert_int_equal(bx_machine_now(m), 0);
    assert_int_equal(bx_machine_accesses(m), 0);
    assert_int_equal(bx_machine_exit_status(m), 0);
    /* 334060-001 section 2.4.1: the number of C-Boxes is one less than MSR 396H says. */
    assert_int_equal(read_register(m, BX_SPACE_MSR, 64, 0x396) & 0xf, 3);
    bx_machine_close(m);
    bx_machine_close(NULL);
}

/* Section 3.3: the counters are at the address in 0:0.0 offset 48H. */
static void base_address(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain,bar=0xfed20000");
    bool done;
    assert_int_equal(read_register(m, BX_SPACE_PCI, 64, 0x48) & 0x7fffff8000, 0xfed20000);
    assert_int_equal(bx_machine_load_workload(m, "stream,size=64K", NULL), BX_OK);
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
    assert_int_equal(read_register(m, BX_SPACE_MMIO, 32, 0xfed25050),
                     bx_client_counts_of(bx_machine_model(m))->data_reads);
    bx_machine_close(m);
}

static void refused(const char *spec, int code, size_t at, size_t len)
{
    bx_error e = {0};
    bx_machine *m = NULL;
    assert_int_equal(bx_machine_open(bx_catalog_builtin(), spec, &m, &e), code);
    assert_int_equal(e.code, code);
    assert_int_equal(e.at, at);
    assert_int_equal(e.len, len);
    assert_true(*e.message && *e.hint);
    assert_null(m);
    assert_int_equal(bx_machine_open(bx_catalog_builtin(), spec, &m, NULL), code);
}

static void no_such_machine(void **state)
{
    (void)state;
    refused("virtual:skl,part=plain,cores=9", BX_BAD_INPUT, 29, 1);
    refused("virtual:sky", BX_NOT_FOUND, 8, 3);
    refused("hist", BX_BAD_INPUT, 0, 4);
}

static void no_such_driver(void **state)
{
    (void)state;
    static const char *const specs[] = {"virtual:skl,part=plain", "host", NULL};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        for (unsigned sized = 0; sized < 2; sized++) {
            const bx_machine_options o = {.size = sized ? sizeof o : 0, .driver = 77};
            bx_error e = {0};
            bx_machine *m = NULL;
            assert_int_equal(bx_machine_open_with(bx_catalog_builtin(), specs[i], &o, &m, &e),
                             BX_BAD_INPUT);
            assert_string_equal(e.message, "there is no driver 77");
            assert_null(m);
        }
    }
}

/* The caller's header is newer than the library. */
static void options_of_a_later_version(void **state)
{
    (void)state;
    struct {
        bx_machine_options o;
        unsigned char more[8];
    } later = {.o = {.size = sizeof later}};
    bx_error e = {0};
    bx_machine *m = NULL;
    assert_int_equal(
        bx_machine_open_with(bx_catalog_builtin(), "virtual:skl,part=plain", &later.o, &m, &e),
        BX_OK);
    bx_machine_close(m);
    m = NULL;
    for (unsigned i = 0; i < sizeof later.more; i++) {
        char says[200];
        snprintf(says, sizeof says,
                 "bx_machine_options has options that this library (0.1.0) does not know: byte %zu "
                 "is not 0",
                 sizeof later.o + i);
        later.more[i] = 1;
        e = (bx_error){0};
        assert_int_equal(
            bx_machine_open_with(bx_catalog_builtin(), "virtual:skl,part=plain", &later.o, &m, &e),
            BX_BAD_INPUT);
        assert_string_equal(e.message, says);
        assert_string_equal(e.hint,
                            "leave out what is newer than that, or install a newer boxscore");
        later.more[i] = 0;
    }
    later.o.size = SIZE_MAX; /* never set: nothing is read */
    e = (bx_error){0};
    assert_int_equal(
        bx_machine_open_with(bx_catalog_builtin(), "virtual:skl,part=plain", &later.o, &m, &e),
        BX_BAD_INPUT);
    assert_non_null(strstr(e.message, ": no version of it is so large"));
    assert_null(m);
}

/* A host without any files: an empty folder. */
typedef struct nowhere {
    char folder[64];
} nowhere;

static nowhere nowhere_new(void)
{
    nowhere n;
    snprintf(n.folder, sizeof n.folder, "/tmp/boxscore-machine-XXXXXX");
    assert_non_null(mkdtemp(n.folder));
    return n;
}

static int open_in(const nowhere *n, const char *spec, bx_machine **m, bx_error *e)
{
    return bx_machine_open_with(
        bx_catalog_builtin(), spec,
        &(bx_machine_options){.size = sizeof(bx_machine_options), .root = n->folder}, m, e);
}

static void no_host(void **state)
{
    (void)state;
    static const char *const spellings[] = {"host", "HOST"};
    nowhere n = nowhere_new();
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        bx_error e = {0};
        bx_machine *m = NULL;
        assert_int_equal(open_in(&n, spellings[i], &m, &e), BX_NO_ACCESS);
        assert_int_equal(e.code, BX_NO_ACCESS);
        assert_int_equal(e.len, 0);
        assert_true(*e.message && *e.hint);
        assert_null(m);
        assert_int_equal(open_in(&n, spellings[i], &m, NULL), BX_NO_ACCESS);
    }
    rmdir(n.folder);
}

/* The model supports everything that the machine string allows. */
static void every_shape(void **state)
{
    (void)state;
    for (unsigned cores = 1; cores <= 4; cores++)
        for (unsigned slices = 1; slices <= 4; slices *= 2)
            for (unsigned slice = 64; slice * slices <= 64 << 10; slice *= 4) {
                char spec[64];
                snprintf(spec, sizeof spec, "virtual:skl,part=plain,cores=%u,slices=%u,llc=%uK",
                         cores, slices, slices * slice);
                bx_machine *m = opened(spec);
                bool done = false;
                assert_int_equal(bx_machine_load_workload(m, "copy,size=64K", NULL), BX_OK);
                assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
                assert_true(done);
                bx_machine_close(m);
            }
}

/* Without a string: the host cannot be opened, and the machine has the reason. */
static void any_machine(void **state)
{
    (void)state;
    nowhere n = nowhere_new();
    bx_machine *m = NULL, *host;
    bx_error e = {0};
    assert_int_equal(open_in(&n, NULL, &m, NULL), BX_OK);
    assert_true(bx_machine_is_virtual(m));
    assert_string_equal(bx_machine_name(m), "virtual:skl,part=i7-6700k");
    assert_int_equal(open_in(&n, "host", &host, &e), BX_NO_ACCESS);
    assert_string_equal(bx_machine_chosen_because(m), e.message);
    bx_machine_close(m);
    rmdir(n.folder);
}

static void work_runs_to_its_end(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain");
    bool done = true;
    assert_int_equal(bx_machine_load_workload(m, "stream,size=64K", NULL), BX_OK);
    assert_int_equal(bx_machine_run(m, 1000, &done, NULL), BX_OK);
    assert_false(done);
    assert_int_equal(bx_machine_now(m), 1000);
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
    assert_true(done);
    /* docs/explanation/model-workloads.md, Workloads: two loads and a store for each of 8192
     * elements. */
    assert_int_equal(bx_machine_accesses(m), 3 * 8192);
    assert_int_equal(bx_machine_exit_status(m), 0);
    uint64_t now = bx_machine_now(m);
    bx_machine_idle(m, 12345);
    assert_int_equal(bx_machine_now(m), now + 12345);
    bx_machine_close(m);
}

/* New work replaces the old; caches and counts stay. */
static void work_after_work(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain");
    bool done;
    assert_int_equal(bx_machine_load_workload(m, "stream,size=64K", NULL), BX_OK);
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
    uint64_t reads = bx_client_counts_of(bx_machine_model(m))->data_reads;
    assert_int_equal(reads, 3 * 64 * 1024 / 64);
    for (unsigned i = 0; i < 2; i++) { /* the same addresses are still in the LLC */
        assert_int_equal(bx_machine_load_workload(m, "stream,size=64K", NULL), BX_OK);
        assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
        assert_int_equal(bx_client_counts_of(bx_machine_model(m))->data_reads, reads);
    }
    assert_int_equal(bx_machine_load_workload(m, "dma", NULL), BX_OK);
    bx_machine_unload(m); /* before it has started */
    assert_int_equal(bx_machine_run(m, UINT64_MAX, &done, NULL), BX_OK);
    assert_true(done);
    assert_int_equal(bx_machine_accesses(m), 3 * 3 * 8192);
    bx_machine_close(m);
}

static void no_such_work(void **state)
{
    (void)state;
    bx_machine *m = opened("virtual:skl,part=plain");
    bx_error e = {0};
    char *nothing[] = {NULL};
    assert_int_not_equal(bx_machine_load_workload(m, "stream,siz=64K", &e), BX_OK);
    assert_int_equal(e.at, 7);
    e = (bx_error){0};
    assert_int_equal(bx_machine_load_program(m, nothing, &e), BX_BAD_INPUT);
    assert_string_equal(e.message, "no program is named");
    bx_machine_close(m);
}

/* ---- privilege levels ---- */

static bool produces(const bx_machine *m, const char *event, const char *modifiers)
{
    bx_evsel selection;
    bx_error e = {0};
    char text[256];
    snprintf(text, sizeof text, "%s%s", event, modifiers);
    if (bx_event_parse(bx_catalog_builtin(), bx_machine_cpu(m), text, strlen(text), &selection, &e))
        fail_msg("%s: %s", text, e.message);
    return bx_machine_produces(m, &selection);
}

/* Of the P6, devices also cause these events while the processor is halted, at level 0; and a
 * kernel that handles interrupts is there:
 * docs/explanation/model-p6.md, Instructions. */
static bool is_of_devices(const bx_cat_event *event, const bx_cat_umask *u)
{
    bool bus = event->code >= 0x62 && event->code <= 0x70;
    bool any = u && u->value == 0x20 && event->code != 0x63 && event->code != 0x66 &&
               event->code != 0x67 && event->code != 0x68 && event->code != 0x69 &&
               event->code != 0x6c && event->code != 0x6d;
    return event->code == 0x21 || event->code == 0x26 || event->code == 0x27 ||
           event->code == 0x47 || event->code == 0x62 ||
           (event->code >= 0x7a && event->code <= 0x7e) || (bus && any) || event->code == 0xc6 ||
           event->code == 0xc7;
}

/* No machine model executes a kernel: what is counted at level 0 alone is not modelled, for every
 * event and unit mask of a core. Level 1 to 3 alone is modelled if all levels are. */
static unsigned each_level(const bx_machine *m, const char *pmu_name, bool p6)
{
    const struct bx_catalog *c = bx_catalog_builtin();
    unsigned pmu = bx_cat_find_pmu(c, bx_str_of(pmu_name)), modelled = 0;
    bx_span events = bx_cat_pmus(c)[pmu].events;
    for (unsigned i = 0; i < events.n; i++) {
        const bx_cat_event *event = &bx_cat_events(c)[events.first + i];
        for (unsigned k = 0; k < (event->umasks.n ? event->umasks.n : 1u); k++) {
            const bx_cat_umask *u =
                event->umasks.n ? &bx_cat_umasks(c)[event->umasks.first + k] : NULL;
            char text[128];
            bx_evsel selection;
            snprintf(text, sizeof text, "%s::%s%s%s", pmu_name, bx_cat_z(c, event->name),
                     u ? ":" : "", u ? bx_cat_z(c, u->name) : "");
            if (bx_event_parse(c, bx_machine_cpu(m), text, strlen(text), &selection, NULL))
                continue; /* it needs another unit mask, too */
            bool all = produces(m, text, "");
            modelled += all;
            assert_int_equal(produces(m, text, ":u=1:k=1"), all);
            assert_int_equal(produces(m, text, ":u=1"), all);
            if (produces(m, text, ":k=1") != (all && p6 && is_of_devices(event, u)))
                fail_msg("%s:k=1", text);
        }
    }
    return modelled;
}

static void privilege_levels(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *pmu;
        unsigned least;
    } machines[] = {
        {"virtual:skl,part=plain", "skl_core", 80},
        {"virtual:ivbep,part=plain", "ivbep_core", 80},
        {"virtual:nhmex,part=plain", "nhmex_core", 60},
        {"virtual:p6,part=plain", "p6", 50},
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        bx_machine *m = opened(machines[i].spec);
        assert_true(each_level(m, machines[i].pmu, i == 3) >= machines[i].least);
        bx_machine_close(m);
    }
}

/* Modifiers that no model distinguishes. A machine has one thread a core, so ANY changes nothing.
 * Instructions are not known cycle by cycle, so they have no threshold and no edge. */
static void modifiers_that_are_not_modelled(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *event;
        bool modelled;
    } cases[] = {
        {"virtual:skl,part=plain", "INST_RETIRED:ANY_P:t=1", true},
        {"virtual:skl,part=plain", "INST_RETIRED:ANY_P:intx=1", false},
        {"virtual:skl,part=plain", "INST_RETIRED:ANY_P:intxcp=1", false},
        {"virtual:skl,part=plain", "INST_RETIRED:ANY_P:c=1", false},
        {"virtual:skl,part=plain", "INST_RETIRED:ANY_P:e=1", false},
        {"virtual:skl,part=plain", "INST_RETIRED:ANY_P:c=1:i=1", false},
        {"virtual:skl,part=plain", "L2_RQSTS:MISS:e=1", true},
        {"virtual:skl,part=plain", "L2_RQSTS:MISS:intx=1", false},
        {"virtual:skl,part=plain", "INSTR_RETIRED_ANY:k=1", false},
        {"virtual:skl,part=plain", "INSTR_RETIRED_ANY:u=1", true},
        {"virtual:ivbep,part=plain", "UNC_C_LLC_LOOKUP:DATA_READ:cf=2", true},
        {"virtual:ivbep,part=plain", "UNC_C_LLC_LOOKUP:DATA_READ:cf=2:tf=0", true},
        {"virtual:ivbep,part=plain", "UNC_C_LLC_LOOKUP:DATA_READ:cf=2:tf=1", false},
        {"virtual:ivbep,part=plain", "UNC_C_LLC_LOOKUP:DATA_READ:tf=1", false},
        {"virtual:ivbep,part=plain", "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO", true},
        {"virtual:ivbep,part=plain", "unc_c_tor_inserts.opcode", false},
        {"virtual:ivbep,part=plain", "unc_c_tor_inserts.all", true},
        {"virtual:ivbep,part=plain", "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO:nc=1", false},
        {"virtual:ivbep,part=plain", "UNC_C_TOR_INSERTS:OPCODE:OPC_RFO:isoc=1", false},
        {"virtual:p6,part=plain", "INST_RETIRED:k=1", false},
        {"virtual:p6,part=plain", "BUS_TRAN_ANY:ANY:k=1", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bx_machine *m = opened(cases[i].spec);
        if (produces(m, cases[i].event, "") != cases[i].modelled)
            fail_msg("%s", cases[i].event);
        bx_machine_close(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_virtual_machine),
        cmocka_unit_test(base_address),
        cmocka_unit_test(every_shape),
        cmocka_unit_test(no_such_machine),
        cmocka_unit_test(no_such_driver),
        cmocka_unit_test(options_of_a_later_version),
        cmocka_unit_test(no_host),
        cmocka_unit_test(any_machine),
        cmocka_unit_test(work_runs_to_its_end),
        cmocka_unit_test(work_after_work),
        cmocka_unit_test(no_such_work),
        cmocka_unit_test(privilege_levels),
        cmocka_unit_test(modifiers_that_are_not_modelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
