/* Checks before a measurement writes the first register. No other session may count there. On real
 * hardware no other software may either; if one does, the message names it. This file also writes a
 * journal that can undo the measurement, and removes it when all registers are restored. */
#include "session/restore.h"

#include "host/discover/in_use.h"
#include "guard/journal_undo.h"
#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *root_of(const bx_programme *p)
{
    return bx_machine_root(p->machine);
}

static bool writes(const bx_programme *p, unsigned package)
{
    for (size_t i = 0; i < p->plan.n; i++)
        if (p->plan.ops[i].write && p->plan.ops[i].package == package &&
            !bx_banks_own(p, &p->plan.ops[i]))
            return true;
    return false;
}

int bx_preflight_lock(bx_session_undo *u, const bx_programme *p, bx_error *e)
{
    unsigned packages = p->topology->packages;
    u->locks = calloc(packages + 1, sizeof *u->locks);
    if (!u->locks)
        return bx_out_of_memory(e);
    for (unsigned i = 0; i < packages; i++)
        u->locks[i] = (bx_lock){.fd = -1, .package = -1};
    int code = BX_OK;
    for (unsigned i = 0; i < packages && code == BX_OK; i++) {
        if (writes(p, i))
            code = bx_machine_claim(p->machine, i, &u->locks[i], e);
        u->private_lock |= u->locks[i].is_private;
    }
    return code;
}

/* ---- other software ---- */

static int check_use(const bx_programme *p, bx_error *e)
{
    bx_inuse first;
    size_t n = bx_inuse_find(p->topology, p->bus, &p->plan, &first, 1);
    if (n == 0 || p->machine->force || bx_machine_can(p->machine)->is_recorded)
        return BX_OK;
    char event[160], more[64] = "";
    bx_inuse_event(p->topology, p->bus, &first, event, sizeof event);
    if (n > 1)
        snprintf(more, sizeof more, ", and more on %zu other counters", n - 1);
    bx_fail(e, BX_NO_ACCESS, 0, 0, "package %u is in use: %s is being counted%s", first.package,
            event, more);
    if (e && !e->hint[0])
        bx_hint(e, "end what counts there; force takes the counters and gives them back after");
    return BX_NO_ACCESS;
}

/* ---- journals of killed measurements ---- */

/* The hint has no command if the path contains a quote, which would end the quotes of the command:
 * another user may have chosen the path. */
static int left_over(const char *path, const bx_journal *j, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0,
            "a measurement has ended here without putting its registers back: process %d, %.80s",
            (int)j->owner.pid, j->counts);
    if (e && !e->hint[0] && strchr(path, '\''))
        bx_hint(e, "boxscore restore FILE, with the journal %s", path);
    if (e && !e->hint[0])
        bx_hint(e, "boxscore restore%s%s%s '%s'", strcmp(j->machine, "/") ? " --root '" : "",
                strcmp(j->machine, "/") ? j->machine : "", strcmp(j->machine, "/") ? "'" : "",
                path);
    return BX_NO_ACCESS;
}

/* We have the locks of the packages. So a living process whose journal names them is still
 * restoring their registers. */
static int check_living(const bx_session_undo *u, const bx_programme *p, const bx_journal *j,
                        bx_error *e)
{
    for (size_t i = 0; i < j->n; i++) {
        for (unsigned k = 0; k < p->topology->packages; k++) {
            if (u->locks[k].fd < 0 || u->locks[k].package != j->ops[i].package)
                continue;
            bx_fail(e, BX_NO_ACCESS, 0, 0, "process %d must still put back registers of package %d",
                    (int)j->owner.pid, j->ops[i].package);
            if (e && !e->hint[0])
                bx_hint(e, "try again when it has");
            return BX_NO_ACCESS;
        }
    }
    return BX_OK;
}

