/* Implements corpus.h: reads corpora and dictionaries. */
#include "corpus.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bx_str whole(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return (bx_str){NULL, 0};
    FUZZ_MUST(fseek(file, 0, SEEK_END) == 0);
    size_t n = (size_t)ftell(file);
    char *bytes = malloc(n + 1);
    FUZZ_MUST(bytes);
    rewind(file);
    FUZZ_MUST(fread(bytes, 1, n, file) == n);
    fclose(file);
    bytes[n] = '\0';
    return (bx_str){bytes, n};
}

static int hex(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = digit ? strchr(digits, digit) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* Replaces \xNN in place. */
static bx_str unescaped(char *text, size_t n)
{
    size_t to = 0;
    for (size_t i = 0; i < n; i++, to++) {
        bool escaped = n - i >= 4 && text[i] == '\\' && text[i + 1] == 'x' &&
                       hex(text[i + 2]) >= 0 && hex(text[i + 3]) >= 0;
        text[to] = escaped ? (char)(hex(text[i + 2]) << 4 | hex(text[i + 3])) : text[i];
        i += escaped ? 3 : 0;
    }
    return (bx_str){text, to};
}

static void add(corpus *c, bx_str input)
{
    FUZZ_MUST(c->n < CORPUS_MOST);
    c->input[c->n++] = unescaped(c->bytes + (input.p - c->bytes), input.n);
}

void corpus_read(corpus *c, const char *path)
{
    bx_str rest = whole(path);
    *c = (corpus){.bytes = (char *)(uintptr_t)rest.p};
    FUZZ_MUST(rest.p);
    bool texts = strstr(rest.p, "\n%%\n");
    const char *start = rest.p;
    while (rest.p && rest.n) {
        bx_str line = bx_str_cut(&rest, '\n');
        if (!texts)
            add(c, line);
        else if (bx_str_eq(line, BX_STR("%%")) || !rest.n) {
            add(c, (bx_str){start, (size_t)((rest.n ? line.p : line.p + line.n + 1) - start)});
            start = rest.p;
        }
    }
}

void corpus_read_words(corpus *c, const char *path)
{
    bx_str rest = whole(path);
    *c = (corpus){.bytes = (char *)(uintptr_t)rest.p};
    while (rest.p && rest.n) {
        bx_str line = bx_str_cut(&rest, '\n');
        if (line.n > 2 && line.p[0] == '"' && line.p[line.n - 1] == '"')
            add(c, bx_str_sub(line, 1, line.n - 1));
    }
}

void corpus_free(corpus *c)
{
    free(c->bytes);
    *c = (corpus){.bytes = NULL};
}
