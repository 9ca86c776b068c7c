/* Registers put back as they were when they were saved. */
#include "session/session.h"

#include "host/helper/client.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What fails once may do the second time; and a guarded register that was refused goes where its
 * guard holds by then. */
enum { ROUNDS = 3 };

/* Somebody else's counters may run since the round before: they stand still while they are set. */
static void close_gates(struct bx_session *s)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&s->plan, BX_STOP, s->pass, &n);
    for (size_t i = 0; i < n; i++)
        if (ops[i].saved != BX_NOT_SAVED && s->kept[ops[i].saved] == BX_TOUCHED)
            s->bus->write(s->bus, &ops[i].at, bx_carry_value(s, &ops[i]));
}

static int read_back(struct bx_session *s, const bx_op *op)
{
    uint64_t value;
    return s->marks[op->saved] & BX_MARK_UNSURE ? EBADMSG : bx_verify(s, op, &value);
}

/* What was saved, but not written: a counter that could not be set up may have been set going. */
static bool has_moved(struct bx_session *s, const bx_op *op)
{
    uint64_t value;
    unsigned kept = s->kept[op->saved];
    bool written = kept != BX_REFUSED && kept != BX_SAVED;
    if (written || op->keep != UINT64_MAX || s->plan.ops[op->saved].bystander)
        return false;
    int why = bx_verify(s, op, &value);
    return why == EBADMSG || (why && kept == BX_REFUSED);
}

/* Writes all that was touched, in the plan's order, and reads it again. */
static size_t write_back(struct bx_session *s, const bx_op *ops, size_t n)
{
    size_t failed = 0;
    for (size_t i = 0; i < n; i++) {
        if (has_moved(s, &ops[i]))
            s->kept[ops[i].saved] = BX_TOUCHED;
        if (s->kept[ops[i].saved] != BX_TOUCHED)
            continue;
        s->whys[i] = s->bus->write(s->bus, &ops[i].at, bx_carry_value(s, &ops[i]));
        if (s->whys[i] == 0 && ops[i].keep == UINT64_MAX)
            s->whys[i] = read_back(s, &ops[i]);
        failed += s->whys[i] != 0;
    }
    return failed;
}

/* An operation that only makes a guard hold is not one that puts its register back. */
static bool is_last(const bx_op *ops, size_t n, size_t i)
{
    for (size_t k = i + 1; k < n; k++)
        if (ops[k].saved == ops[i].saved)
            return false;
    return true;
}

/* To put back a guarded register its guard must hold again, and then be put back, too. */
static void leave_guards(struct bx_session *s, const bx_op *ops, size_t n, const bx_op *left)
{
    for (size_t i = 0; i < n; i++)
        if (ops[i].keep != UINT64_MAX && ops[i].unit == left->unit &&
            ops[i].package == left->package && s->kept[ops[i].saved] == BX_TOUCHED)
            s->kept[ops[i].saved] = BX_LEFT;
}

static bool runs_by(const struct bx_session *s, const bx_op *counter, const bx_op *gate)
{
    for (size_t i = 0; i < s->schedule.n; i++) {
        const bx_seat *seat = &s->schedule.seats[i];
        if (bx_cat_counters(s->topology->catalog)[seat->counter].value == counter->reg &&
            seat->unit == counter->unit && seat->package == counter->package &&
            bx_plan_needs(s->topology, s->events, seat, gate))
            return true;
    }
    return false;
}

/* Counters that were put back, and whose gate is open for good. Returns how many. */
static size_t leave_running(struct bx_session *s, const bx_op *ops, size_t n)
{
    size_t running = 0;
    for (size_t i = 0; i < n; i++) {
        if (!s->whys[i] || s->whys[i] == EBUSY || !(s->marks[ops[i].saved] & BX_MARK_OPEN))
            continue;
        for (size_t k = 0; k < n; k++) {
            if (s->whys[k] || s->kept[ops[k].saved] != BX_TOUCHED || !runs_by(s, &ops[k], &ops[i]))
                continue;
            s->whys[k] = EBUSY;
            running++;
        }
    }
    return running;
}

/* ECANCELED: a replay that has gone wrong, which leaves nothing anywhere. */
static int name_left(struct bx_session *s, const bx_op *ops, size_t n, size_t most, bx_error *e)
{
    int rc = BX_OK;
    free(s->left);
    s->left_n = 0;
    s->left = calloc(most, sizeof *s->left);
    for (size_t i = 0; i < n; i++) {
        if (!s->whys[i] || s->whys[i] == ECANCELED || !is_last(ops, n, i))
            continue;
        bx_error one = {0};
        s->kept[ops[i].saved] = BX_LEFT;
        leave_guards(s, ops, n, &ops[i]);
        int code = bx_carry_report(s, &ops[i], s->whys[i], &one);
        bx_fail(e, code, 0, 0, "%s", one.message);
        if (s->left)
            snprintf(s->left[s->left_n++], sizeof *s->left, "%s", one.message);
        rc = rc == BX_OK ? code : rc;
    }
    return rc;
}

/* It puts back itself what was changed through it, whichever of the two has ended. */
static int helper_gone(struct bx_session *s, bx_error *e)
{
    static const char says[] = "boxscore-helper has ended while this counted: it puts registers "
                               "back, or leaves that to 'boxscore restore'";
    free(s->left);
    s->left = calloc(1, sizeof *s->left);
    s->left_n = s->left ? 1 : 0;
    if (s->left)
        snprintf(s->left[0], sizeof *s->left, "%s", says);
    return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s", says);
}

int bx_restore(struct bx_session *s, bx_error *e)
{
    size_t n, failed = 1;
    const bx_op *ops = bx_plan_part(&s->plan, BX_RESTORE, 0, &n);
    for (unsigned round = 0; failed && round < ROUNDS; round++) {
        if (round > 0)
            close_gates(s);
        failed = write_back(s, ops, n);
    }
    if (!failed)
        return BX_OK;
    if (s->machine->host.helper && bx_helper_is_gone(s->machine->host.helper))
        return helper_gone(s, e);
    failed += leave_running(s, ops, n);
    return name_left(s, ops, n, failed, e);
}

const char *bx_session_left(const bx_session *s, size_t i)
{
    return i < s->left_n ? s->left[i] : NULL;
}
