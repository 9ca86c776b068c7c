/* Whether a program can be started. */
#ifndef BX_MACHINE_PROGRAM_EXECUTABLE_H
#define BX_MACHINE_PROGRAM_EXECUTABLE_H

#include <boxscore/boxscore.h>
#include <stdbool.h>

/* 0 if a program of that name is there to be executed, found as execvp() looks for it; else ENOENT,
 * EACCES … */
int bx_program_find(const char *name);

/* Whether it gets another user's or group's rights, or capabilities, when it is executed: then the
 * kernel stops counting it. */
bool bx_program_changes_rights(const char *name);

/* The file that executing it takes besides and that is not there: what a script's first line names,
 * or the dynamic loader. */
bool bx_program_missing_interpreter(const char *name, char *to, size_t room);

/* The same as bx_program_find with a message: BX_NOT_FOUND, or BX_NO_ACCESS. */
int bx_program_check(const char *name, bx_error *e);

#endif
