/* The register dialogue: executes a text of register accesses on a virtual machine, one command a
 * line. It is `boxscore vpmu`; tests use it too. Commands: docs/reference/dialogue.md. */
#ifndef BX_MACHINE_DIALOGUE_DIALOGUE_H
#define BX_MACHINE_DIALOGUE_DIALOGUE_H

#include "machine/machine.h"
#include "base/buf.h"

typedef struct bx_dialogue bx_dialogue;

bx_dialogue *bx_dialogue_new(bx_machine *m, bx_error *e);
void bx_dialogue_free(bx_dialogue *d);

/* stop(context) is called every millisecond or so while a command lets time pass. true: the command
 * ends there, with BX_SYSTEM. */
void bx_dialogue_stop_if(bx_dialogue *d, bool (*stop)(void *context), void *context);

/* Whether a line lets time pass, unless it is malformed. */
bool bx_dialogue_takes_time(bx_str line);

/* Whether a line that lets time pass is being executed. stop() may then execute other lines that
 * take no time, such as those of another client. */
bool bx_dialogue_is_busy(const bx_dialogue *d);

/* Executes one line (without its newline) and appends its output, each value on its own line. A
 * malformed line is BX_BAD_INPUT with the span in the line, and does nothing. */
int bx_dialogue_line(bx_dialogue *d, bx_str line, bx_buf *out, bx_error *e);

#endif
