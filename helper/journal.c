/* Opens the helper's journal, and checks what an earlier helper left in it. */
#include "helper/journal.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bx_helper_journal_hint(const bx_helper_journal *h, const char *machine, bx_error *e)
{
    if (strcmp(machine, "/") == 0)
        bx_hint(e, "boxscore restore '%s'", h->path);
    else
        bx_hint(e, "boxscore restore --root '%s' '%s'", machine, h->path);
}

static int left_over(const bx_helper_journal *h, const bx_journal *j, bx_error *e)
{
    bx_fail(e, BX_NO_ACCESS, 0, 0,
            "a helper has ended here without putting registers back: process %d, %.100s",
            (int)j->owner.pid, j->counts);
    bx_helper_journal_hint(h, j->machine, e);
    return BX_NO_ACCESS;
}

/* A journal of an earlier boot is ignored, because the boot has reset its registers. Any other
 * journal is an error. */
static int check_journal(const bx_helper_journal *h, bx_error *e)
{
    bx_arena arena = {0};
    bx_journal j = {0};
    bx_error err = {0};
    int code = bx_journal_read(h->path, &arena, &j, &err);
    bool here = code == BX_OK && strcmp(j.machine, h->machine) == 0;
    if (code == BX_NOT_FOUND) {
        code = BX_OK;
    } else if (here && strcmp(j.boot, h->boot) != 0) {
        const bx_journal none = {0};
        bx_journal_file_put(&h->file, &none);
    } else if (code == BX_OK) {
        code = left_over(h, &j, e);
    } else {
        bx_fail(e, code, 0, 0, "%s", err.message);
        bx_hint(e, "check the registers with 'boxscore regs', then remove it");
    }
    bx_arena_free(&arena);
    return code;
}

int bx_helper_journal_open(bx_helper_journal *h, const char *path, const char *root,
                           const char *cpu, bx_error *e)
{
    *h = (bx_helper_journal){.path = path, .cpu = cpu, .owner = bx_owner_self()};
    bx_machine_path(root, h->machine);
    bx_boot_id(root, h->boot);
    int code = bx_journal_file_open(path, &h->file, e);
    if (code != BX_OK && e && !e->hint[0])
        bx_hint(e, "--journal FILE names another place; without a journal nothing is programmed");
    if (code == BX_OK && !realpath(path, h->whole))
        code = bx_fail(e, BX_SYSTEM, 0, 0, "journal '%s': %s", path, strerror(errno));
    if (code == BX_OK)
        code = check_journal(h, e);
    if (code != BX_OK && h->file.fd >= 0)
        close(h->file.fd);
    return code;
}
