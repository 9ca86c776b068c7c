/* U-Box and W-Box of the Xeon 7500 by hand, from docs/explanation/model-nhmex.md, "Interrupts and
 * locks" and "Power and heat". */
#include "../cmocked.h"

#include "nhmex_rig.h"

#include "model/engine/awake.h"

enum {
    LOCAL = 0x00,
    REMOTE = 0x01,
    LOCK = 0x02,
    STOP = 0x03,
    SENT = 0x50,
    WOKEN = 0xf8,
    IPI = 0xf9
};

static uint64_t u(struct rig *r, unsigned package, unsigned code)
{
    return rig_unit(r, BX_NHMEX_U, package, 0, code, 0);
}

static uint64_t w(struct rig *r, unsigned code, uint32_t cores)
{
    return rig_unit(r, BX_NHMEX_W, 0, 0, code, cores);
}

static struct rig with(bx_model_times times, unsigned packages, unsigned cores)
{
    return rig_of("nhmex", (bx_model_shape){.packages = packages, .cores = cores, .times = times});
}

/* ---- U-Box ---- */

static const bx_access lock_bus = BX_ACCESS_STEER |
                                  (bx_access)BX_STEER_LOCK_BUS << BX_STEERING_SHIFT |
                                  BX_NON_TEMPORAL | BX_ACCESS_DEPENDENT;

static uint64_t s(struct rig *r, unsigned package, unsigned code, uint32_t umask)
{
    return rig_unit(r, BX_NHMEX_S, package, 0, code, umask);
}

/* Two packages. Package 0's core has the bus from 50 to 1,050; the loads of package 1's core, of
 * which the first is ready at 100, begin then. */
static void a_bus_lock(void **state)
{
    (void)state;
    struct rig r = with((bx_model_times){0}, 2, 1);
    const bx_access first[] = {lock_bus | 50 << 4},
                    second[] = {bx_access_make(64, BX_LOAD, 0, 100),
                                bx_access_make(65, BX_LOAD, BX_ACCESS_DEPENDENT, 0),
                                bx_access_make(66, BX_LOAD, BX_ACCESS_DEPENDENT, 0)};
    struct rig alone = with((bx_model_times){0}, 2, 1);

    rig_feed(&alone, 1, second, 3);
    rig_run(&alone);
    uint64_t end = rig_now(&alone);
    rig_feed(&r, 0, first, 1);
    rig_feed(&r, 1, second, 3);
    rig_run(&r);
    assert_int_equal(rig_now(&r), end - 100 + 1050);
    assert_int_equal(u(&r, 0, LOCK), 2);
    assert_int_equal(u(&r, 1, LOCK), 0);
    assert_int_equal(u(&r, 0, STOP), 2);
    assert_int_equal(u(&r, 1, STOP), 2);
    assert_int_equal(u(&r, 0, SENT), 4);
    assert_int_equal(u(&r, 1, SENT), 2);
    rig_free(&r);
    rig_free(&alone);
}

/* The messages of that lock. The unlock is in the U-Box at 1,054 and in the S-Box at 1,058.
 * NcMsgB   queue 1 and 11: 1,070; R-Box 6 and 11, link 30: 1,117; R-Box: 1,134; queue 2, egress 2,
 *          ring 4: 1,142.
 * NDR CmpD ring 4, queue 2: 1,148; R-Box 6 and 1, link 30: 1,185; R-Box: 1,192; queue 2, egress 1,
 *          ring 4: 1,199. */
