/* Prints which registers count an event, and the values to write to them.
 *
 *     cc encode.c $(pkg-config --cflags --libs boxscore) -o encode
 *     ./encode skl UNC_CBO_CACHE_LOOKUP:ANY_I
 */
#include <boxscore/boxscore.h>

#include <inttypes.h>
#include <stdio.h>

/* Prints what is wrong with an event string, and what to try. */
static int fail(const bx_error *e)
{
    fprintf(stderr, "%s\n", e->message);
    if (*e->hint)
        fprintf(stderr, "hint: %s\n", e->hint);
    return 1;
}

int main(int argc, char **argv)
{
    const bx_catalog *catalog = bx_catalog_builtin();
    bx_encoding *x;
    bx_error e = {0};
    size_t i;

    if (argc != 3) {
        fprintf(stderr, "usage: encode CPU EVENT\n");
        return 2;
    }
    if (bx_encode(catalog, argv[1], argv[2], &x, &e) != BX_OK)
        return fail(&e);
    printf("%s\n", bx_encoding_event(x));
    for (i = 0; i < bx_encoding_registers(x); i++)
        printf("write %s %#" PRIx64 " = %#" PRIx64 "  %s\n", bx_encoding_space(x, i),
               bx_encoding_address(x, i), bx_encoding_value(x, i), bx_encoding_register(x, i));
    printf("read  %s %#" PRIx64 "  %s\n", bx_encoding_count_space(x), bx_encoding_count_address(x),
           bx_encoding_count(x));
    bx_encoding_free(x);
    return 0;
}
