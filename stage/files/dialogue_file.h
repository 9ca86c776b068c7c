/* The stage's file `dialogue`. Lines written to it are executed at once as a register dialogue
 * (docs/reference/dialogue.md). Reading it returns what the last write printed; a file
 * that was written through the same descriptor returns what that write printed. */
#ifndef BX_STAGE_FILES_DIALOGUE_FILE_H
#define BX_STAGE_FILES_DIALOGUE_FILE_H

#include "base/str.h"
#include "stage/files/device.h"

#include <boxscore/boxscore.h>

typedef struct bx_dialogue_file bx_dialogue_file;

/* The machine must outlive it. */
int bx_dialogue_file_new(bx_machine *m, bx_dialogue_file **f, bx_error *e);
/* The same for lines that another dialogue executes at once, which prints nothing but errors. */
typedef int bx_line_player(void *context, bx_str line, bx_error *e);
int bx_dialogue_file_of(bx_line_player *play, void *context, bx_dialogue_file **f, bx_error *e);
/* stop(context) is called repeatedly during a long write. If it returns true, the write fails with
 * EINTR. */
void bx_dialogue_file_stop_if(bx_dialogue_file *f, bool (*stop)(void *context), void *context);
void bx_dialogue_file_free(bx_dialogue_file *f); /* NULL is fine */

extern const bx_device bx_device_dialogue; /* its context is a bx_dialogue_file */

#endif
