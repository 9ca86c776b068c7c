/* Restores what a client changed while somebody counts: counters that run and overflow, and writes
 * and reads that go wrong. */
#include "bench.h"

/* 334060-001 tables 2-2 to 2-4: 394H counts and interrupts (EN 22, OVF_EN 20), E01H counts, sends
 * the request to core 0 and freezes (EN 29, bit 0, FRZ_ON_PMI 31). */
static void somebody_counts(const bench *b)
{
    had(b, 0x395, 1000);
    had(b, 0x394, 0x500000);
    had(b, 0xe01, 0xa0000001);
}

/* A client writes somebody's running counter; it continues from its former value. */
static void a_count_that_runs(void **state)
{
    bench b;
    opened(&b, "virtual:skl");
    somebody_counts(&b);
    bx_machine_idle(b.m, 100);
    uint64_t before = held(&b, 0x395);
    assert_int_equal(msr(&b, 0x395, 0), 0);
    bx_machine_idle(b.m, 10);
    (*state ? undo : put_back)(&b);
    assert_true(held(&b, 0x395) >= before && held(&b, 0x395) < before + 100);
    closed(&b);
}

/* A client writes a value to somebody's counter that makes it overflow, which freezes
 * everything. */
static void a_freeze_that_a_client_causes(void **state)
{
    bench b;
    opened(&b, "virtual:skl");
    somebody_counts(&b);
    assert_int_equal(msr(&b, 0x395, (UINT64_C(1) << 48) - 5), 0);
    bx_machine_idle(b.m, 1000);
    assert_int_equal(held(&b, 0xe01), 0x80000001);
    assert_int_equal(held(&b, 0xe02), 1);
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0xe01), 0xa0000001);
    assert_int_equal(held(&b, 0xe02), 0);
    assert_true(held(&b, 0x395) >= 1000 && held(&b, 0x395) < 2000);
    closed(&b);
}

/* 323535-001 table 2-3: FRZ_ALL (31) of C00H lets an overflow clear EN_ALL. C00H is therefore saved
 * with a client's control. RST_ALL (29) is found as 1, but must not reset anybody's counts when
 * C00H is put back. */
static void a_reset_beside_a_freeze(void **state)
{
    bench b;
    opened(&b, "virtual:nhmex,packages=1");
    had(&b, 0xc00, 0xa0000001);
    had(&b, 0x394, 0x1a4c41);
    had(&b, 0xd11, 0x5678);
    assert_int_equal(msr(&b, 0xc90, 0), 0);
    (*state ? undo : put_back)(&b);
    assert_int_equal(held(&b, 0x394), 0x1a4c41);
    assert_int_equal(held(&b, 0xd11), 0x5678);
    assert_int_equal(held(&b, 0xc00), 0xa0000001);
    closed(&b);
}

/* The same with EN_ALL (28): a client lets somebody's clock of the W-Box overflow, which clears
 * EN_ALL. When C00H is put back, RST_ALL does reset all counters, also those of other boxes. */
static void a_reset_after_a_freeze(void **state)
{
    bench b;
    opened(&b, "virtual:nhmex,packages=1");
    had(&b, 0xc80, UINT64_C(1) << 31);
    had(&b, 0x395, 3); /* EN, PMI_EN */
    had(&b, 0xc00, 0xb0000001);
    had(&b, 0x394, 0x1a4c41);
    had(&b, 0xd11, 0x5678);
    assert_int_equal(msr(&b, 0x394, (UINT64_C(1) << 48) - 5), 0);
    bx_machine_idle(b.m, 100);
    assert_int_equal(held(&b, 0xc00), 0xa0000001);
    (*state ? undo : put_back)(&b);
    assert_in_range(held(&b, 0x394), 0x1a4c41, 0x1a4c41 + 100);
    assert_int_equal(held(&b, 0xd11), 0x5678);
    assert_int_equal(held(&b, 0xc00), 0xb0000001);
    closed(&b);
}

/* An overflow bit that was set is not cleared, because nobody could set it again (table 2-3). A
 * later one may be cleared. */
