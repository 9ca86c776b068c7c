/* Checks before a measurement writes the first register. No other session may count there. On real
 * hardware no other software may either; if one does, the message names it. This file also writes a
 * journal that can undo the measurement, and removes it when all registers are restored. */
#include "session/session.h"

#include "host/discover/in_use.h"
#include "guard/journal_undo.h"
#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *root_of(const struct bx_session *s)
{
    return bx_machine_root(s->machine);
}

static bool writes(const struct bx_session *s, unsigned package)
{
    for (size_t i = 0; i < s->programme.plan.n; i++)
        if (s->programme.plan.ops[i].write && s->programme.plan.ops[i].package == package &&
            !bx_banks_own(s, &s->programme.plan.ops[i]))
            return true;
    return false;
}

int bx_preflight_lock(struct bx_session *s, bx_error *e)
{
    unsigned packages = s->topology->packages;
    s->undo.locks = calloc(packages + 1, sizeof *s->undo.locks);
    if (!s->undo.locks)
        return bx_out_of_memory(e);
    for (unsigned i = 0; i < packages; i++)
        s->undo.locks[i] = (bx_lock){.fd = -1, .package = -1};
    int code = BX_OK;
    for (unsigned i = 0; i < packages && code == BX_OK; i++) {
        if (writes(s, i))
            code = bx_machine_claim(s->machine, i, &s->undo.locks[i], e);
        s->undo.private_lock |= s->undo.locks[i].is_private;
    }
    return code;
}

const char *bx_session_remark(const bx_session *s)
{
    if (!s)
        return NULL;
    return s->undo.private_lock ? BX_LOCK_PRIVATE : NULL;
}

/* ---- other software ---- */

