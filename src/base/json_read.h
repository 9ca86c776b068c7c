/* Reading JSON (RFC 8259). json-c would do system calls in pure floors (its hashes begin with
 * getrandom()) and has writable state; values here live in an arena, and errors have their place.
 */
#ifndef BX_BASE_JSON_READ_H
#define BX_BASE_JSON_READ_H

#include "base/arena.h"
#include "base/error.h"

typedef enum bx_json_kind {
    BX_JSON_NULL,
    BX_JSON_FALSE,
    BX_JSON_TRUE,
    BX_JSON_NUMBER,
    BX_JSON_STRING,
    BX_JSON_ARRAY,
    BX_JSON_OBJECT,
} bx_json_kind;

typedef struct bx_json_value {
    bx_json_kind kind;
    size_t at, len; /* its span in the text */
    bx_str key;     /* of an object's member */
    bx_str text;    /* of a string, without escapes; of a number, its digits. NUL follows */
    struct bx_json_value *first; /* of an array or object: its elements, in their order */
    struct bx_json_value *next;
} bx_json_value;

/* Reads the value that begins at *at, after optional blanks, and moves *at to its end. Values live
 * in the arena. Errors: BX_BAD_INPUT with the span at fault, BX_NO_MEMORY. */
int bx_json_read(bx_str text, size_t *at, bx_arena *a, const bx_json_value **value, bx_error *e);

/* Finds a member by its key; no two members of an object have the same one. NULL: there is none, or
 * the value is not an object. */
const bx_json_value *bx_json_member(const bx_json_value *object, const char *key);

/* The number; it is finite. */
double bx_json_double(const bx_json_value *number);

/* Reads a number, or a string, that has decimal digits only and fits 64 bits. */
bool bx_json_u64(const bx_json_value *value, uint64_t *to);

#endif
