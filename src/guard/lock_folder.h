/* The folder of lock files: /run/boxscore/lock, or boxscore/lock of $XDG_RUNTIME_DIR. */
#ifndef BX_GUARD_LOCK_FOLDER_H
#define BX_GUARD_LOCK_FOLDER_H

#include <boxscore/boxscore.h>

enum { BX_LOCK_FOLDER = 256 };

/* Opens the folder; makes it if it is missing and we have the right. *is_private: it is the folder
 * of this user. A folder where others could put or remove files is refused. */
int bx_lock_folder_open(int *folder, bool *is_private, bx_error *e);

/* The same without making a folder; false: there is none that we can enter. */
bool bx_lock_folder_find(int *folder);

void bx_lock_folder_path(bool is_private, char to[BX_LOCK_FOLDER]);

#endif
