/* boxscore restore: puts back the registers of a measurement that was killed. */
#include "cli/cli.h"

#include "access/lock.h"
#include "access/putback.h"
#include "machine/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct values {
    bx_machine_options host;
} values;

static const values presets = {
    .host = {.size = sizeof(bx_machine_options), .driver = BX_DRIVER_REGISTERS, .helper = ""}};

static const bx_option options[] = {
    BX_OPTION_ROOT(values, host.root),
};

typedef struct call {
    bx_cli *cli;
    const char *root, *path;
    bx_machine *machine;
    bx_journal journal;
    bx_putback *done;
    bx_lock *locks; /* of each operation's package */
} call;

/* ---- what must hold first ---- */

static int lives(const call *c, pid_t pid, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0, "process %d counts still and puts its registers back itself",
            (int)pid);
    bx_hint(e, "kill %d ends it; '%s' is gone then", (int)pid, c->path);
    return BX_NO_ACCESS;
}

/* Of this machine, this start of it and this CPU; its owner has ended. */
static int check(const call *c, bx_error *e)
{
    const bx_journal *j = &c->journal;
    char path[BX_MACHINE_PATH];
    bx_machine_path(c->root, path);
    if (strcmp(j->machine, path) != 0) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "journal '%s' is of the machine %s", c->path, j->machine);
        bx_hint(e, "--root %s", j->machine);
        return BX_BAD_INPUT;
    }
    if (bx_owner_lives(j->owner))
        return lives(c, j->owner.pid, e);
    const char *cpu = bx_catalog_cpu_name(c->cli->catalog, (size_t)bx_machine_cpu(c->machine));
    if (!cpu || strcmp(j->cpu, cpu) != 0)
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "journal '%s' is of another CPU: %s", c->path,
                       j->cpu);
    return BX_OK;
}

static int take_locks(call *c, bx_error *e)
{
    const bx_journal *j = &c->journal;
    uint64_t machine = bx_machine_number(c->root);
    for (size_t i = 0; i < j->n; i++) {
        bool taken = false;
        for (size_t k = 0; k < i && !taken; k++)
            taken = j->ops[k].package == j->ops[i].package;
        pid_t holder = 0;
        int why = taken ? 0 : bx_lock_take(&c->locks[i], machine, j->ops[i].package, &holder);
        if (why == EADDRINUSE && holder > 0)
            return lives(c, holder, e);
        if (why)
            return bx_fail(e, BX_NO_ACCESS, 0, 0, "somebody counts on package %d: %s",
                           j->ops[i].package, strerror(why));
    }
    return BX_OK;
}

/* ---- what is done ---- */

static void tell_changes(const call *c, size_t *changed, size_t *all)
{
    const bx_journal *j = &c->journal;
    *changed = *all = 0;
    for (size_t i = 0; i < j->n; i++) {
        const bx_journal_op *op = &j->ops[i];
        if (!c->done[i].last || c->done[i].why)
            continue;
        ++*all;
        if (c->done[i].known && c->done[i].before == op->value)
            continue;
        ++*changed;
        bx_buf_f(&c->cli->out, "%s (0x%" PRIx64 ", package %d): ", op->name, op->at.offset,
                 op->package);
        if (c->done[i].known)
            bx_buf_f(&c->cli->out, "0x%" PRIx64 " -> ", c->done[i].before);
        bx_buf_f(&c->cli->out, "0x%" PRIx64 "\n", op->value);
    }
}

static const char *reason(int why)
{
    return why == EIO       ? "the access faults"
           : why == ENXIO   ? "there is no such device, or no CPU of that package is online"
           : why == EBADMSG ? "it was written, but reads otherwise"
           : why == EPROTO
               ? "it is no monitoring register of this CPU, or reserved bits would change"
               : strerror(why);
}

/* Names them, and keeps the journal for them. */
static int keep_rest(call *c, size_t left, bx_error *e)
{
    bx_journal *j = &c->journal;
    size_t n = 0;
    for (size_t i = 0; i < j->n; i++)
        if (c->done[i].last && c->done[i].why)
            bx_cli_note("%s (0x%" PRIx64 ", package %d) is not put back: %s", j->ops[i].name,
                        j->ops[i].at.offset, j->ops[i].package, reason(c->done[i].why));
    for (size_t i = 0; i < j->n; i++) /* those on the way may be needed again */
        if (!c->done[i].last || c->done[i].why)
            j->ops[n++] = j->ops[i];
    j->n = n;
    int code = bx_journal_write(c->path, j, e);
    return code
               ? code
               : bx_fail(e, BX_FAULT, 0, 0, "%zu register%s not as before; '%s' keeps what is left",
                         left, left > 1 ? "s are" : " is", c->path);
}

