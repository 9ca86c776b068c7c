/* Members of a saved run's objects, each with its type and range. */
#ifndef BX_COMPARE_MEMBERS_H
#define BX_COMPARE_MEMBERS_H

#include "base/error.h"
#include "base/json_read.h"

/* No value is larger, and none but 0 is nearer to 0: 2^64 counts of 2^64 in the time of a cycle
 * stay far within it. So the squares of what is read are finite. */
#define BX_MEMBER_MOST  1e60
#define BX_MEMBER_LEAST 1e-60

typedef struct bx_members {
    const char *file; /* for messages */
    bx_arena *arena;  /* of texts */
    bx_error *e;
} bx_members;

/* BX_BAD_INPUT, "FILE: 'KEY' is not WHAT", with the span of the member. */
int bx_member_wrong(const bx_members *m, const bx_json_value *at, const char *key,
                    const char *what);

/* BX_BAD_INPUT, "FILE: there is no 'KEY' here". */
int bx_member_missing(const bx_members *m, const bx_json_value *object, const char *key);

/* BX_BAD_INPUT, "FILE: this 'KEY' does not fit the state 'STATE'". */
int bx_member_contradicts(const bx_members *m, const bx_json_value *at, const char *key,
                          const char *state);

/* Copies a text into the arena, safe to print. */
int bx_member_copy(const bx_members *m, bx_str text, const char **to);

/* These read the member, which must exist. */
int bx_member_text(const bx_members *m, const bx_json_value *object, const char *key,
                   const char **to);
int bx_member_number(const bx_members *m, const bx_json_value *object, const char *key, double *to);
int bx_member_whole(const bx_members *m, const bx_json_value *object, const char *key,
                    uint64_t least, uint64_t most, uint64_t *to);

/* A number that is 0 or above. */
int bx_member_size(const bx_members *m, const bx_json_value *object, const char *key, double *to);

/* A text that is not empty. */
int bx_member_name(const bx_members *m, const bx_json_value *object, const char *key,
                   const char **to);

/* Checks the members of a line of counts that are not compared. */
int bx_members_check_others(const bx_members *m, const bx_json_value *line);

/* Checks those of an event that has a value, in this state, against each other. */
int bx_members_check_state(const bx_members *m, const bx_json_value *line, const char *state,
                           double value);

#endif
