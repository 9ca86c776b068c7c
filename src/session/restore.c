/* Writes the saved values back to registers. */
#include "session/session.h"

#include "host/helper/client.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A write that fails once may succeed later. A dependent register that was refused is written once
 * its precondition holds. */
enum { ROUNDS = 3 };

/* Other software's counters may have started since the last round: they are stopped while they are
 * written. */
static void clear_enables(struct bx_session *s)
{
    size_t n;
    const bx_op *ops = bx_plan_part(&s->plan, BX_STEP_STOP, s->pass, &n);
    for (size_t i = 0; i < n; i++)
        if (ops[i].saved != BX_NOT_SAVED && s->save_states[ops[i].saved] == BX_SAVE_WRITTEN)
            s->bus->write(s->bus, &ops[i].at, bx_execute_value(s, &ops[i]));
}

static int read_back(struct bx_session *s, const bx_op *op)
{
    uint64_t value;
    return s->marks[op->saved] & BX_MARK_UNSURE ? EBADMSG : bx_verify(s, op, &value);
}

/* Whether a register that was saved, but not written, has changed: a counter whose set-up failed
 * may have been started. */
static bool has_moved(struct bx_session *s, const bx_op *op)
{
    uint64_t value;
    unsigned state = s->save_states[op->saved];
    bool written = state != BX_SAVE_REFUSED && state != BX_SAVE_HELD;
    if (written || op->keep != UINT64_MAX || s->plan.ops[op->saved].unrequested)
        return false;
    int err = bx_verify(s, op, &value);
    return err == EBADMSG || (err && state == BX_SAVE_REFUSED);
}

static bool restores(const bx_op *op)
{
    return op->keep == UINT64_MAX;
}

static int write_one(struct bx_session *s, const bx_op *op)
{
    int err = s->bus->write(s->bus, &op->at, bx_execute_value(s, op));
    return err == 0 && restores(op) ? read_back(s, op) : err;
}

bool bx_restore_resets_counts(const struct bx_session *s, const bx_op *op)
{
    return restores(op) &&
           bx_register_resets(s->topology->catalog, op->reg, s->plan.ops[op->saved].value) >>
                   BX_RESETS_PACKAGE &
               1;
}

/* Whether a count that may run by now has grown from its saved value. */
static bool has_grown(const struct bx_session *s, const bx_op *op, uint64_t now)
{
    uint64_t bits = bx_verify_bits(s, op);
    return ((now - bx_execute_value(s, op)) & bits) <= bits / 2;
}

/* Writes a package's counts that were restored before. Returns how many failed. */
static size_t write_counts_again(struct bx_session *s, const bx_op *ops, size_t n, uint16_t package)
{
    size_t failed = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t now = 0;
        if (ops[i].package != package || s->errnos[i] ||
            s->save_states[ops[i].saved] != BX_SAVE_WRITTEN ||
            !bx_is_counter_value(s->topology->catalog, ops[i].reg))
            continue;
        s->errnos[i] = s->bus->write(s->bus, &ops[i].at, bx_execute_value(s, &ops[i]));
        if (s->errnos[i] == 0)
            s->errnos[i] = s->bus->read(s->bus, &ops[i].at, &now);
        if (s->errnos[i] == 0 && !has_grown(s, &ops[i], now))
            s->errnos[i] = EBADMSG;
        failed += s->errnos[i] != 0;
    }
    return failed;
}

/* Writes all changed registers in the plan's order and verifies them. */
static size_t write_back(struct bx_session *s, const bx_op *ops, size_t n)
{
    size_t failed = 0;
    for (size_t i = 0; i < n; i++) {
        if (has_moved(s, &ops[i]))
            s->save_states[ops[i].saved] = BX_SAVE_WRITTEN;
        if (s->save_states[ops[i].saved] != BX_SAVE_WRITTEN)
            continue;
        s->errnos[i] = write_one(s, &ops[i]);
        failed += s->errnos[i] != 0;
        if (bx_restore_resets_counts(s, &ops[i]))
            failed += write_counts_again(s, ops, i, ops[i].package);
    }
    return failed;
}

/* Whether this is the last operation on its register: one that only makes a precondition hold is
 * followed by the one that restores the register. */