static int check_use(struct bx_session *s, bx_error *e)
{
    bx_inuse first;
    size_t n = bx_inuse_find(s->topology, s->bus, &s->programme.plan, &first, 1);
    if (n == 0 || s->machine->force || bx_machine_can(s->machine)->is_recorded)
        return BX_OK;
    char event[160], more[64] = "";
    bx_inuse_event(s->topology, s->bus, &first, event, sizeof event);
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
static int check_living(const struct bx_session *s, const bx_journal *j, bx_error *e)
{
    for (size_t i = 0; i < j->n; i++) {
        for (unsigned p = 0; p < s->topology->packages; p++) {
            if (s->undo.locks[p].fd < 0 || s->undo.locks[p].package != j->ops[i].package)
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

static int check_journal(const struct bx_session *s, const char *path, bx_arena *arena, bx_error *e)
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
    char own[BX_MACHINE_PATH];
    bx_machine_path(root_of(s), own);
    if (code != BX_OK || strcmp(j.machine, own) != 0)
        return BX_OK;
    if (bx_owner_lives(j.owner))
        return check_living(s, &j, e);
    if (bx_journal_is_current(&j, root_of(s)))
        return left_over(path, &j, e);
    unlink(path); /* the journal is from an earlier boot, which has reset its registers */
    return BX_OK;
}

/* Checks the journal that the lock of a package names, wherever it is. It is only read, to find out
 * whether it is a journal with registers of this package. */
static int check_of_lock(const struct bx_session *s, const bx_lock *l, bx_arena *arena, bx_error *e)
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
        if (j.ops[i].package == l->package && bx_journal_is_current(&j, root_of(s)))
            return bx_owner_lives(j.owner) ? check_living(s, &j, e) : left_over(path, &j, e);
    return BX_OK;
}

/* Checks the path that the user chose for the journal: a journal there is treated like the others.
 */
static int check_named(const struct bx_session *s, const char *path, bx_arena *arena, bx_error *e)
{
    bx_journal j;
    int code = bx_journal_read(path, arena, &j, NULL);
    code = code == BX_NO_MEMORY ? bx_out_of_memory(e)
           : code == BX_OK      ? check_journal(s, path, arena, e)
                                : BX_OK;
    return code == BX_OK ? bx_journal_make_room(path, e) : code;
}

static int check_journals(const struct bx_session *s, bx_error *e)
{
    bx_arena arena = {0};
    int code = bx_journal_check_folder(e);
    if (s->machine->journal && code == BX_OK)
        code = check_named(s, s->machine->journal, &arena, e);
    for (const char *const *path = bx_journal_list(&arena); *path && code == BX_OK; path++)
        code = check_journal(s, *path, &arena, e);
    for (unsigned i = 0; i < s->topology->packages && code == BX_OK; i++)
        code = check_of_lock(s, &s->undo.locks[i], &arena, e);
    if (code == BX_OK && arena.failed)
        code = bx_out_of_memory(e);
    bx_arena_free(&arena);
    return code;
}

/* ---- our own journal ---- */

static const char *events_text(const struct bx_session *s, bx_arena *a)
{
    bx_buf text = {0};
    uint16_t last = BX_NONE;
    for (size_t i = 0; i < s->programme.schedule.n; i++) {
        char event[200];
        if (s->programme.schedule.assignments[i].event == last)
            continue;
        last = s->programme.schedule.assignments[i].event;
        bx_event_format(s->topology->catalog, &s->programme.events[last], event, sizeof event);
        bx_buf_f(&text, "%s%s", text.n ? "," : "", event);
    }
    const char *copy = bx_arena_copy(a, (bx_str){text.p, text.n});
    bx_buf_free(&text);
    return copy;
}

static size_t most_ops(const struct bx_session *s)
{
    size_t most = 1;
    for (unsigned i = 0; i < s->topology->packages; i++)
        most += bx_undo_ops_room(s->undo.logs[i].n);
    return most;
}

/* Writes the journal's path into the files of our locks, before a register is written. */
static int name_in_locks(const struct bx_session *s, bx_error *e)
{
    char path[PATH_MAX];
    int err = realpath(s->undo.journal.p, path) ? 0 : errno;
    for (unsigned i = 0; i < s->topology->packages && err == 0; i++)
        if (s->undo.locks[i].fd >= 0)
            err = bx_lock_name_journal(&s->undo.locks[i], path);
    return err ? bx_fail(e, bx_code_of(err), 0, 0,
                         "the journal '%s' cannot be named in the locks' files: %s",
                         s->undo.journal.p, strerror(err))
               : BX_OK;
}

static int write_journal(struct bx_session *s, bx_error *e)
{
    bx_arena arena = {0};
    char path[BX_MACHINE_PATH], boot[BX_BOOT_ID];
    bx_machine_path(root_of(s), path);
    bx_boot_id(root_of(s), boot);
    bx_journal j = {
        .machine = path,
        .boot = boot,
        .cpu = bx_catalog_cpu_name(s->topology->catalog, s->topology->cpu),
        .owner = bx_owner_self(),
        .counts = events_text(s, &arena),
        .ops = bx_arena_get(&arena, most_ops(s) * sizeof *j.ops),
    };
    for (unsigned i = 0; j.ops && i < s->topology->packages; i++) {
        size_t n = bx_undo_ops(&s->undo.policy, &s->undo.logs[i], s->undo.ops);
        bx_undo_to_journal(&s->undo.policy, s->undo.ops, n, bx_machine_cpus(s->machine)->logical,
                           s->undo.locks[i].package, &arena, &j);
    }
    int code = arena.failed ? bx_out_of_memory(e) : BX_OK;
    if (code == BX_OK && j.n > 0)
        code = bx_journal_write(s->undo.journal.p, &j, e);
    s->undo.journaled = code == BX_OK && j.n > 0;
    bx_arena_free(&arena);
    return s->undo.journaled ? name_in_locks(s, e) : code;
}

int bx_preflight_check(struct bx_session *s, bx_error *e)
{
    bool any = false;
    for (unsigned i = 0; i < s->topology->packages; i++)
        any |= writes(s, i);
    if (!any || !s->machine->topology.is_this_machine)
        return BX_OK;
    bool journals = bx_machine_can(s->machine)->is_shared && !bx_machine_helper(s->machine);
    int code = journals ? check_journals(s, e) : BX_OK;
    if (code == BX_OK)
        code = check_use(s, e);
    if (code != BX_OK || !journals)
        return code;
    if (s->machine->journal)
        bx_buf_z(&s->undo.journal, s->machine->journal);
    else
        code = bx_journal_name(&s->undo.journal, e);
    if (code == BX_OK && s->undo.journal.failed)
        code = bx_out_of_memory(e);
    return code == BX_OK ? write_journal(s, e) : code;
}

/* ---- the end ---- */

const char *bx_session_journal(const bx_session *s)
{
    if (!s)
        return NULL;
    return s->undo.journaled ? s->undo.journal.p : NULL;
}

void bx_preflight_end(struct bx_session *s, bool restored)
{
    if (s->undo.journaled && restored && unlink(s->undo.journal.p) == 0)
        s->undo.journaled = false;
    for (unsigned i = 0; s->undo.locks && i < s->topology->packages; i++)
        bx_machine_release(s->machine, i, &s->undo.locks[i]);
    free(s->undo.locks);
    s->undo.locks = NULL;
}
