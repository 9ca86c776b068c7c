/* Copies results into memory that the caller frees. */
#include "pfm/results.h"

#include <stdlib.h>
#include <string.h>

int bx_pfmlib_hand_out_text(char **to, const char *text)
{
    if (!to)
        return BX_PFM_SUCCESS;
    char *copy = strdup(text);
    if (!copy)
        return BX_PFM_NOMEM;
    *to = copy;
    return BX_PFM_SUCCESS;
}

int bx_pfmlib_hand_out_words(const uint64_t *word, int n, const char *string,
                             bx_pfmlib_raw_arg *arg)
{
    uint64_t *to = arg->codes;
    if (to && arg->count < n)
        return BX_PFMLIB_TOOSMALL;
    if (!to)
        to = malloc((size_t)n * sizeof *to);
    if (!to)
        return BX_PFM_NOMEM;
    int done = bx_pfmlib_hand_out_text(arg->fstr, string);
    if (done != BX_PFM_SUCCESS) {
        if (to != arg->codes)
            free(to);
        return done;
    }
    memcpy(to, word, (size_t)n * sizeof *to);
    arg->codes = to;
    arg->count = n;
    return BX_PFM_SUCCESS;
}
