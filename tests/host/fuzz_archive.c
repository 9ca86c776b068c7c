/* Gathered machines: a file is unpacked to a folder, or refused with no folder left. Gathering the
 * folder gives the same file again. The folder opens as a host, or an error is returned. */
#include "fuzz/fuzz.h"
#include "host/gather/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *unpacked(const void *bytes, size_t n)
{
    bx_error e = {0};
    char *root = NULL;
    const char *path = fuzz_file(bytes, n);
    bx_archive_is(path);
    int code = bx_archive_unpack(path, &root, &e);
    fuzz_check_error(&e, code, 0);
    FUZZ_MUST(!code == (root != NULL));
    return root;
}

static void drop(char *root)
{
    bx_archive_remove(root);
    FUZZ_MUST(access(root, F_OK) != 0);
    free(root);
}

/* Removes comments, which say what could not be read on the machine, and why. */
static bx_buf gathered(const char *root)
{
    bx_buf text = {0}, kept = {0};
    FUZZ_MUST(bx_archive_gather(bx_catalog_builtin(), root, "", &text, NULL) == BX_OK);
    for (bx_str rest = {text.p, text.n}; rest.p && rest.n;) {
        bx_str line = bx_str_cut(&rest, '\n');
        if (line.n && line.p[0] == '#' && kept.n)
            continue;
        bx_buf_str(&kept, line);
        bx_buf_z(&kept, "\n");
    }
    bx_buf_free(&text);
    FUZZ_MUST(kept.p && !kept.failed);
    return kept;
}

static void open_host(const char *root)
{
    const bx_machine_options o = {
        .size = sizeof o, .root = root, .driver = BX_DRIVER_REGISTERS, .helper = ""};
    bx_machine *m = NULL;
    bx_error e = {0};
    int code = bx_machine_open_with(bx_catalog_builtin(), "host", &o, &m, &e);
    fuzz_check_error(&e, code, sizeof "host");
    FUZZ_MUST(!m || (bx_machine_packages(m) && bx_machine_cores(m)));
    bx_machine_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *root = unpacked(data, size);
    if (!root)
        return 0;
    open_host(root);
    bx_buf first = gathered(root);
    drop(root);
    root = unpacked(first.p, first.n);
    FUZZ_MUST(root);
    bx_buf second = gathered(root);
    drop(root);
    FUZZ_MUST(strcmp(first.p, second.p) == 0);
    bx_buf_free(&first);
    bx_buf_free(&second);
    return 0;
}
