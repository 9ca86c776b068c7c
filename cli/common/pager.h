/* Long text on a terminal, through the program that people read such text with. */
#ifndef BX_CLI_PAGER_H
#define BX_CLI_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* Shows the text with $PAGER, or else less, if standard output is a terminal and the text has more
 * lines than it, as git does. false: nothing was shown, and the text is still to be written. An
 * empty PAGER or `cat` means no pager. */
bool bx_pager_show(const char *text, size_t n);

#endif
