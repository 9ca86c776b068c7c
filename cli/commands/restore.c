/* boxscore restore: restores the registers of a measurement that was killed. */
#include "cli/commands/commands.h"

#include "guard/lock.h"
#include "guard/journal_undo.h"
#include "machine/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct values {
    bx_machine_options host;
    bool dry;
} values;

static const values defaults = {
    .host = {.size = sizeof(bx_machine_options), .driver = BX_DRIVER_REGISTERS, .helper = ""}};

static const bx_option options[] = {
    {.name = "dry-run",
     .letter = 'n',
     .kind = BX_OPTION_FLAG,
     .help = "show which registers would be put back, and write nothing",
     .offset = offsetof(values, dry)},
    BX_OPTION_ROOT(values, host.root),
};

typedef struct call {
    bx_cli *cli;
    const bx_machine_options *host;
    bool dry, named; /* named: the journal is an argument; false: it is one of the folder's */
    const char *root, *path;
    bx_machine *machine; /* opened when there is something to restore */
    bx_journal journal;
    bx_putback *done;
    bx_lock *locks; /* by operation: the lock of its package */
    bool remarked;  /* the user was told that these locks are private */
} call;

/* ---- conditions ---- */

static int still_runs(const call *c, pid_t pid, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0, "process %d counts still and puts its registers back itself",
            (int)pid);
    bx_hint(e, "kill %d ends it; '%s' has nothing to put back then", (int)pid, c->path);
    return BX_NO_ACCESS;
}

static int open_machine(call *c, bx_error *e)
{
    if (!c->machine) {
        int code = bx_machine_open_with(c->cli->catalog, "host", c->host, &c->machine, e);
        if (code)
            return code;
    }
    if (!bx_machine_bus(c->machine))
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "this machine's registers cannot be reached: %s",
                       bx_machine_no_access(c->machine));
    const char *cpu = bx_catalog_cpu_name(c->cli->catalog, (size_t)bx_machine_cpu(c->machine));
    if (!cpu || strcmp(c->journal.cpu, cpu) != 0)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "journal '%s' is of another CPU: %s", c->path,
                       c->journal.cpu);
    return BX_OK;
}

static int take_lock(bx_lock *l, uint64_t machine, int package, bx_error *e)
{
    bx_owner holder = {0};
    int code = bx_lock_open(l, machine, package, e), err = code ? 0 : bx_lock_take(l, &holder);
    if (err == EADDRINUSE) {
        char who[40] = "another process";
        if (holder.is_helper)
            snprintf(who, sizeof who, "a client of boxscore-helper");
        else if (holder.pid)
            snprintf(who, sizeof who, "process %d", (int)holder.pid);
        bx_fail(e, BX_NO_ACCESS, 0, 0, "%s uses package %d", who, package);
        bx_hint(e, "try again when it has ended");
        return BX_NO_ACCESS;
    }
    return err ? bx_fail(e, BX_NO_ACCESS, 0, 0, "package %d cannot be locked: %s", package,
                         strerror(err))
               : code;
}

static int take_locks(call *c, bx_error *e)
{
    const bx_journal *j = &c->journal;
    uint64_t machine = bx_machine_number(c->root);
    for (size_t i = 0; i < j->n; i++) {
        bool taken = false;
        for (size_t k = 0; k < i && !taken; k++)
            taken = j->ops[k].package == j->ops[i].package;
        int code = taken ? BX_OK : take_lock(&c->locks[i], machine, j->ops[i].package, e);
        if (code != BX_OK)
            return code;
        if (c->locks[i].is_private && !c->remarked)
            bx_cli_note("%s", BX_LOCK_PRIVATE);
        c->remarked |= c->locks[i].is_private;
    }
    return BX_OK;
}

/* The kernel's package of the operation's CPU, or the operation's own if the CPU is offline. */
static int package_of(const call *c, const bx_journal_op *op)
{
    const bx_cpus *cpus = bx_machine_cpus(c->machine);
    for (unsigned i = 0; i < bx_cpus_all(cpus) && op->at.cpu != BX_NO_CPU; i++)
        if (cpus->logical[i] == op->at.cpu)
            return bx_package_of(c->root, op->at.cpu);
    return op->package;
}

/* A lock covers a package, but an access goes to a CPU. If the CPU is of another package than the
 * journal says, another process may count where we would write. */
