/* Instructions as text: capstone, loaded when a command needs it, as recording/sqlite.h is. */
#ifndef BX_SYMBOLS_DISASSEMBLER_H
#define BX_SYMBOLS_DISASSEMBLER_H

#include <boxscore/boxscore.h>

#include <stddef.h>
#include <stdint.h>

enum { BX_INSTRUCTION_TEXT = 224 };

typedef struct bx_disassembler bx_disassembler;

/* BX_NOT_FOUND: boxscore was built without it, or it is not installed; the hint names the package.
 */
int bx_disassembler_open(bx_disassembler **to, bx_error *e);
void bx_disassembler_close(bx_disassembler *d); /* NULL is fine */

/* The instruction that begins at code [n], in AT&T syntax, which is at the address. Returns its
 * bytes; 0: it is none. */
size_t bx_disassembler_text(bx_disassembler *d, const unsigned char *code, size_t n,
                            uint64_t address, char to[BX_INSTRUCTION_TEXT]);

#endif
