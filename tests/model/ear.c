/* Implements ear.h. */
#include "../cmocked.h"

#include "ear.h"

void ear_close(struct ear *ear, unsigned id, uint64_t t)
{
    assert_true(t >= ear->since[id]);
    ear->sum[id] += ear->open[id] * (t - ear->since[id]);
    ear->busy[id] += ear->open[id] ? t - ear->since[id] : 0;
    ear->since[id] = t;
}

void ear_see(bx_watcher *w, unsigned id, uint64_t start, uint64_t cycles, uint32_t level)
{
    struct ear *ear = (struct ear *)(void *)w;

    assert_true(start >= ear->last); /* times are never before the present time */
    ear->last = start;
    ear_close(ear, id, start);
    ear->open[id] = 0;
    if (cycles == BX_OPEN_ENDED) {
        ear->open[id] = level;
        return;
    }
    assert_int_equal(cycles, 1);
    assert_true(level > 0);
    ear->sum[id] += level;
    ear->busy[id]++;
    ear->since[id] = start + 1;
}

static uint64_t alarm_rings(bx_watcher *w, uint64_t now)
{
    struct ear *ear = (struct ear *)(void *)w;

    assert_int_equal(now, ear->alarm_at);
    assert_int_equal(ear->s->now(ear->s), now);
    assert_true(ear->last < now || now == 0);
    ear->alarms++;
    if (ear->on_alarm)
        ear->on_alarm(ear, now);
    return ear->alarm_at = ear->period ? now + ear->period : BX_NEVER;
}

void ear_open(struct ear *ear, const struct rig *r)
{
    *ear = (struct ear){.watcher = {ear_see, alarm_rings}, .s = r->s};
    r->s->set_watcher(r->s, &ear->watcher);
}
