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

int bx_pfmlib_hand_out_words(const bx_pfm_code *code, bx_pfmlib_raw_arg *arg)
{
    uint64_t *to = arg->codes;
    if (to && arg->count < code->words)
        return BX_PFMLIB_TOOSMALL;
    if (!to)
        to = malloc(code->words * sizeof *to);
    if (!to)
        return BX_PFM_NOMEM;
    int done = bx_pfmlib_hand_out_text(arg->fstr, code->fstr);
    if (done != BX_PFM_SUCCESS) {
        if (to != arg->codes)
            free(to);
        return done;
    }
    memcpy(to, code->word, code->words * sizeof *to);
    arg->codes = to;
    arg->count = code->words;
    return BX_PFM_SUCCESS;
}