static void messages_of_a_bus_lock(void **state)
{
    (void)state;
    struct rig r = with((bx_model_times){0}, 2, 1);
    const bx_access lock[] = {lock_bus | 50 << 4};

    rig_feed(&r, 0, lock, 1);
    rig_run(&r);
    assert_int_equal(rig_now(&r), 1199);
    assert_int_equal(s(&r, 0, 0x66, 0x1), 1); /* PKTS_SENT_NCS: StopReq1 */
    assert_int_equal(s(&r, 0, 0x67, 0), 1);   /* FLITS_SENT_NCS */
    assert_int_equal(s(&r, 0, 0x68, 0x1), 1); /* PKTS_SENT_NCB: StartReq2 */
    assert_int_equal(s(&r, 0, 0x69, 0), 11);  /* FLITS_SENT_NCB */
    assert_int_equal(s(&r, 1, 0x74, 0), 1);   /* PKTS_RCVD_NCS */
    assert_int_equal(s(&r, 1, 0x75, 0), 1);   /* PKTS_RCVD_NCB */
    assert_int_equal(s(&r, 1, 0x25, 0), 2);   /* TO_RING_NCS_MSGQ_CYCLES_NE */
    assert_int_equal(s(&r, 1, 0x26, 2), 2);   /* TO_RING_MSGQ_OCCUPANCY:NCS */
    assert_int_equal(s(&r, 1, 0x63, 0), 2);   /* PKTS_SENT_NDR: the answers */
    assert_int_equal(s(&r, 0, 0x70, 0), 2);   /* PKTS_RCVD_NDR */
    assert_int_equal(s(&r, 1, 0x66, 0xf) + s(&r, 1, 0x68, 0xf) + s(&r, 0, 0x74, 0), 0);
    rig_free(&r);
}

/* Core 0 of package 0 wakes core 1, and one of the other package, which then wakes core 1 again. */
static void cores_wake_each_other(void **state)
{
    (void)state;
    struct rig r = with((bx_model_times){0}, 2, 2);

    bx_model_send_interrupt(r.m, 0, 1, true);
    bx_model_send_interrupt(r.m, 0, 3, true);
    bx_model_send_interrupt(r.m, 3, 1, false);
    bx_model_idle(r.m, 100);
    assert_int_equal(u(&r, 0, LOCAL), 1);
    assert_int_equal(u(&r, 0, REMOTE), 1);
    assert_int_equal(u(&r, 1, REMOTE), 1);
    assert_int_equal(u(&r, 0, SENT), 2);
    assert_int_equal(u(&r, 0, IPI), 2);
    assert_int_equal(u(&r, 0, WOKEN), 1);
    assert_int_equal(u(&r, 1, WOKEN), 1);
    rig_free(&r);
}

/* Two buffers hold a packet for a cycle each, one holds two one after the other: 4 and 5. */
static void packets_wait_for_each_other(void **state)
{
    (void)state;
    struct rig r = with((bx_model_times){0}, 1, 4);

    bx_model_send_interrupt(r.m, 0, 1, true);
    bx_model_send_interrupt(r.m, 0, 2, true);
    bx_model_idle(r.m, 5);
    assert_int_equal(u(&r, 0, LOCAL), 1);
    bx_model_idle(r.m, 1);
    assert_int_equal(u(&r, 0, LOCAL), 2);
    rig_free(&r);
}

/* Timers at 100, 200 … 900 of two packages of four cores that all sleep, in 1,000 cycles. */
static void a_timer_wakes_all(void **state)
{
    (void)state;
    struct rig r = with((bx_model_times){.u_timer = 100}, 2, 4);

    bx_model_idle(r.m, 1000);
    assert_int_equal(u(&r, 0, REMOTE), 9);
    assert_int_equal(u(&r, 0, LOCAL), 9);
    assert_int_equal(u(&r, 0, IPI), 9 * 3);
    assert_int_equal(u(&r, 0, WOKEN), 9 * 4);
    assert_int_equal(u(&r, 0, SENT), 2 * 9);
    assert_int_equal(u(&r, 1, REMOTE), 9);
    assert_int_equal(u(&r, 1, LOCAL), 0);
    assert_int_equal(u(&r, 1, WOKEN), 9 * 4);
    rig_free(&r);
}

/* ---- W-Box ---- */

static void heat(void **state)
{
    (void)state;
    struct rig r = with((bx_model_times){.w_heat = 1000}, 1, 8);

    bx_model_idle(r.m, 2000);
    assert_int_equal(w(&r, 0x00, 0x01), 400);
    assert_int_equal(w(&r, 0x00, 0x06), 2 * (200 + 12));
    assert_int_equal(w(&r, 0x00, 0xff), 568);
    assert_int_equal(w(&r, 0x02, 0), 568);
    assert_int_equal(w(&r, 0x07, 0), 468);
    assert_int_equal(w(&r, 0x01, 0xff), 0); /* no core is awake */
    rig_free(&r);
}