static int carry_out(call *c, bx_error *e)
{
    const bx_cpus *cpus = c->machine->host.cpus;
    size_t changed, all;
    struct bx_bus *bus = bx_machine_bus(c->machine);
    if (!bus || !cpus)
        return bx_fail(e, BX_NO_ACCESS, 0, 0, "this machine's registers cannot be reached: %s",
                       c->machine->host.lacks);
    size_t left = bx_put_back(&c->journal, bus, c->root, cpus, c->done);
    tell_changes(c, &changed, &all);
    bx_buf_f(&c->cli->out, "%zu registers are as before process %d counted %s: %zu had changed\n",
             all, (int)c->journal.owner.pid, c->journal.counts, changed);
    if (left)
        return keep_rest(c, left, e);
    return unlink(c->path) == 0 || errno == ENOENT
               ? BX_OK
               : bx_fail(e, BX_SYSTEM, 0, 0, "'%s' cannot be removed: %s", c->path,
                         strerror(errno));
}

/* One journal that was read. */
static int restore(call *c, bx_error *e)
{
    int code = check(c, e);
    if (code)
        return code;
    char boot[BX_BOOT_ID];
    bx_boot_id(c->root, boot);
    if (strcmp(c->journal.boot, boot) != 0) {
        bx_buf_f(&c->cli->out, "nothing to put back: the machine was started anew since\n");
        unlink(c->path);
        return BX_OK;
    }
    size_t n = c->journal.n + 1;
    c->done = bx_arena_get(&c->cli->arena, n * sizeof *c->done);
    c->locks = bx_arena_get(&c->cli->arena, n * sizeof *c->locks);
    if (!c->done || !c->locks)
        return bx_fail(e, BX_NO_MEMORY, 0, 0, "out of memory");
    for (size_t i = 0; i < n; i++)
        c->locks[i].fd = -1;
    code = take_locks(c, e);
    if (!code)
        code = carry_out(c, e);
    for (size_t i = 0; i < n; i++)
        bx_lock_drop(&c->locks[i]);
    return code;
}

/* Whether a journal of the folder is of this machine; those that cannot be read are told of. */
static bool is_ours(call *c)
{
    char path[BX_MACHINE_PATH];
    bx_error e = {0};
    bx_machine_path(c->root, path);
    if (bx_journal_read(c->path, &c->cli->arena, &c->journal, &e) == BX_OK)
        return strcmp(c->journal.machine, path) == 0;
    bx_cli_note("%s", e.message);
    return false;
}

static int restore_all(call *c, bx_error *e)
{
    int code = BX_OK;
    size_t n = 0;
    for (const char *const *path = bx_journal_list(&c->cli->arena); *path && !code; path++) {
        c->path = *path;
        if (!is_ours(c))
            continue;
        n++;
        code = restore(c, e);
    }
    if (n == 0)
        bx_buf_f(&c->cli->out, "nothing to put back\n");
    return code;
}

static int run(bx_cli *cli, const void *given, const bx_texts *operands)
{
    const values *v = given;
    bx_error e = {0};
    call c = {.cli = cli,
              .root = v->host.root ? v->host.root : "",
              .path = operands->n ? operands->text[0] : NULL};
    int code = BX_OK;
    if (c.path)
        code = bx_journal_read(c.path, &cli->arena, &c.journal, &e);
    if (!code)
        code = bx_machine_open_with(cli->catalog, "host", &v->host, &c.machine, &e);
    if (!code)
        code = c.path ? restore(&c, &e) : restore_all(&c, &e);
    bx_machine_close(c.machine);
    bool said = bx_cli_flush(cli);
    return code ? bx_cli_error(&e, NULL) : said ? BX_EXIT_OK : BX_EXIT_ERROR;
}

const bx_command bx_command_restore = {
    .name = "restore",
    .help = "put back the registers of a measurement that was killed",
    .operands = "[FILE]",
    .text = "Before a host's registers are written, a journal notes what they held; it goes\n"
            "when they are put back. Without FILE all journals that were left of this machine\n"
            "are carried out. What cannot be put back is named, and stays in the journal.",
    .options = options,
    .options_n = sizeof options / sizeof options[0],
    .operands_most = 1,
    .presets = &presets,
    .values_size = sizeof(values),
    .run = run,
};
