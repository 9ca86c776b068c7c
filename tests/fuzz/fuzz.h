/* Fuzz targets. One stands in tests/AREA/fuzz_NAME.c: LLVMFuzzerTestOneInput() gives one input to a
 * parser and checks what the parser promises, not only that it survives. Its corpus is
 * fuzz_NAME.txt beside it (corpus.h), its words, if any, fuzz_NAME.dict. plain.c runs it on the
 * corpus and on mutations of it; -Dlibfuzzer=true links it with libFuzzer (CONTRIBUTING.md). */
#ifndef BX_TESTS_FUZZ_FUZZ_H
#define BX_TESTS_FUZZ_FUZZ_H

#include "base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints the property that does not hold, and aborts. */
#define FUZZ_MUST(holds) ((holds) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #holds))
_Noreturn void fuzz_failed(const char *file, int line, const char *what);

/* Checks a function's return code for a text of this length. With an error there is a message, and
 * a span inside the text; without an error there is no message. */
void fuzz_check_error(const bx_error *e, int code, size_t length);

/* Copies the input to a block of exactly its size, so that a sanitizer sees reads beyond it. The
 * caller frees the copy. */
char *fuzz_exact(const uint8_t *data, size_t size);

/* The same with a NUL after it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The path of an unnamed file in memory with these contents. The next call replaces it. */
const char *fuzz_file(const void *bytes, size_t n);

#endif
