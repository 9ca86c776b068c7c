/* The words of a shell script: quotes, variables, and arithmetic of one kind of operator. */
#ifndef BX_REGLOG_SCRIPT_H
#define BX_REGLOG_SCRIPT_H

#include "reglog/foreign_internal.h"

enum { BX_SCRIPT_WORD = 80 };

/* A word after quotes and variables. */
typedef struct bx_script_word {
    bx_str source; /* in the line */
    char text[BX_SCRIPT_WORD];
    size_t n;
    bool unknown; /* it has a part that is not known here, … */
    bx_str part;  /* … this one */
} bx_script_word;

static inline bx_str bx_script_text(const bx_script_word *w)
{
    return (bx_str){w->text, w->n};
}

/* Cuts the next command of a line: up to `;`, `&&`, `||`, `|`, `&` or a comment. */
bx_str bx_script_command(bx_str *rest);

/* Cuts the next word of a command. r NULL: no variable is known. false: there is no word. */
bool bx_script_next(const bx_log_reader *r, bx_str *rest, bx_script_word *w);

/* Keeps a variable. Its value is a text without quotes that need no more reading. */
void bx_script_set(bx_log_reader *r, bx_str name, bx_str value, bool unknown);

#endif