static int check_journal(const bx_session_undo *u, const bx_programme *p, const char *path,
                         bx_arena *arena, bx_error *e)
{
    bx_journal j;
    bx_error reason = {0};
    int code = bx_journal_read(path, arena, &j, &reason);
    if (code == BX_BAD_INPUT || code == BX_NO_ACCESS) { /* its machine cannot be determined */
        bx_fail(e, BX_NO_ACCESS, 0, 0, "%s", reason.message);
        if (e && !e->hint[0])
            bx_hint(e, "%s",
                    reason.hint[0] ? reason.hint
                                   : "check the registers with 'boxscore regs', then remove it");
        return BX_NO_ACCESS;
    }
    if (code == BX_NO_MEMORY)
        return bx_out_of_memory(e);
    if (code == BX_OK && bx_journal_is_current(&j, root_of(p)))
        return bx_owner_lives(j.owner) ? check_living(u, p, &j, e) : left_over(path, &j, e);
    if (code == BX_OK && !bx_owner_lives(j.owner) && bx_journal_is_gone(path, &j, root_of(p)))
        unlink(path);
    return BX_OK;
}

/* Checks the journal that the lock of a package names, wherever it is. It is only read, to find out
 * whether it is a journal with registers of this package. */
static int check_of_lock(const bx_session_undo *u, const bx_programme *p, const bx_lock *l,
                         bx_arena *arena, bx_error *e)
{
    char path[BX_LOCK_JOURNAL];
    bx_journal j;
    bx_error reason = {0};
    if (l->fd < 0 || !bx_lock_journal(l, path))
        return BX_OK;
    int code = bx_journal_read(path, arena, &j, &reason);
    if (code == BX_NO_MEMORY)
        return bx_out_of_memory(e);
    if (code == BX_NO_ACCESS) {
        bx_fail(e, code, 0, 0,
                "the last measurement on package %d may not have put its registers "
                "back: %s",
                l->package, reason.message);
        if (e && !e->hint[0])
            bx_hint(e, "its owner can restore it: boxscore restore FILE");
        return code;
    }
    for (size_t i = 0; code == BX_OK && i < j.n; i++)
        if (j.ops[i].package == l->package && bx_journal_is_current(&j, root_of(p)))
            return bx_owner_lives(j.owner) ? check_living(u, p, &j, e) : left_over(path, &j, e);
    return BX_OK;
}

/* Checks the path that the user chose for the journal: a journal there is treated like the others.
 */
static int check_named(const bx_session_undo *u, const bx_programme *p, const char *path,
                       bx_arena *arena, bx_error *e)
{
    bx_journal j;
    int code = bx_journal_read(path, arena, &j, NULL);
    code = code == BX_NO_MEMORY ? bx_out_of_memory(e)
           : code == BX_OK      ? check_journal(u, p, path, arena, e)
                                : BX_OK;
    return code == BX_OK ? bx_journal_make_room(path, e) : code;
}

static int check_journals(const bx_session_undo *u, const bx_programme *p, bx_error *e)
{
    bx_arena arena = {0};
    int code = bx_journal_check_folder(e);
    if (p->machine->journal && code == BX_OK)
        code = check_named(u, p, p->machine->journal, &arena, e);
    for (const char *const *path = bx_journal_list(&arena); *path && code == BX_OK; path++)
        code = check_journal(u, p, *path, &arena, e);
    for (unsigned i = 0; i < p->topology->packages && code == BX_OK; i++)
        code = check_of_lock(u, p, &u->locks[i], &arena, e);
    if (code == BX_OK && arena.failed)
        code = bx_out_of_memory(e);
    bx_arena_free(&arena);
    return code;
}

/* ---- our own journal ---- */

