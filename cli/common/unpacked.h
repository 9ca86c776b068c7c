/* An archive, such as a gathered machine, that is unpacked while a command runs. */
#ifndef BX_CLI_COMMON_UNPACKED_H
#define BX_CLI_COMMON_UNPACKED_H

#include <boxscore/boxscore.h>

typedef int bx_unpacker(const char *path, char **root, bx_error *e);

/* As `unpack`, such as bx_archive_unpack(). A signal that ends the process removes the folder
 * first. */
int bx_unpacked_make(bx_unpacker *unpack, const char *path, char **root, bx_error *e);

/* Removes and frees it; NULL is fine. */
void bx_unpacked_drop(char *root);

#endif
