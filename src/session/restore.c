/* After a measurement: restores registers from the undo logs, and lists those that could not be
 * restored. */
#include "session/restore.h"

#include "host/helper/client.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void add_line(bx_session_undo *u, const char *line)
{
    if (u->not_restored)
        snprintf(u->not_restored[u->not_restored_n++], sizeof *u->not_restored, "%s", line);
}

/* ECANCELED means that a replay has diverged: nothing is left changed. */
static bool is_lost(const bx_undo_entry *entry)
{
    return entry->err && entry->err != ECANCELED;
}

static int name_one(bx_session_undo *u, const bx_programme *p, const bx_undo_entry *entry,
                    uint16_t package, bx_error *e)
{
    bx_error one = {0};
    const bx_op op = {.step = BX_STEP_RESTORE,
                      .write = true,
                      .package = package,
                      .unit = entry->r->unit,
                      .reg = entry->r->reg,
                      .at = entry->at};
    int code = bx_blame_report(p, &op, entry->err, &one);
    bx_fail(e, code, 0, 0, "%s", one.message);
    add_line(u, one.message);
    return code;
}

static int name_lost(bx_session_undo *u, const bx_programme *p, size_t most, bx_error *e)
{
    int code = BX_OK;
    u->not_restored = calloc(most, sizeof *u->not_restored);
    for (uint16_t package = 0; package < p->topology->packages; package++) {
        const bx_undo_log *log = &u->logs[package];
        for (size_t i = 0; i < log->n; i++) {
            int one = is_lost(&log->list[i]) ? name_one(u, p, &log->list[i], package, e) : BX_OK;
            code = code == BX_OK ? one : code;
        }
    }
    return code;
}

/* The helper is gone. It restores what was changed through it when it ends, or when we do. */
static int helper_gone(bx_session_undo *u, bx_error *e)
{
    static const char says[] = "boxscore-helper has ended while this counted: it puts registers "
                               "back, or leaves that to 'boxscore restore'";
    u->not_restored = calloc(1, sizeof *u->not_restored);
    add_line(u, says);
    return bx_fail(e, BX_NO_ACCESS, 0, 0, "%s", says);
}

int bx_restore(bx_session_undo *u, const bx_programme *p, bx_error *e)
{
    size_t failed = 0;
    for (unsigned i = 0; u->logs && i < p->topology->packages; i++)
        failed += bx_undo_restore(&u->policy, &u->logs[i], u->ops, u->errnos);
    if (!failed)
        return BX_OK;
    if (bx_machine_lost_helper(p->machine))
        return helper_gone(u, e);
    return name_lost(u, p, failed, e);
}

/* If it read 0 before and after, it ignores writes and has not changed. */
void bx_restore_doubt(bx_session_undo *u, const bx_op *op, uint64_t value)
{
    bx_undo_entry *entry = bx_undo_find(&u->policy, &u->logs[op->package], &op->at);
    if (entry && (value || entry->first))
        entry->unsure = true;
}
