/* Looks for the bytes of CPUID. Bytes inside another instruction do not count, so it walks from
 * instruction to instruction. */
#include "stage/preload/find_cpuid.h"

#include "stage/preload/instruction_length.h"

#include <string.h>

/* How many bytes before a possible CPUID the walk begins. It may begin inside an instruction, but
 * after a few instructions it is in step with the real ones. */
enum { RUN_UP = 4096 };

bool bx_is_patched_cpuid(const uint8_t *code, size_t n)
{
    return n >= BX_CPUID_LENGTH && code[0] == BX_CPUID_PATCH && code[1] == 0xa2;
}

/* Walks from an instruction at `at`. Returns the beginning of the first instruction at or behind
 * `to`. */
static size_t walk(const uint8_t *code, size_t n, size_t at, size_t to)
{
    while (at < to) {
        size_t length = bx_is_patched_cpuid(code + at, n - at)
                            ? BX_CPUID_LENGTH
                            : bx_instruction_length(code + at, n - at);
        at += length ? length : 1;
    }
    return at;
}

size_t bx_next_cpuid(const uint8_t *code, size_t n, size_t at)
{
    static const uint8_t cpuid[BX_CPUID_LENGTH] = {0x0f, 0xa2};
    const uint8_t *like;
    while (at < n && (like = memmem(code + at, n - at, cpuid, sizeof cpuid)) != NULL) {
        size_t offset = (size_t)(like - code);
        at = walk(code, n, offset - at > RUN_UP ? offset - RUN_UP : at, offset);
        if (at == offset)
            return offset;
    }
    return n;
}
