/* Corpora of fuzz targets. Each line is an input. If the file has a line "%%", inputs are texts of
 * several lines, with such a line between them. "\xNN" is that byte. corpus.py reads and writes the
 * same format. */
#ifndef BX_TESTS_FUZZ_CORPUS_H
#define BX_TESTS_FUZZ_CORPUS_H

#include "base/str.h"

enum { CORPUS_MOST = 4096 };

typedef struct corpus {
    char *bytes;
    bx_str input[CORPUS_MOST];
    size_t n;
} corpus;

void corpus_read(corpus *c, const char *path);

/* Reads the words of a dictionary: one in quotes per line, as libFuzzer has them. Without the file
 * there are none. */
void corpus_read_words(corpus *c, const char *path);

void corpus_free(corpus *c);

#endif
