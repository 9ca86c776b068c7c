/* The compiler of the catalogue. */
#ifndef BX_COMPILE_COMPILE_H
#define BX_COMPILE_COMPILE_H

#include "catalog/catalog.h"

/* Compiles catalogue files into a new blob (malloc; free with free()). Files of one CPU model have
 * one folder in their names; their order matters only to PMUs that the .cpu file does not list. On
 * an error it returns NULL, and the message is "file:line:column: cause [check]" with the line and
 * carets below it; at and len are the span in that file's text. */
struct bx_catalog *bx_catalog_parse(const bx_cat_file *files, size_t n, bx_error *e);

#endif
