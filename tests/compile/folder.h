/* Folders of catalogue files as bx_catalog_parse takes them. */
#ifndef BX_TESTS_COMPILE_FOLDER_H
#define BX_TESTS_COMPILE_FOLDER_H

#include "catalog/catalog.h"

enum { FOLDER_FILES = 128 };

typedef struct folder {
    bx_cat_file files[FOLDER_FILES];
    size_t n;
} folder;

/* Adds the files of SOURCE_ROOT/`path`, in the order of their names, as `prefix`NAME. Hidden files
 * and the file `expect` are left out. The test fails if there is no such folder. */
void folder_read(folder *f, const char *path, const char *prefix);
void folder_free(folder *f);

/* A whole file below SOURCE_ROOT, NUL-terminated; free() it. */
char *file_text(const char *path, size_t *n);

#endif
