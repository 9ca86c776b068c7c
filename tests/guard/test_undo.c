/* Restores what a client changed, whatever it wrote: on virtual PMUs, whose registers behave as the
 * documents say. */
#include "bench.h"

/* 334060-001: EVT_SEL 34H with UMASK 88H, EN 22 (table 2-7), EN 29 of the package (table 2-2). */
static void a_measurement(void **state)
{
    bench b;
    opened(&b, "virtual:skl");
    had(&b, 0x700, 0x2345);
    had(&b, 0x706, 777);
    assert_int_equal(msr(&b, 0xe01, 0), 0);
    assert_int_equal(msr(&b, 0x706, 0), 0);
    assert_int_equal(msr(&b, 0x700, 0x408834), 0);
    assert_int_equal(msr(&b, 0x394, 0x400000), 0);
    assert_int_equal(msr(&b, 0xe01, 0x20000000), 0);
    bx_machine_idle(b.m, 5000);
    assert_true(held(&b, 0x395) >= 5000); /* the clock, which the client did not write */
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0x700), 0x2345);
    assert_int_equal(held(&b, 0x706), 777);
    assert_int_equal(held(&b, 0x394), 0);
    assert_int_equal(held(&b, 0x395), 0);
    assert_int_equal(held(&b, 0xe01), 0);
    closed(&b);
}

/* Each core has its own registers at the same addresses. They are put back on that core. */
static void registers_of_two_cores(void **state)
{
    (void)state;
    enum { SEL0 = 0x186, CTR0 = 0xc1, FIXED0 = 0x309, FIXED_CTRL = 0x38d, CTRL = 0x38f };
    static const uint32_t msrs[] = {SEL0, CTR0, FIXED0, FIXED_CTRL, CTRL};
    static const uint64_t found[] = {0xc4, 777, 888, 0, 1}, new[] = {0x4300c0, 0, 0, 0x33, 0xff};
    bench b;
    opened(&b, "virtual:skl");
    for (uint16_t cpu = 0; cpu < 4; cpu++)
        for (size_t i = 0; i < sizeof msrs / sizeof *msrs; i++) {
            const bx_address at = {BX_SPACE_MSR, 64, cpu, msrs[i]};
            assert_int_equal(b.bus->write(b.bus, &at, found[i] ? found[i] + 2 * cpu : 0), 0);
        }
    for (uint16_t cpu = 1; cpu < 4; cpu += 2)
        for (size_t i = 0; i < sizeof msrs / sizeof *msrs; i++) {
            const bx_address at = {BX_SPACE_MSR, 64, cpu, msrs[i]};
            assert_int_equal(written(&b, &at, new[i]), 0);
        }
    put_back(&b);
    for (uint16_t cpu = 0; cpu < 4; cpu++)
        for (size_t i = 0; i < sizeof msrs / sizeof *msrs; i++) {
            const bx_address at = {BX_SPACE_MSR, 64, cpu, msrs[i]};
            uint64_t value = 0;
            assert_int_equal(b.bus->read(b.bus, &at, &value), 0);
            assert_int_equal(value, found[i] ? found[i] + 2 * cpu : 0);
        }
    closed(&b);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t msr;
        uint64_t value;
        int err;
    } cases[] = {
        {0x1d9, 1, EACCES},         /* IA32_DEBUGCTL */
        {0x1a0, 0, EACCES},         /* IA32_MISC_ENABLE */
        {0x396, 5, EACCES},         /* NO_CBO_BANKS is read-only */
        {0x702, 0, EACCES},         /* between the registers of two C-Boxes */
        {0x740, 0, EACCES},         /* a fifth C-Box */
        {0x700, 0x10000, EPERM},    /* bit 16 is reserved */
        {0x700, 0x40000000, EPERM}, /* bit 30 */
        {0x706, UINT64_C(1) << 44, EPERM},
        {0xe01, 0x20000020, EPERM}, /* bit 5 */
        {0x700, 0x508834, EPERM},   /* OVF_EN */
        {0xe01, 0x20000001, EPERM}, /* PMI_SEL_CORE0 */
    };
    bench b;
    opened(&b, "virtual:skl");
    uint64_t *before = contents(&b);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(msr(&b, cases[i].msr, cases[i].value), cases[i].err);
    const bx_address narrow = {BX_SPACE_MSR, 32, 0, 0x700};
    const bx_address far = {BX_SPACE_MSR, 64, 4, 0x700};
    assert_int_equal(written(&b, &narrow, 0), EACCES);
    assert_int_equal(written(&b, &far, 0), EACCES);
    uint64_t *after = contents(&b);
    assert_memory_equal(before, after, b.allow.n * sizeof *before);
    assert_int_equal(b.log.n, 0);
    free(before);
    free(after);
    closed(&b);
}

