/* Writes metrics to a file. */
#include "serve/textfile.h"

#include "base/error.h"
#include "serve/exposition.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int bx_textfile_write(bx_measuring *m, const char *path, bx_error *e)
{
    bx_buf text = {0}, other = {0};
    bx_measuring_write(m, bx_exposition_prometheus, &text);
    bx_buf_f(&other, "%s.%ld", path, (long)getpid()); /* collectors read names that end in .prom */
    if (text.failed || other.failed) {
        bx_buf_free(&text);
        bx_buf_free(&other);
        return bx_out_of_memory(e);
    }
    FILE *file = fopen(other.p, "w");
    bool written = file && fwrite(text.p, 1, text.n, file) == text.n;
    if (file && fclose(file) != 0)
        written = false;
    int code = written && rename(other.p, path) == 0 ? BX_OK : BX_SYSTEM;
    if (code) {
        bx_fail(e, code, 0, 0, "'%.200s' cannot be written: %s", path, strerror(errno));
        unlink(other.p);
    }
    bx_buf_free(&text);
    bx_buf_free(&other);
    return code;
}