static int check_packages(const call *c, bx_error *e)
{
    for (size_t i = 0; i < c->journal.n; i++) {
        const bx_journal_op *op = &c->journal.ops[i];
        int package = package_of(c, op);
        if (package == op->package)
            continue;
        bx_fail(e, BX_BAD_INPUT, 0, 0,
                "journal '%s': %s is of package %d there, but its CPU %u is of package %d; nothing "
                "is written",
                c->path, op->name, op->package, (unsigned)op->at.cpu, package);
        bx_hint(e, "check the registers with 'boxscore regs', then remove it");
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

/* Reads the journal again: before we took the locks, its owner could change it, or another process
 * could restore it. */
static int check_unchanged(const call *c, bx_error *e)
{
    bx_journal again;
    bx_buf now = {0}, then = {0};
    int code = bx_journal_read(c->path, &c->cli->arena, &again, e);
    if (!code) {
        bx_journal_format(&again, &now);
        bx_journal_format(&c->journal, &then);
        if (now.failed || then.failed)
            code = bx_out_of_memory(e);
        else if (now.n != then.n || memcmp(now.p, then.p, now.n) != 0)
            code = bx_fail(e, BX_NO_ACCESS, 0, 0, "journal '%s' is just being changed: try again",
                           c->path);
    }
    bx_buf_free(&now);
    bx_buf_free(&then);
    return code;
}

/* ---- restoring ---- */

/* Whether the operation restores a register that can be read back. A temporary write does not, nor
 * does a write that clears a status. */
static bool is_restore(const call *c, size_t i)
{
    return c->done[i].last && c->journal.ops[i].check;
}

/* The value that a register has after the operation. */
static uint64_t wanted(const call *c, size_t i)
{
    const bx_journal_op *op = &c->journal.ops[i];
    return op->verb == BX_JOURNAL_CLEAR ? c->done[i].before & ~op->check : op->value;
}

static void show_changes(const call *c, size_t *changed, size_t *all)
{
    const bx_journal *j = &c->journal;
    *changed = *all = 0;
    for (size_t i = 0; i < j->n; i++) {
        const bx_journal_op *op = &j->ops[i];
        if (!is_restore(c, i) || c->done[i].err)
            continue;
        ++*all;
        if (c->done[i].known && !((c->done[i].before ^ wanted(c, i)) & op->check))
            continue;
        ++*changed;
        bx_buf_f(&c->cli->out, "%s (0x%" PRIx64 ", package %d): ", op->name, op->at.offset,
                 op->package);
        if (c->done[i].known)
            bx_buf_f(&c->cli->out, "0x%" PRIx64 " -> ", c->done[i].before);
        bx_buf_f(&c->cli->out, "0x%" PRIx64 "\n", wanted(c, i));
    }
}

static const char *reason(int err)
{
    return err == EIO       ? "the access faults"
           : err == ENXIO   ? "there is no such device, or no CPU of that package is online"
           : err == EBADMSG ? "it was written, but reads otherwise"
           : err == EPROTO
               ? "it is not a monitoring register of this CPU, or reserved bits would change"
               : strerror(err);
}

static size_t report_failed(const call *c, const char *how)
{
    const bx_journal *j = &c->journal;
    size_t left = 0;
    for (size_t i = 0; i < j->n; i++) {
        if (!c->done[i].last || !c->done[i].err)
            continue;
        left++;
        bx_cli_note("%s (0x%" PRIx64 ", package %d) %s: %s", j->ops[i].name, j->ops[i].at.offset,
                    j->ops[i].package, how, reason(c->done[i].err));
    }
    return left;
}

/* Keeps the whole journal, because the next try also needs the registers that were put back. It may
 * have to stop one of them to put back another one, and a saved reset bit clears counts. */
static int keep_journal(const call *c, bx_error *e)
{
    size_t left = report_failed(c, "is not put back");
    return bx_fail(e, BX_FAULT, 0, 0, "%zu register%s not as before; '%s' is kept for another try",
                   left, left > 1 ? "s are" : " is", c->path);
}

/* Removes the journal. If its path is a link, the link stays. */
static int drop(const call *c, bx_error *e)
{
    char whole[PATH_MAX];
    if (c->dry || !realpath(c->path, whole) || unlink(whole) == 0 || errno == ENOENT)
        return BX_OK;
    return bx_fail(e, BX_SYSTEM, 0, 0, "'%s' cannot be removed: %s", c->path, strerror(errno));
}

static int look_only(const call *c, bx_error *e)
{
    size_t changed, all;
    if (!bx_put_back_preview(&c->journal, bx_machine_bus(c->machine), c->root,
                             bx_machine_cpus(c->machine), c->done))
        return bx_out_of_memory(e);
    show_changes(c, &changed, &all);
    bx_buf_f(&c->cli->out, "%zu of %zu registers would change; nothing is written\n", changed, all);
    size_t left = report_failed(c, "cannot be read");
    return left ? bx_fail(e, BX_FAULT, 0, 0, "%zu register%s out of reach", left,
                          left > 1 ? "s are" : " is")
                : BX_OK;
}

static int carry_out(call *c, bx_error *e)
{
    size_t changed, all, left;
    if (!bx_put_back(&c->journal, bx_machine_bus(c->machine), c->root, bx_machine_cpus(c->machine),
                     c->done, &left))
        return bx_out_of_memory(e);
    show_changes(c, &changed, &all);
    bx_buf_f(&c->cli->out, "%zu registers are as before process %d counted %s: %zu had changed\n",
             all, (int)c->journal.owner.pid, c->journal.counts, changed);
    return left ? keep_journal(c, e) : drop(c, e);
}

/* Checks that the journal is of this machine and this boot and that its owner has ended; then
 * restores. */
static int restore(call *c, bx_error *e)
{
    size_t n = c->journal.n + 1;
    int code = open_machine(c, e);
    if (code)
        return code;
    c->done = bx_arena_get(&c->cli->arena, n * sizeof *c->done);
    c->locks = bx_arena_get(&c->cli->arena, n * sizeof *c->locks);
    if (!c->done || !c->locks)
        return bx_out_of_memory(e);
    for (size_t i = 0; i < n; i++)
        c->locks[i] = (bx_lock){.fd = -1};
    code = check_packages(c, e);
    if (!code)
        code = take_locks(c, e);
    if (!code)
        code = check_unchanged(c, e);
    if (!code)
        code = c->dry ? look_only(c, e) : carry_out(c, e);
    for (size_t i = 0; i < n; i++)
        bx_lock_drop(&c->locks[i]);
    return code;
}

/* ---- which journals ---- */

/* Reports a journal of another machine, or of a measurement that still runs. It is an error only if
 * the user named the journal. */
static int pass(const call *c, bx_error *e, bx_error *err)
{
    if (c->named) {
        *e = *err;
        return err->code;
    }
    bx_cli_note("%s", err->message);
    return BX_OK;
}

/* Restores one journal. *any: there was something to put back. */
static int take_journals(call *c, bool *any, bx_error *e)
{
    const bx_journal *j = &c->journal;
    char machine[BX_MACHINE_PATH];
    bx_error err = {0};
    bx_machine_path(c->root, machine);
    int code = bx_journal_read(c->path, &c->cli->arena, &c->journal, e);
    if (code == BX_NOT_FOUND && access(c->path, F_OK) == 0) { /* the file is empty */
        *e = (bx_error){0};
        return BX_OK;
    }
    if (code)
        return code;
    if (strcmp(j->machine, machine) != 0) {
        bx_fail(&err, BX_BAD_INPUT, 0, 0, "journal '%s' is of the machine %s", c->path, j->machine);
        bx_hint(&err, "--root '%s'", j->machine);
        return pass(c, e, &err);
    }
    if (bx_journal_is_gone(c->path, j, c->root)) {
        *any = true;
        bx_buf_f(&c->cli->out, "nothing to put back: the machine was started anew since\n");
        return drop(c, e);
    }
    if (!bx_journal_is_current(j, c->root)) {
        bx_fail(&err, BX_BAD_INPUT, 0, 0, "journal '%s' is of another machine on /: %s", c->path,
                "of the host, or of a stage that is not this one");
        bx_hint(&err, "restore it there");
        return pass(c, e, &err);
    }
    if (bx_owner_lives(j->owner)) {
        still_runs(c, j->owner.pid, &err);
        return pass(c, e, &err);
    }
    *any = true;
    return restore(c, e);
}

static time_t age_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? about.st_mtime : 0;
}

/* Compares journals: the latest change is put back first. */
static int newest_first(const void *a, const void *b)
{
    time_t x = age_of(*(const char *const *)a), y = age_of(*(const char *const *)b);
    return x > y ? -1 : x < y;
}

static const char **find_all(bx_arena *arena)
{
    const char *const *list = bx_journal_list(arena);
    size_t n = 0;
    while (list[n])
        n++;
    const char **sorted = bx_arena_get(arena, (n + 1) * sizeof *sorted);
    if (sorted && n) {
        memcpy(sorted, list, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, newest_first);
    }
    return sorted;
}

static int run_restore(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    call c = {.cli = cli,
              .host = &v->host,
              .dry = v->dry,
              .named = operands->n,
              .root = v->host.root ? v->host.root : ""};
    const char *one[] = {operands->n ? operands->text[0] : NULL, NULL};
    bx_error untrusted = {0};
    if (!operands->n && bx_journal_check_folder(&untrusted))
        return bx_cli_error(&untrusted, NULL);
    const char **list = operands->n ? one : find_all(&cli->arena);
    bool any = false;
    int status = BX_EXIT_OK;
    if (!list)
        return bx_cli_fail("out of memory");
    for (; *list; list++) {
        bx_error e = {0};
        c.path = *list;
        if (take_journals(&c, &any, &e) != BX_OK) {
            bx_cli_flush(cli);
            status = bx_cli_error(&e, NULL);
        }
    }
    if (!any && status == BX_EXIT_OK)
        bx_buf_f(&cli->out, "nothing to put back\n");
    bx_machine_close(c.machine);
    return bx_cli_flush(cli) ? status : BX_EXIT_ERROR;
}

static const bx_example examples[] = {
    {"boxscore restore --dry-run", "the registers that killed measurements have not put back"},
    {.line = NULL},
};

const bx_command bx_command_restore = {
    .name = "restore",
    .help = "put back the registers of a measurement that was killed",
    .operands = "[FILE]",
    .text = "Before boxscore writes a host's registers, it saves their contents in a journal. The\n"
            "journal is removed when the registers are put back. Without FILE, 'restore' executes\n"
            "all journals of this machine that are left. It lists registers that cannot be put\n"
            "back, and then keeps the journal.",
    .examples = examples,
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = 1,
    .defaults = &defaults,
    .values_size = sizeof(values),
    .run = run_restore,
};
