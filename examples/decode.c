/* Prints the events that a log of registers selects. Each line of standard input is an address of
 * an MSR and its value:
 *
 *     cc decode.c $(pkg-config --cflags --libs boxscore) -o decode
 *     echo 0x700 0x408834 | ./decode skl
 */
#include <boxscore/boxscore.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(const bx_error *e)
{
    fprintf(stderr, "%s\n", e->message);
    return 1;
}

int main(int argc, char **argv)
{
    bx_error e = {0};
    bx_decoding *d = argc == 2 ? bx_decoding_new(bx_catalog_builtin(), argv[1], &e) : NULL;
    char line[80], *value;
    uint64_t address;
    size_t i, n;
    int status = 0;

    if (!d) {
        fprintf(stderr, "usage: decode CPU <LOG\n");
        return 2;
    }
    while (!status && fgets(line, sizeof line, stdin)) {
        address = strtoull(line, &value, 0);
        if (bx_decoding_add(d, "msr", address, strtoull(value, NULL, 0), &e) != BX_OK)
            status = fail(&e);
    }
    if (!status && bx_decoding_run(d, &n, &e) != BX_OK)
        status = fail(&e);
    for (i = 0; !status && i < n; i++)
        printf("%s\n", bx_decoding_event(d, i));
    bx_decoding_free(d);
    return status;
}
