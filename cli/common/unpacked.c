/* Unpacks an archive, and notes the folder for signals. */
#include "cli/common/unpacked.h"

#include "cli/common/signals.h"
#include "host/gather/archive.h"

#include <stdlib.h>

/* Signals are blocked until the folder is complete and noted. */
int bx_unpacked_make(bx_unpacker *unpack, const char *path, char **root, bx_error *e)
{
    sigset_t before;
    bx_signals_block(&before);
    int code = unpack(path, root, e);
    if (!code)
        bx_signals_unfinished(*root);
    bx_signals_unblock(&before);
    return code;
}

void bx_unpacked_drop(char *root)
{
    if (!root)
        return;
    bx_archive_remove(root);
    bx_signals_finished(root);
    free(root);
}