static void an_overflow_that_was_there(void **state)
{
    (void)state;
    bench b;
    opened(&b, "virtual:skl");
    somebody_counts(&b);
    had(&b, 0x395, (UINT64_C(1) << 48) - 5);
    bx_machine_idle(b.m, 1000);
    assert_int_equal(held(&b, 0xe02), 1);
    assert_int_equal(msr(&b, 0xe02, 9), EPERM);
    assert_int_equal(held(&b, 0xe02), 1);
    assert_int_equal(msr(&b, 0xe02, 8), 0);
    const bx_address at = {BX_SPACE_MSR, 64, 0, 0xe02};
    uint64_t value = 0xb;
    assert_int_equal(bx_undo_spare_status(&b.policy, &b.log, &at, &value), 0);
    assert_int_equal(value, 0xa);
    put_back(&b);
    assert_int_equal(held(&b, 0xe02), 1);
    closed(&b);
}

/* A bus that loses writes to one register, and reads one register wrongly once. */
typedef struct lossy {
    struct bx_bus bus;
    struct bx_bus *next;
    uint64_t loses, slip; /* slip: the register whose next read is wrong */
} lossy;

static int lossy_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    lossy *l = (lossy *)(void *)bus;
    int err = l->next->read(l->next, at, value);
    if (l->slip && at->offset == l->slip) {
        *value = 8;
        l->slip = 0;
    }
    return err;
}

static int lossy_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    lossy *l = (lossy *)(void *)bus;
    return at->offset == l->loses ? 0 : l->next->write(l->next, at, value);
}

/* One read of E02H misses the bit that an overflow has set, and shows another one. */
static void a_status_read_wrongly(void **state)
{
    (void)state;
    bench b;
    opened(&b, "virtual:skl");
    somebody_counts(&b);
    assert_int_equal(msr(&b, 0x395, (UINT64_C(1) << 48) - 5), 0);
    bx_machine_idle(b.m, 1000);
    lossy bus = {{.read = lossy_read, .write = lossy_write}, b.bus, .slip = 0xe02};
    b.policy.bus = &bus.bus;
    assert_int_equal(bx_undo_restore(&b.policy, &b.log, b.ops, b.errnos), 0);
    assert_int_equal(held(&b, 0xe02), 0);
    closed(&b);
}

/* The journal records which bits must be clear afterwards. */
static void a_lost_write_of_a_journal(void **state)
{
    (void)state;
    bench b;
    opened(&b, "virtual:skl");
    somebody_counts(&b);
    assert_int_equal(msr(&b, 0x395, (UINT64_C(1) << 48) - 5), 0);
    bx_machine_idle(b.m, 1000);
    lossy bus = {{.read = lossy_read, .write = lossy_write}, b.bus, .loses = 0xe02};
    struct bx_bus *inner = b.bus;
    b.bus = &bus.bus;
    assert_int_equal(undo_part(&b, ULONG_MAX), 1);
    b.bus = inner;
    assert_int_equal(held(&b, 0xe02), 1);
    closed(&b);
}

/* 395H was found near its end and now counts from 0. That does not prove that it has wrapped. E02H
 * has a bit set that was clear before. */
static void a_write_that_is_lost(void **state)
{
    (void)state;
    static const uint64_t loses[] = {0x395, 0xe02};
    for (unsigned i = 0; i < 2; i++) {
        bench b;
        opened(&b, "virtual:skl");
        had(&b, 0x395, (UINT64_C(1) << 48) - 100000);
        had(&b, 0x394, 0x500000);
        had(&b, 0xe01, 0x20000000);
        assert_int_equal(msr(&b, 0x395, i ? (UINT64_C(1) << 48) - 5 : 0), 0);
        bx_machine_idle(b.m, 1000);
        lossy bus = {{.read = lossy_read, .write = lossy_write}, b.bus, .loses = loses[i]};
        b.policy.bus = &bus.bus;
        assert_int_equal(bx_undo_restore(&b.policy, &b.log, b.ops, b.errnos), 1);
        for (size_t k = 0; k < b.log.n; k++)
            assert_int_equal(b.log.list[k].err, b.log.list[k].at.offset == loses[i] ? EBADMSG : 0);
        closed(&b);
    }
}

/* A bus on which bits that only trigger something read as 1: the documents do not say how they
 * read. */
typedef struct ringing {
    struct bx_bus bus;
    const bench *b;
    unsigned writes, read; /* of such bits: how many were written as 1, how many were read */
} ringing;