/* Interrupts that were enabled before may be enabled again. */
static void interrupts_that_were_there(void **state)
{
    bench b;
    opened(&b, "virtual:skl");
    had(&b, 0x700, 0x508834);
    assert_int_equal(msr(&b, 0x700, 0x408834), 0);
    assert_int_equal(msr(&b, 0x700, 0x508834), 0);
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0x700), 0x508834);
    closed(&b);
}

/* OVF_EN, and from table 2-2 PMI_SEL_CORE, WAKE_ON_PMI and FRZ_ON_PMI: no measurement on a host
 * sets them. */
static void interrupts_that_were_not(void **state)
{
    bench b;
    opened(&b, "virtual:skl");
    assert_int_equal(msr(&b, 0x700, 0x508834), EPERM);
    assert_int_equal(msr(&b, 0x394, 0x500000), EPERM);
    for (unsigned bit = 0; bit < 32; bit++)
        if (bit != 29)
            assert_int_equal(msr(&b, 0xe01, UINT64_C(1) << bit), EPERM);
    assert_int_equal(msr(&b, 0xe01, 0x20000000), 0);
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0xe01), 0);
    closed(&b);
}

/* A register of the package written from two CPUs is saved once. */
static void from_several_cpus(void **state)
{
    bench b;
    opened(&b, "virtual:skl");
    had(&b, 0x710, 0x2345);
    for (uint16_t cpu = 0; cpu < 4; cpu++) {
        const bx_address at = {BX_SPACE_MSR, 64, cpu, 0x710};
        assert_int_equal(written(&b, &at, 0x8800U + cpu), 0);
    }
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0x710), 0x2345);
    closed(&b);
}

/* Somebody else's counter continues: its count is not restored. */
static void others_go_on(void **state)
{
    bench b;
    opened(&b, "virtual:skl");
    had(&b, 0x394, 0x400000);
    had(&b, 0xe01, 0x20000000);
    bx_machine_idle(b.m, 1000);
    assert_int_equal(msr(&b, 0x700, 0x408834), 0);
    assert_int_equal(msr(&b, 0xe01, 0x20000000), 0);
    bx_machine_idle(b.m, 1000);
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0x395), 2000);
    assert_int_equal(held(&b, 0x700), 0);
    bx_machine_idle(b.m, 1000);
    assert_int_equal(held(&b, 0x395), 3000);
    closed(&b);
}

/* 329468-002: RST_CTRS, bit 1 of the box control, resets all four counts. */
static void counts_that_a_bit_sets_back(void **state)
{
    bench b;
    opened(&b, "virtual:ivbep");
    for (uint32_t i = 0; i < 4; i++) {
        had(&b, 0xd10 + i, 0x400000 + i);
        had(&b, 0xd16 + i, 100 + i);
    }
    had(&b, 0xc00, 0x80000000); /* all boxes are frozen */
    assert_int_equal(msr(&b, 0xd04, 0x30103), 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(held(&b, 0xd10 + i), 0);
        assert_int_equal(held(&b, 0xd16 + i), 0);
    }
    assert_int_equal(msr(&b, 0xd12, 0x20000), 0); /* RST, bit 17 */
    (*state ? undo : put_back)(&b);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(held(&b, 0xd10 + i), 0x400000 + i);
        assert_int_equal(held(&b, 0xd16 + i), 100 + i);
    }
    closed(&b);
}

