/* Fuzz entry for the catalogue parser. Input: files one after the other, each begun by a line
 * "%file NAME". A build for libFuzzer:
 *
 *   clang -g -fsanitize=fuzzer,address,undefined -Iinclude -Isrc tests/catalog/fuzz_parse.c \
 *       $(ls src/catalog/[a-z]*.c | grep -v builtin) src/base/[a-z]*.c */
#include "fuzz_parse.h"

#include "catalog/compile/compile.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 32 };

static size_t split(bx_str text, bx_cat_file *files)
{
    static const char mark[] = "%file ";
    size_t n = 0;
    while (text.p && n < FILES) {
        bx_str before = text, line = bx_str_cut(&text, '\n');
        if (bx_str_starts_fold(line, bx_str_of(mark))) {
            const char *start = text.p ? text.p : line.p + line.n;
            files[n++] = (bx_cat_file){bx_str_sub(line, sizeof mark - 1, line.n), {start, 0}};
        } else if (n) {
            files[n - 1].text.n += before.n - text.n;
        }
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bx_cat_file files[FILES];
    size_t n = split((bx_str){(const char *)data, size}, files);
    bx_error e = {0};
    struct bx_catalog *c = bx_catalog_parse(files, n, &e);
    if (!c == (e.code == BX_OK)) /* an error has a message, a catalogue none */
        abort();
    if (c && (c->size % 8 || c->magic != BX_CAT_MAGIC))
        abort();
    free(c);
    return c != NULL;
}
