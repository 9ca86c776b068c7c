/* Looks for the bytes of CPUID or RDPMC. Bytes inside another instruction do not count, so it walks
 * from instruction to instruction. */
#include "stage/preload/find_cpuid.h"

#include "stage/preload/instruction_length.h"

#include <string.h>

/* How many bytes before a possible CPUID the walk begins. It may begin inside an instruction, but
 * after a few instructions it is in step with the real ones. */
enum { RUN_UP = 4096 };

enum { CPUID = 0xa2, RDPMC = 0x33 }; /* the second bytes */

static bool is_patched(const uint8_t *code, size_t n, uint8_t second)
{
    return n >= BX_CPUID_LENGTH && code[0] == BX_CPUID_PATCH && code[1] == second;
}

bool bx_is_patched_cpuid(const uint8_t *code, size_t n)
{
    return is_patched(code, n, CPUID);
}

bool bx_is_patched_rdpmc(const uint8_t *code, size_t n)
{
    return is_patched(code, n, RDPMC);
}

/* Walks from an instruction at `at`. Returns the beginning of the first instruction at or after
 * `to`. */
static size_t walk(const uint8_t *code, size_t n, size_t at, size_t to)
{
    while (at < to) {
        bool patched = is_patched(code + at, n - at, CPUID) || is_patched(code + at, n - at, RDPMC);
        size_t length = patched ? BX_CPUID_LENGTH : bx_instruction_length(code + at, n - at);
        at += length ? length : 1;
    }
    return at;
}

static size_t next(const uint8_t *code, size_t n, size_t at, uint8_t second)
{
    const uint8_t bytes[BX_CPUID_LENGTH] = {0x0f, second};
    const uint8_t *like;
    while (at < n && (like = memmem(code + at, n - at, bytes, sizeof bytes)) != NULL) {
        size_t offset = (size_t)(like - code);
        at = walk(code, n, offset - at > RUN_UP ? offset - RUN_UP : at, offset);
        if (at == offset)
            return offset;
    }
    return n;
}

size_t bx_next_cpuid(const uint8_t *code, size_t n, size_t at)
{
    return next(code, n, at, CPUID);
}

size_t bx_next_rdpmc(const uint8_t *code, size_t n, size_t at)
{
    return next(code, n, at, RDPMC);
}