/* 323535-001 p61 to p63: MATCH cannot be written while MM_EN is set. */
static void a_register_with_a_precondition(void **state)
{
    bench b;
    opened(&b, "virtual:nhmex");
    had(&b, 0xe49, 0x1234);
    had(&b, 0xe48, UINT64_C(1) << 63);
    assert_int_equal(msr(&b, 0xe49, 1), EIO);
    assert_int_equal(msr(&b, 0xe48, 0), 0);
    assert_int_equal(msr(&b, 0xe49, 0xffff), 0);
    assert_int_equal(msr(&b, 0xe48, UINT64_C(1) << 63), 0);
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0xe49), 0x1234);
    assert_int_equal(held(&b, 0xe48), UINT64_C(1) << 63);
    closed(&b);
}

/* 323535-001 table 2-3: RST_ALL, bit 29 of C00H, resets all counters of the package whenever a 1 is
 * written to it. That includes the write that puts back a 1 found there. EN_ALL is bit 28. */
static void reset_bits_that_were_held(void **state)
{
    static const uint64_t found[] = {0x20000000, 0x20000001, 0x30000000, 0x3000000f};
    static const uint64_t written_by_client[] = {0, 0x10000000, 0x20000000, 0x10000001};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        for (size_t k = 0; k < sizeof written_by_client / sizeof *written_by_client; k++) {
            bench b;
            opened(&b, "virtual:nhmex");
            had(&b, 0xc00, found[i]);
            had(&b, 0xc11, 0x1234);
            had(&b, 0xd11, 0x5678);
            assert_int_equal(msr(&b, 0xc00, written_by_client[k] & ~UINT64_C(15)), 0);
            (*state ? undo : put_back)(&b);
            assert_int_equal(held(&b, 0xc00), found[i]);
            assert_int_equal(held(&b, 0xc11), 0x1234);
            assert_int_equal(held(&b, 0xd11), 0x5678);
            closed(&b);
        }
}

/* The same with a running counter: its count is put back after the reset, and increases from there.
 * The clock of the W-Box: C80H and 395H enable it, 394H is the count (p137 and 138). */
static void a_running_count_after_a_held_reset(void **state)
{
    bench b;
    opened(&b, "virtual:nhmex");
    had(&b, 0xc80, UINT64_C(1) << 31);
    had(&b, 0x395, 1);
    had(&b, 0xc00, 0x30000000);
    had(&b, 0x394, 0x1234);
    bx_machine_idle(b.m, 100);
    uint64_t before = held(&b, 0x394);
    assert_int_equal(before, 0x1234 + 100);
    assert_int_equal(msr(&b, 0xc00, 0), 0);
    bx_machine_idle(b.m, 100);
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0x394), before);
    bx_machine_idle(b.m, 100);
    assert_int_equal(held(&b, 0x394), before + 100);
    closed(&b);
}

static void work_for(bench *b, uint64_t cycles)
{
    bool done;
    bx_error e = {0};
    assert_int_equal(bx_machine_load_workload(b->m, "random,size=64K", &e), BX_OK);
    assert_int_equal(bx_machine_run(b->m, bx_machine_now(b->m) + cycles, &done, &e), BX_OK);
    bx_machine_unload(b->m);
}

/* SDM volume 3, 19.2.2: 390H clears bits of 38EH, and no write sets one. A bit that was set before,
 * here of fixed counter 1, is no mistake, and stays; one that the client's counter 0 has set is
 * cleared. */
