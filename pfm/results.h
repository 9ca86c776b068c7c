/* Hands results out to the caller, who frees them. */
#ifndef BX_PFM_RESULTS_H
#define BX_PFM_RESULTS_H

#include "pfm/abi.h"

/* A copy of the text to *to, unless that is NULL. BX_PFM_SUCCESS or BX_PFM_NOMEM. */
int bx_pfmlib_hand_out_text(char **to, const char *text);

/* Code words and string. BX_PFMLIB_TOOSMALL: the caller's array has too little room. */
int bx_pfmlib_hand_out_words(const uint64_t *word, int n, const char *string,
                             bx_pfmlib_raw_arg *arg);

#endif