static const char *events_text(const bx_programme *p, bx_arena *a)
{
    bx_buf text = {0};
    uint16_t last = BX_NONE;
    for (size_t i = 0; i < p->schedule.n; i++) {
        char event[200];
        if (p->schedule.assignments[i].event == last)
            continue;
        last = p->schedule.assignments[i].event;
        bx_event_format(p->topology->catalog, &p->events[last], event, sizeof event);
        bx_buf_f(&text, "%s%s", text.n ? "," : "", event);
    }
    const char *copy = bx_arena_copy(a, (bx_str){text.p, text.n});
    bx_buf_free(&text);
    return copy;
}

static size_t most_ops(const bx_session_undo *u, const bx_programme *p)
{
    size_t most = 1;
    for (unsigned i = 0; i < p->topology->packages; i++)
        most += bx_undo_ops_room(u->logs[i].n);
    return most;
}

/* Writes the journal's path into the files of our locks, before a register is written. */
static int name_in_locks(const bx_session_undo *u, const bx_programme *p, bx_error *e)
{
    char path[PATH_MAX];
    int err = realpath(u->journal.p, path) ? 0 : errno;
    for (unsigned i = 0; i < p->topology->packages && err == 0; i++)
        if (u->locks[i].fd >= 0)
            err = bx_lock_name_journal(&u->locks[i], path);
    return err ? bx_fail(e, bx_code_of(err), 0, 0,
                         "the journal '%s' cannot be named in the locks' files: %s", u->journal.p,
                         strerror(err))
               : BX_OK;
}

static int write_journal(bx_session_undo *u, const bx_programme *p, bx_error *e)
{
    bx_arena arena = {0};
    char path[BX_MACHINE_PATH], boot[BX_BOOT_ID];
    bx_machine_path(root_of(p), path);
    bx_boot_id(root_of(p), boot);
    bx_journal j = {
        .machine = path,
        .boot = boot,
        .cpu = bx_catalog_cpu_name(p->topology->catalog, p->topology->cpu),
        .owner = bx_owner_self(),
        .counts = events_text(p, &arena),
        .ops = bx_arena_get(&arena, most_ops(u, p) * sizeof *j.ops),
    };
    for (unsigned i = 0; j.ops && i < p->topology->packages; i++) {
        size_t n = bx_undo_ops(&u->policy, &u->logs[i], u->ops);
        bx_undo_to_journal(&u->policy, u->ops, n, bx_machine_cpus(p->machine)->logical,
                           u->locks[i].package, &arena, &j);
    }
    int code = arena.failed ? bx_out_of_memory(e) : BX_OK;
    if (code == BX_OK && j.n > 0)
        code = bx_journal_write(u->journal.p, &j, e);
    u->journaled = code == BX_OK && j.n > 0;
    bx_arena_free(&arena);
    return u->journaled ? name_in_locks(u, p, e) : code;
}

int bx_preflight_check(bx_session_undo *u, const bx_programme *p, bx_error *e)
{
    bool any = false;
    for (unsigned i = 0; i < p->topology->packages; i++)
        any |= writes(p, i);
    if (!any || !p->machine->topology.is_this_machine)
        return BX_OK;
    bool journals = bx_machine_can(p->machine)->is_shared && !bx_machine_helper(p->machine);
    int code = journals ? check_journals(u, p, e) : BX_OK;
    if (code == BX_OK)
        code = check_use(p, e);
    if (code != BX_OK || !journals)
        return code;
    if (p->machine->journal)
        bx_buf_z(&u->journal, p->machine->journal);
    else
        code = bx_journal_name(&u->journal, e);
    if (code == BX_OK && u->journal.failed)
        code = bx_out_of_memory(e);
    return code == BX_OK ? write_journal(u, p, e) : code;
}

/* ---- the end ---- */

void bx_preflight_end(bx_session_undo *u, const bx_programme *p, bool restored)
{
    if (u->journaled && restored && unlink(u->journal.p) == 0)
        u->journaled = false;
    for (unsigned i = 0; u->locks && i < p->topology->packages; i++)
        bx_machine_release(p->machine, i, &u->locks[i]);
    free(u->locks);
    u->locks = NULL;
}
