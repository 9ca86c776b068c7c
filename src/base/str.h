/* String slices: a pointer into bytes that the caller owns, and a length. Nothing here
 * allocates. */
#ifndef BX_BASE_STR_H
#define BX_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bx_str {
    const char *p;
    size_t n;
} bx_str;

#define BX_STR(literal) ((bx_str){(literal), sizeof(literal) - 1})

/* ---- characters: ASCII, whatever the locale ---- */

static inline bool bx_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool bx_is_letter(char c) /* `_` counts as a letter */
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool bx_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline unsigned char bx_lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* The value of a digit in any base up to 36; 99: it is not a digit. */
static inline unsigned bx_digit_value(char c)
{
    unsigned char low = bx_lower(c);
    if (bx_is_digit(c))
        return low - '0';
    return low >= 'a' && low <= 'z' ? low - 'a' + 10 : 99;
}

/* ---- slices ---- */

bx_str bx_str_of(const char *z);                    /* of a NUL-terminated string; NULL is empty */
bool bx_same_text(const char *a, const char *b);    /* same bytes, or both NULL */
bool bx_str_eq(bx_str a, bx_str b);                 /* same bytes */
bool bx_str_eq_fold(bx_str a, bx_str b);            /* equal, ASCII case ignored */
bool bx_str_starts_fold(bx_str s, bx_str prefix);   /* s begins with prefix, ASCII case ignored */
bx_str bx_str_trim(bx_str s);                       /* without blanks at both ends */
bx_str bx_str_sub(bx_str s, size_t from, size_t n); /* clipped to s */
ptrdiff_t bx_str_find(bx_str s, char c, size_t from); /* index or -1 */

/* Splits *rest at the first sep: returns the part before it and sets *rest to the part after it.
 * Without a sep it returns all, and rest->p becomes NULL. */
bx_str bx_str_cut(bx_str *rest, char sep);

/* Reads all of s as a number in C notation (0x.., 0.., decimal). false: it is not a number, or does
 * not fit 64 bits. */
bool bx_str_u64(bx_str s, uint64_t *value);

/* A size: a number with an optional K, M or G, or KiB, MiB or GiB (powers of 1024). */
bool bx_str_size(bx_str s, uint64_t *bytes);

/* Hash of the bytes. Names that differ only in ASCII case have the same hash. */
uint32_t bx_str_hash_fold(bx_str s, uint32_t seed);

/* Glob match (`*`, `?`), ASCII case folded, of the whole text. */
bool bx_str_glob(bx_str pattern, bx_str text);

/* Levenshtein distance, ASCII case folded; stops at limit and returns limit + 1 beyond it.
 * Parts longer than 63 bytes count as limit + 1. */
unsigned bx_str_distance(bx_str a, bx_str b, unsigned limit);

#endif