static bool is_last(const bx_op *ops, size_t n, size_t i)
{
    for (size_t k = i + 1; k < n; k++)
        if (ops[k].saved == ops[i].saved)
            return false;
    return true;
}

/* A precondition must hold for a dependent register to be restored, and then be restored itself. */
static void give_up_preconditions(struct bx_session *s, const bx_op *ops, size_t n,
                                  const bx_op *failed)
{
    for (size_t i = 0; i < n; i++)
        if (ops[i].keep != UINT64_MAX && ops[i].unit == failed->unit &&
            ops[i].package == failed->package && s->save_states[ops[i].saved] == BX_SAVE_WRITTEN)
            s->save_states[ops[i].saved] = BX_SAVE_NOT_RESTORED;
}

static bool runs_by(const struct bx_session *s, const bx_op *counter, const bx_op *enable)
{
    for (size_t i = 0; i < s->schedule.n; i++) {
        const bx_assignment *assignment = &s->schedule.assignments[i];
        if (bx_cat_counters(s->topology->catalog)[assignment->counter].value == counter->reg &&
            assignment->unit == counter->unit && assignment->package == counter->package &&
            bx_plan_needs(s->topology, s->events, assignment, enable))
            return true;
    }
    return false;
}

/* Marks counters that were restored and whose enable stays set. Returns their number. */
static size_t mark_running(struct bx_session *s, const bx_op *ops, size_t n)
{
    size_t running = 0;
    for (size_t i = 0; i < n; i++) {
        if (!s->errnos[i] || s->errnos[i] == EBUSY || !(s->marks[ops[i].saved] & BX_MARK_OPEN))
            continue;
        for (size_t k = 0; k < n; k++) {
            if (s->errnos[k] || s->save_states[ops[k].saved] != BX_SAVE_WRITTEN ||
                !runs_by(s, &ops[k], &ops[i]))
                continue;
            s->errnos[k] = EBUSY;
            running++;
        }
    }
    return running;
}

/* ECANCELED means that a replay has diverged: nothing is left changed. */
static int name_not_restored(struct bx_session *s, const bx_op *ops, size_t n, size_t most,
                             bx_error *e)
{
    int rc = BX_OK;
    free(s->not_restored);
    s->not_restored_n = 0;
    s->not_restored = calloc(most, sizeof *s->not_restored);
    for (size_t i = 0; i < n; i++) {
        if (!s->errnos[i] || s->errnos[i] == ECANCELED || !is_last(ops, n, i))
            continue;
        bx_error one = {0};
        s->save_states[ops[i].saved] = BX_SAVE_NOT_RESTORED;
        give_up_preconditions(s, ops, n, &ops[i]);
        int code = bx_execute_report(s, &ops[i], s->errnos[i], &one);
        bx_fail(e, code, 0, 0, "%s", one.message);
        if (s->not_restored)
            snprintf(s->not_restored[s->not_restored_n++], sizeof *s->not_restored, "%s",
                     one.message);
        rc = rc == BX_OK ? code : rc;
    }
    return rc;
}

/* The helper restores what was changed through it when either of the two ends. */
static int helper_gone(struct bx_session *s, bx_error *e)
{
    static const char says[] = "boxscore-helper has ended while this counted: it puts registers "
                               "back, or leaves that to 'boxscore restore'";
    free(s->not_restored);
    s->not_restored = calloc(1, sizeof *s->not_restored);
    s->not_restored_n = s->not_restored ? 1 : 0;
    if (s->not_restored)
        snprintf(s->not_restored[0], sizeof *s->not_restored, "%s", says);
    return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s", says);
}

int bx_restore(struct bx_session *s, bx_error *e)
{
    size_t n, failed = 1;
    const bx_op *ops = bx_plan_part(&s->plan, BX_STEP_RESTORE, 0, &n);
    for (unsigned round = 0; failed && round < ROUNDS; round++) {
        if (round > 0)
            clear_enables(s);
        failed = write_back(s, ops, n);
    }
    if (!failed)
        return BX_OK;
    if (s->machine->host.helper && bx_helper_is_gone(s->machine->host.helper))
        return helper_gone(s, e);
    failed += mark_running(s, ops, n);
    return name_not_restored(s, ops, n, failed, e);
}

const char *bx_session_left(const bx_session *s, size_t i)
{
    return i < s->not_restored_n ? s->not_restored[i] : NULL;
}
