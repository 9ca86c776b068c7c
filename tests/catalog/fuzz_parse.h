#ifndef BX_TESTS_CATALOG_FUZZ_PARSE_H
#define BX_TESTS_CATALOG_FUZZ_PARSE_H

#include <stddef.h>
#include <stdint.h>

/* Parses the files in the input; returns 1 if they are a catalogue. Aborts if something is wrong.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