static void a_status_that_was_set(void **state)
{
    bench b;
    const uint64_t fixed_1 = UINT64_C(1) << 33, about_to = (UINT64_C(1) << 48) - 100;
    opened(&b, "virtual:ivbep,part=plain");
    had(&b, 0x30a, about_to);
    had(&b, 0x38d, 0x30);
    had(&b, 0x38f, fixed_1);
    work_for(&b, 5000);
    had(&b, 0x38f, 0);
    assert_int_equal(held(&b, 0x38e), fixed_1);
    assert_int_equal(msr(&b, 0xc1, UINT32_MAX),
                     0); /* its sign continues: it is about to overflow */
    assert_int_equal(msr(&b, 0x186, 0x43003c), 0);
    assert_int_equal(msr(&b, 0x38f, 1), 0);
    work_for(&b, 5000);
    assert_int_equal(held(&b, 0x38e), fixed_1 | 1);
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0x38e), fixed_1);
    assert_int_equal(held(&b, 0x186), 0);
    closed(&b);
}

/* A bus on which a bit of a register reads as 1, whatever is written. */
static int stuck_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    lent *l = (lent *)(void *)bus;
    int err = l->next->read(l->next, at, value);
    if (at->offset == 0x700)
        *value |= 1U << 18;
    return err;
}

static void a_bit_that_stays_set(void **state)
{
    (void)state;
    bench b;
    opened(&b, "virtual:skl");
    had(&b, 0x700, 0x8834);
    lent stuck = {{.read = stuck_read, .write = lent_write}, b.bus, ULONG_MAX};
    assert_int_equal(msr(&b, 0x700, 0x448834), 0);
    b.policy.bus = &stuck.bus;
    assert_int_equal(bx_undo_restore(&b.policy, &b.log, b.ops, b.errnos), 1);
    unsigned lost = 0;
    for (size_t i = 0; i < b.log.n; i++)
        if (b.log.list[i].err) {
            assert_int_equal(b.log.list[i].at.offset, 0x700);
            assert_int_equal(b.log.list[i].err, EBADMSG);
            lost++;
        }
    assert_int_equal(lost, 1);
    b.policy.bus = b.bus;
    closed(&b);
}

/* ---- random writes ---- */

/* Random contents before the client's writes. No enable is set, so no counter counts. */
static void set_up(bench *b)
{
    const bx_address box = {BX_SPACE_MSR, 64, 0, 0xd04};
    if (bx_allow_find(&b->allow, &box))
        had(b, 0xc00, 0x80000000); /* Xeon E5: FRZ_ALL */
    const char *cpu = bx_catalog_cpu_name(bx_catalog_builtin(), b->m->topology.cpu);
    if (strcmp(cpu, "nhmex") == 0 && rnd(b) % 2)
        had(b, 0xc00, rnd(b) % 2 ? 0x30000000 : 0x20000000); /* a reset bit that is kept as 1 */
    for (size_t i = 0; i < b->allow.n; i++) {
        const bx_allowed *r = &b->allow.list[i];
        bx_address at = address(r);
        uint64_t saved, value = rnd(b) & r->write & ~r->triggers & ~r->interrupts & 0x7fffffff;
        bool enable = b->policy.roles[r->reg] & BX_ROLE_ENABLE;
        if (enable || !r->write || r->write_only || rnd(b) % 3 || b->bus->read(b->bus, &at, &saved))
            continue;
        b->bus->write(b->bus, &at, (saved & ~r->write) | value);
    }
}

static void one_write(bench *b)
{
    const bx_allowed *r = &b->allow.list[rnd(b) % b->allow.n];
    bx_address at = address(r);
    at.cpu = (uint16_t)(rnd(b) % b->m->topology.cores);
    uint64_t present = 0, value = rnd(b);
    b->bus->read(b->bus, &at, &present);
    if (rnd(b) % 8)
        value = (present & r->reserved) | (value & ~r->reserved & ~r->interrupts);
    if (rnd(b) % 4 == 0)
        value |= r->write & ~r->interrupts & ~r->triggers; /* a counter about to overflow */
    if (rnd(b) % 4 == 0)
        value &= present;
    written(b, &at, value);
}