static int ringing_read(struct bx_bus *bus, const bx_address *at, uint64_t *value)
{
    ringing *l = (ringing *)(void *)bus;
    const bx_allowed *r = bx_allow_find(&l->b->allow, at);
    int err = l->b->bus->read(l->b->bus, at, value);
    uint64_t only_trigger = r ? r->triggers & ~r->clears : 0;
    *value |= only_trigger;
    l->read += only_trigger != 0;
    return err;
}

static int ringing_write(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    ringing *l = (ringing *)(void *)bus;
    const bx_allowed *r = bx_allow_find(&l->b->allow, at);
    l->writes += r && value & r->triggers & ~r->clears;
    return l->b->bus->write(l->b->bus, at, value);
}

/* 329468-002: D04H, D10H and D16H are the control of a C-Box, of its first counter, and its count;
 * bits 0 and 1 of D04H and bit 17 of D10H reset. What these read as is neither written nor
 * expected. */
static void bits_that_only_trigger(void **state)
{
    bench b;
    opened(&b, "virtual:ivbep,cores=3");
    ringing bus = {{.read = ringing_read, .write = ringing_write, .close = lent_close}, .b = &b};
    had(&b, 0xd10, 0x1234);
    had(&b, 0xd16, 777);
    b.policy.bus = &bus.bus;
    assert_int_equal(msr(&b, 0xd04, 0x100), 0);
    assert_int_equal(msr(&b, 0xd10, 0x400000), 0);
    assert_int_equal(msr(&b, 0xd16, 0), 0);
    if (*state) {
        bench seen = b;
        seen.bus = &bus.bus;
        assert_int_equal(undo_part(&seen, ULONG_MAX), 0);
    } else {
        put_back(&b);
    }
    assert_int_not_equal(bus.read, 0);
    assert_int_equal(bus.writes, 0);
    assert_int_equal(held(&b, 0xd10), 0x1234);
    assert_int_equal(held(&b, 0xd16), 777);
    closed(&b);
}

/* A bus that refuses what stops the clock's counter. */
static int refuse_stops(struct bx_bus *bus, const bx_address *at, uint64_t value)
{
    lent *l = (lent *)(void *)bus;
    return at->offset == 0x394 || at->offset == 0xe01 ? EIO : l->next->write(l->next, at, value);
}

/* The client's counter cannot be stopped: its count is put back, and does not stay. */
static void a_count_that_goes_on(void **state)
{
    (void)state;
    bench b;
    opened(&b, "virtual:skl");
    had(&b, 0x395, 777);
    assert_int_equal(msr(&b, 0x395, 0), 0);
    assert_int_equal(msr(&b, 0x394, 0x400000), 0);
    assert_int_equal(msr(&b, 0xe01, 0x20000000), 0);
    lent refusing = {{.read = lent_read, .write = refuse_stops}, b.bus, ULONG_MAX};
    b.policy.bus = &refusing.bus;
    assert_true(bx_undo_restore(&b.policy, &b.log, b.ops, b.errnos) >= 3);
    unsigned seen = 0;
    for (size_t i = 0; i < b.log.n; i++) {
        const bx_undo_entry *entry = &b.log.list[i];
        if (entry->at.offset == 0x394 || entry->at.offset == 0xe01 || entry->at.offset == 0x395) {
            assert_int_equal(entry->err, entry->at.offset == 0x395 ? EBUSY : EIO);
            seen++;
        }
    }
    assert_int_equal(seen, 3);
    b.policy.bus = b.bus;
    closed(&b);
}

int main(void)
{
    static char as_journal[] = "undone";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_that_runs),
        cmocka_unit_test(a_freeze_that_a_client_causes),
        cmocka_unit_test_prestate(a_count_that_runs, as_journal),
        cmocka_unit_test_prestate(a_freeze_that_a_client_causes, as_journal),
        cmocka_unit_test(a_reset_beside_a_freeze),
        cmocka_unit_test_prestate(a_reset_beside_a_freeze, as_journal),
        cmocka_unit_test(a_reset_after_a_freeze),
        cmocka_unit_test_prestate(a_reset_after_a_freeze, as_journal),
        cmocka_unit_test(a_status_read_wrongly),
        cmocka_unit_test(a_lost_write_of_a_journal),
        cmocka_unit_test(an_overflow_that_was_there),
        cmocka_unit_test(a_write_that_is_lost),
        cmocka_unit_test(bits_that_only_trigger),
        cmocka_unit_test_prestate(bits_that_only_trigger, as_journal),
        cmocka_unit_test(a_count_that_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