/* Core 0 works from 0 to 1,300, core 1 not: turbo from 0 to 500 and from 1,000 on. */
static void turbo(void **state)
{
    (void)state;
    struct rig r = with((bx_model_times){.w_turbo = 1000}, 1, 2);
    const bx_access work[] = {bx_access_make(0, BX_LOAD, BX_ACCESS_DEPENDENT, 0),
                              bx_access_make(0, BX_LOAD, 0, 0)};
    bx_access until_1300[] = {work[0], work[1]};

    rig_feed(&r, 0, until_1300, 1);
    rig_run(&r);
    uint64_t first = rig_now(&r);
    until_1300[1] |= (bx_access)(1300 - first) << 4;
    rig_feed(&r, 0, until_1300 + 1, 1);
    rig_run(&r);
    assert_int_equal(rig_now(&r), 1300);
    bx_model_idle(r.m, 1000);
    assert_int_equal(w(&r, 0x04, 0x01), 800);
    assert_int_equal(w(&r, 0x04, 0x02), 0);
    assert_int_equal(w(&r, 0x04, 0xff), 800);
    assert_int_equal(w(&r, 0x03, 0xff), 0);
    rig_free(&r);
}

/* FORCEPR from 500 on: a request that is ready at 527 begins at once, one at 530 at 544. */
static void a_modulated_clock(void **state)
{
    (void)state;
    for (unsigned at = 527; at <= 530; at += 3) {
        const bx_access load = bx_access_make(64, BX_LOAD, 0, at);
        struct rig r = with((bx_model_times){.w_forcepr = 1000}, 1, 1),
                   free = with((bx_model_times){0}, 1, 1);
        rig_feed(&r, 0, &load, 1);
        rig_run(&r);
        rig_feed(&free, 0, &load, 1);
        rig_run(&free);
        assert_int_equal(rig_now(&r) - rig_now(&free), at == 530 ? 544 - 530 : 0);
        rig_free(&r);
        rig_free(&free);
    }
}

/* ---- windows, and who is awake ---- */

static void windows(void **state)
{
    (void)state;
    const struct bx_window second_half = {10, 5, 10, 0}, once_late = {10, 3, 4, 13};

    assert_int_equal(bx_window_cycles(&second_half, 27), 5 + 5 + 2);
    assert_int_equal(bx_window_next(&second_half, 0), 5);
    assert_int_equal(bx_window_next(&second_half, 9), 10);
    assert_int_equal(bx_window_next(&second_half, 10), 15);
    assert_false(bx_window_has(&once_late, 3));
    assert_true(bx_window_has(&once_late, 13));
    assert_int_equal(bx_window_cycles(&once_late, 24), 2);
    assert_int_equal(bx_window_next(&once_late, 0), 13);
    assert_int_equal(bx_window_next(&once_late, 13), 14);
}

/* Changes come in any order: core 1 is awake from 4 to 12, core 0 from 2 to 6. */
static void awake_in_any_order(void **state)
{
    (void)state;
    bx_arena memory = {0};
    uint64_t now = 0;
    static struct bx_awake a;

    a = (struct bx_awake){.now = &now, .memory = &memory};
    a.window[0] = (struct bx_window){10, 0, 5, 0};
    bx_awake_set(&a, 1, 4, true);
    bx_awake_set(&a, 1, 12, false);
    bx_awake_set(&a, 0, 2, true);
    bx_awake_set(&a, 0, 6, false);
    now = 20;
    assert_int_equal(bx_awake_next(&a, 1), 2);
    assert_int_equal(bx_awake_cycles(&a, 0, 1, 20), 3);
    assert_int_equal(bx_awake_cycles(&a, 0, 2, 20), 1 + 2);
    assert_int_equal(bx_awake_cycles(&a, 0, 3, 20), 3 + 2);
    bx_arena_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bus_lock),
        cmocka_unit_test(messages_of_a_bus_lock),
        cmocka_unit_test(cores_wake_each_other),
        cmocka_unit_test(packets_wait_for_each_other),
        cmocka_unit_test(a_timer_wakes_all),
        cmocka_unit_test(heat),
        cmocka_unit_test(turbo),
        cmocka_unit_test(a_modulated_clock),
        cmocka_unit_test(windows),
        cmocka_unit_test(awake_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
