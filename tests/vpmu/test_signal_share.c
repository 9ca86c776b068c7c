/* Several watchers of one model's signals, with a script. */
#include "../cmocked.h"

#include "script.h"
#include "vpmu/signal_share.h"

#include <string.h>

enum { NAMED = 3000 }; /* a high id of a watcher's own */

struct listener {
    bx_watcher watcher;
    bx_signals *signals;
    unsigned id;
    uint64_t level_time[8], alarm_time[8];
    unsigned levels, alarms;
    struct listener *other; /* an alarm of this one sets that one's, to the same time */
};

static void on_level(bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles, uint32_t level)
{
    struct listener *l = (struct listener *)(void *)w;
    assert_int_equal(id, l->id);
    assert_int_equal(cycles, BX_OPEN_ENDED);
    (void)level;
    l->level_time[l->levels++] = start;
}

static uint64_t on_alarm(bx_watcher *w, uint64_t now)
{
    struct listener *l = (struct listener *)(void *)w;
    l->alarm_time[l->alarms++] = now;
    if (l->other)
        l->other->signals->set_alarm(l->other->signals, now);
    return l->alarms == 1 ? now + 7 : BX_NEVER;
}

static void listen(struct listener *l, bx_signal_share *share, unsigned id)
{
    *l = (struct listener){
        .watcher = {on_level, on_alarm}, .signals = bx_signal_share_add(share), .id = id};
    assert_non_null(l->signals);
    l->signals->set_watcher(l->signals, &l->watcher);
}

static const bx_selection queue = {.box = BOX_ARB, .code = 0x80, .umask = 1};
static const bx_selection nothing = {.box = BOX_ARB, .code = 0x12};

static bx_signal_share *begin(struct script *s)
{
    script_init(s);
    struct script_source *source = script_add(s, BOX_ARB, 0, 0x80, 1);
    source->style = SCRIPT_OPEN;
    script_set(source, 10, 20, 3);
    bx_signal_share *share = bx_signal_share_new(&s->signals);
    assert_non_null(share);
    return share;
}

static unsigned watches_of(const struct script *s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < SCRIPT_WATCHES; i++)
        n += s->watch[i].source != NULL;
    return n;
}

/* The same id, and another one, of the same signal: each hears of its own, in the model's low
 * numbers. */
static void levels_reach_their_watcher(void **state)
{
    (void)state;
    static struct script s;
    struct listener l[3];
    bx_signal_share *share = begin(&s);
    for (unsigned i = 0; i < 3; i++) {
        listen(&l[i], share, i < 2 ? 5 : NAMED);
        assert_true(l[i].signals->watch(l[i].signals, l[i].id, &queue));
    }
    assert_false(l[0].signals->watch(l[0].signals, 6, &nothing));
    assert_int_equal(watches_of(&s), 3);
    assert_non_null(s.watch[2].source);
    script_pass(&s, 20);
    l[1].signals->unwatch(l[1].signals, 5);
    l[1].signals->unwatch(l[1].signals, 77); /* was never watched */
    assert_int_equal(watches_of(&s), 2);
    script_pass(&s, 20);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t sum;
        assert_int_equal(l[i].levels, i == 1 ? 1 : 2);
        assert_int_equal(l[i].level_time[0], 10);
        assert_true(l[i].signals->tally(l[i].signals, &queue, &sum));
        assert_int_equal(sum, 60);
        assert_int_equal(l[i].signals->now(l[i].signals), 40);
    }
    assert_int_equal(l[0].level_time[1], 30);
    bx_signal_share_remove(share, l[0].signals);
    assert_int_equal(watches_of(&s), 1);
    assert_false(bx_signal_share_out_of_memory(share));
    bx_signal_share_free(share);
    assert_int_equal(watches_of(&s), 0);
    assert_null(s.watcher);
}

static void each_has_its_alarm(void **state)
{
    (void)state;
    static struct script s;
    struct listener l[2];
    bx_signal_share *share = begin(&s);
    for (unsigned i = 0; i < 2; i++)
        listen(&l[i], share, i);
    l[0].signals->set_alarm(l[0].signals, 100);
    l[1].signals->set_alarm(l[1].signals, 30);
    assert_int_equal(s.alarm, 30);
    script_pass(&s, 50);
    assert_int_equal(l[0].alarms, 0);
    assert_int_equal(l[1].alarms, 2);
    assert_int_equal(l[1].alarm_time[0], 30);
    assert_int_equal(l[1].alarm_time[1], 37);
    assert_int_equal(s.alarm, 100);
    l[0].other = &l[1]; /* which has been asked already when that is set */
    script_pass(&s, 60);
    assert_int_equal(l[0].alarms, 2);
    assert_int_equal(l[0].alarm_time[0], 100);
    assert_int_equal(l[1].alarms, 4);
    assert_int_equal(l[1].alarm_time[2], 100);
    assert_int_equal(l[1].alarm_time[3], 107);
    assert_int_equal(s.alarm, BX_NEVER);
    l[0].signals->set_alarm(l[0].signals, 500);
    bx_signal_share_remove(share, l[0].signals);
    assert_int_equal(s.alarm, BX_NEVER);
    bx_signal_share_remove(share, NULL);
    bx_signal_share_free(share);
    bx_signal_share_free(NULL);
}

/* There are as many watches as are asked for. */
static void many_watches(void **state)
{
    (void)state;
    static struct script s;
    struct listener l[4];
    bx_signal_share *share = begin(&s);
    for (unsigned i = 0; i < 4; i++) {
        listen(&l[i], share, 0);
        for (unsigned id = 0; id < 200; id++)
            assert_true(l[i].signals->watch(l[i].signals, id, &queue));
        assert_true(l[i].signals->watch(l[i].signals, 0, &queue)); /* in place of the first */
    }
    assert_int_equal(watches_of(&s), 800);
    bx_signal_share_free(share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_reach_their_watcher),
        cmocka_unit_test(each_has_its_alarm),
        cmocka_unit_test(many_watches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
