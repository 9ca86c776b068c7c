/* The rules of findings: docs/reference/findings.md has each as a formula. */
#ifndef BX_PROFILE_RULES_H
#define BX_PROFILE_RULES_H

typedef struct bx_profile_rule {
    const char *name;
    /* The first columns: function, file, line, object, the object's part of the amount, amount, of
     * what amount, its name (NULL: "time"), a detail for the text. Rows are candidates: a finding
     * has at least BX_FINDING_LEAST of it. */
    const char *sql;
    /* What is said: %p: share in percent, %o: of what, %d: the detail. Place and object are added.
     */
    const char *text;
    const char *where; /* before the place */
    /* A column that the rule needs, and its table: recordings of other programs, or older ones, may
     * lack it. NULL: none. */
    const char *table, *column;
} bx_profile_rule;

#define BX_FINDING_LEAST 0.05

/* Ends with one that has no name. */
extern const bx_profile_rule bx_profile_rules[];

/* Tables that rules need, in this order: sums of bx_recording_add_up(), or, without columns, what
 * the SQL gives. Ends with one that has no name. */
typedef struct bx_profile_sums {
    const char *table, *columns;
    unsigned keys;
    const char *sql;
} bx_profile_sums;
extern const bx_profile_sums bx_profile_rules_sums[];

#endif
