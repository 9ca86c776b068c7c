/* Whether a program can be started. */
#ifndef BX_MACHINE_PROGRAM_PROCESS_EXECUTABLE_H
#define BX_MACHINE_PROGRAM_PROCESS_EXECUTABLE_H

#include <boxscore/boxscore.h>
#include <stdbool.h>

/* Searches a program as execvp() does. 0 if it can be executed, else ENOENT, EACCES … */
int bx_program_find(const char *name);

/* Whether it gets another user's or group's rights, or capabilities, at execve(): the kernel then
 * stops counting it. */
bool bx_program_changes_rights(const char *name);

/* Whether the interpreter of the program is missing: that of a script's first line, or the dynamic
 * loader. Its path is written to `to`. */
bool bx_program_missing_interpreter(const char *name, char *to, size_t room);

/* Whether it, or the interpreter of the script that it is, is a 32-bit program. */
bool bx_program_is_32_bit(const char *name);

/* The same as bx_program_find() with a message: BX_NOT_FOUND or BX_NO_ACCESS. */
int bx_program_check(const char *name, bx_error *e);

/* The same, and whether Valgrind can trace the program: it and its interpreters can be executed on
 * this kind of processor, and none gets rights of its own. */
int bx_program_check_traceable(const char *name, bx_error *e);

#endif