/* Finds registers that change by themselves: somebody else's counters, time stamps. */
static void find_moving(bench *b, bool *moves, const uint64_t *before)
{
    bx_machine_idle(b->m, 1000);
    uint64_t *now = contents(b);
    for (size_t i = 0; i < b->allow.n; i++)
        moves[i] = now[i] != before[i];
    free(now);
}

static void round_of(const char *spec, uint64_t seed, void (*end)(bench *))
{
    bench b;
    opened(&b, spec);
    b.seed = seed * 0x9e3779b97f4a7c15 + 1;
    set_up(&b);
    uint64_t *first = contents(&b);
    bool *moves = calloc(b.allow.n, sizeof *moves);
    find_moving(&b, moves, first);
    uint64_t *before = contents(&b);
    for (unsigned i = 0; i < 200; i++) {
        one_write(&b);
        if (rnd(&b) % 16 == 0)
            bx_machine_idle(b.m, rnd(&b) % 3000);
    }
    end(&b);
    uint64_t *after = contents(&b);
    for (size_t i = 0; i < b.allow.n; i++)
        if (!moves[i] && before[i] != after[i])
            fail_msg("%s, seed %llu, %s: %s of unit %u (0x%llx) was 0x%llx and is 0x%llx", spec,
                     (unsigned long long)seed,
                     end == put_back ? "put back"
                     : end == undo   ? "undone"
                                     : "undone in parts",
                     bx_cat_z(b.m->topology.catalog,
                              bx_cat_regs(b.m->topology.catalog)[b.allow.list[i].reg].name),
                     b.allow.list[i].unit, (unsigned long long)b.allow.list[i].offset,
                     (unsigned long long)before[i], (unsigned long long)after[i]);
    free(first);
    free(before);
    free(after);
    free(moves);
    closed(&b);
}

static void whatever_is_written(void **state)
{
    (void)state;
    static const char *const machines[] = {"virtual:skl", "virtual:ivbep,cores=3", "virtual:nhmex",
                                           "virtual:p6", "virtual:pm"};
    uint64_t rounds = getenv("BX_LONG") ? 400 : 20;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (uint64_t seed = 1; seed <= rounds; seed++)
            round_of(machines[i], seed,
                     seed % 3 == 0   ? put_back
                     : seed % 3 == 1 ? undo
                                     : undo_twice);
}

int main(void)
{
    static char as_journal[] = "undone";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_of_two_cores),
        cmocka_unit_test(a_measurement),
        cmocka_unit_test_prestate(a_measurement, as_journal),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(interrupts_that_were_there),
        cmocka_unit_test(interrupts_that_were_not),
        cmocka_unit_test_prestate(interrupts_that_were_there, as_journal),
        cmocka_unit_test(from_several_cpus),
        cmocka_unit_test_prestate(from_several_cpus, as_journal),
        cmocka_unit_test(others_go_on),
        cmocka_unit_test_prestate(others_go_on, as_journal),
        cmocka_unit_test(counts_that_a_bit_sets_back),
        cmocka_unit_test_prestate(counts_that_a_bit_sets_back, as_journal),
        cmocka_unit_test(a_register_with_a_precondition),
        cmocka_unit_test_prestate(a_register_with_a_precondition, as_journal),
        cmocka_unit_test(reset_bits_that_were_held),
        cmocka_unit_test_prestate(reset_bits_that_were_held, as_journal),
        cmocka_unit_test(a_running_count_after_a_held_reset),
        cmocka_unit_test_prestate(a_running_count_after_a_held_reset, as_journal),
        cmocka_unit_test(a_status_that_was_set),
        cmocka_unit_test_prestate(a_status_that_was_set, as_journal),
        cmocka_unit_test(a_bit_that_stays_set),
        cmocka_unit_test(whatever_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
