/* A gathered machine that is unpacked while a command runs. */
#ifndef BX_CLI_COMMON_UNPACKED_H
#define BX_CLI_COMMON_UNPACKED_H

#include <boxscore/boxscore.h>

/* As bx_archive_unpack(). A signal that ends the process removes the folder first. */
int bx_unpacked_make(const char *path, char **root, bx_error *e);

/* Removes and frees it; NULL is fine. */
void bx_unpacked_drop(char *root);

#endif
