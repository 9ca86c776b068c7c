#include "helper/journal.h"

#include "base/error.h"

#include <string.h>
#include <unistd.h>

void bx_helper_journal_hint(const bx_helper_journal *n, const char *machine, bx_error *e)
{
    if (strcmp(machine, "/") == 0)
        bx_hint(e, "boxscore restore '%s'", n->path);
    else
        bx_hint(e, "boxscore restore --root '%s' '%s'", machine, n->path);
}

static int left_over(const bx_helper_journal *n, const bx_journal *j, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0,
            "a helper has ended here without putting registers back: process %d, %.100s",
            (int)j->owner.pid, j->counts);
    bx_helper_journal_hint(n, j->machine, e);
    return BX_NO_ACCESS;
}

/* Of an earlier start of the machine: those registers are reset. */
static int check(const bx_helper_journal *n, bx_error *e)
{
    bx_arena arena = {0};
    bx_journal j = {0};
    bx_error err = {0};
    int rc = bx_journal_read(n->path, &arena, &j, &err);
    bool here = rc == BX_OK && strcmp(j.machine, n->machine) == 0;
    if (rc == BX_NOT_FOUND) {
        rc = BX_OK;
    } else if (here && strcmp(j.boot, n->boot) != 0) {
        const bx_journal none = {0};
        bx_journal_file_put(&n->file, &none);
    } else if (rc == BX_OK) {
        rc = left_over(n, &j, e);
    } else {
        bx_fail(e, rc, 0, 0, "%s", err.message);
        bx_hint(e, "see what 'boxscore regs' shows, then remove it");
    }
    bx_arena_free(&arena);
    return rc;
}

int bx_helper_journal_open(bx_helper_journal *n, const char *path, const char *root,
                           const char *cpu, bx_error *e)
{
    *n = (bx_helper_journal){.path = path, .cpu = cpu, .owner = bx_owner_self()};
    bx_machine_path(root, n->machine);
    bx_boot_id(root, n->boot);
    int rc = bx_journal_file_open(path, &n->file, e);
    if (rc != BX_OK && e && !e->hint[0])
        bx_hint(e, "--journal FILE names another place; without a journal nothing is programmed");
    if (rc == BX_OK)
        rc = check(n, e);
    if (rc != BX_OK && n->file.fd >= 0)
        close(n->file.fd);
    return rc;
}
