/* A terminal that shows a canvas, by ncurses. */
#ifndef BX_TOP_TERMINAL_H
#define BX_TOP_TERMINAL_H

#include "top/canvas.h"

#include <boxscore/boxscore.h>

typedef struct bx_terminal bx_terminal;

/* Takes the terminal from the standard streams, which are /dev/null from now on where they are one:
 * so that no program writes into the screen. BX_NO_ACCESS: there is none. */
int bx_terminal_take(bx_terminal **t, bx_error *e);

/* Begins the screen. BX_NOT_FOUND: $TERM is not known. */
int bx_terminal_begin(bx_terminal *t, bx_error *e);

void bx_terminal_size(const bx_terminal *t, int *width, int *height);
void bx_terminal_show(bx_terminal *t, const bx_canvas *c);

/* The next key: a character, or of enum bx_top_key; waits at most that long. -1: none. */
int bx_terminal_key(bx_terminal *t, int ms);

/* Whether the terminal has gone, without a signal: nobody can press a key any more. */
bool bx_terminal_is_gone(const bx_terminal *t);

/* Puts everything back as it was; NULL is fine. */
void bx_terminal_end(bx_terminal *t);

#endif
