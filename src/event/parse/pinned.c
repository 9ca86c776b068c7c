/* Cuts the suffixes that pin events. */
#include "event/parse/pinned.h"

#include "base/str.h"

#include <string.h>

static const char *const words[] = {":D", ":pinned"};

/* Cuts the D off perf's letters, which follow a ':' or the '/' that ends its terms. */
static bool cut_letter(bx_str *event)
{
    size_t n = event->n;
    if (n < 2 || event->p[n - 1] != 'D')
        return false;
    size_t from = n - 1;
    while (from > 0 && strchr("ukh", event->p[from - 1]))
        from--;
    if (from == 0 || !strchr(":/", event->p[from - 1]))
        return false;
    event->n = n - 1;
    return true;
}

bool bx_pinned_cut(bx_str *event)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if (event->n <= n || memcmp(event->p + event->n - n, words[i], n) != 0)
            continue;
        event->n -= n;
        return true;
    }
    return cut_letter(event);
}

size_t bx_pinned_behind(bx_str text)
{
    for (size_t i = sizeof words / sizeof *words; i-- > 0;)
        if (text.n >= strlen(words[i]) && memcmp(text.p, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return 0;
}
