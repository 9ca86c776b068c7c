/* The terms of GLOSSARY.md, which is part of the command. */
#ifndef BX_CLI_SHOW_GLOSSARY_H
#define BX_CLI_SHOW_GLOSSARY_H

#include "base/nearest.h"
#include "cli/common/page.h"

/* Shows what a term means, in English or Chinese; the number of meanings that were found. Offers
 * all terms to `near`. shown: what is above on the page; a blank line separates. */
size_t bx_glossary_show(bx_page *to, bx_str term, bx_nearest *near, size_t shown);

/* The first term of each line from line *at on; false: there are no more. */
bool bx_glossary_next(size_t *at, bx_str *term);

#endif
