/* Registers put back as they were when they were saved. */
#include "session/session.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What fails once may do the second time; and a guarded register that was refused goes where its
 * guard holds by then. */
enum { ROUNDS = 3 };

/* Writes all that was touched, in the plan's order. */
static size_t write_back(struct bx_session *s, const bx_op *ops, size_t n)
{
    size_t failed = 0;
    for (size_t i = 0; i < n; i++) {
        if (s->kept[ops[i].saved] != BX_TOUCHED)
            continue;
        s->whys[i] = s->bus->write(s->bus, &ops[i].at, bx_carry_value(s, &ops[i]));
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

int bx_restore(struct bx_session *s, bx_error *e)
{
    size_t n, failed = 1;
    const bx_op *ops = bx_plan_part(&s->plan, BX_RESTORE, 0, &n);
    for (unsigned round = 0; failed && round < ROUNDS; round++)
        failed = write_back(s, ops, n);
    if (!failed)
        return BX_OK;
    int rc = name_left(s, ops, n, failed, e);
    return rc;
}

const char *bx_session_left(const bx_session *s, size_t i)
{
    return i < s->left_n ? s->left[i] : NULL;
}
