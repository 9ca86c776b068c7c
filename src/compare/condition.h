/* NAME OP AMOUNT of `boxscore diff --fail-if`: how far a value may change. */
#ifndef BX_COMPARE_CONDITION_H
#define BX_COMPARE_CONDITION_H

#include "compare/comparison.h"

typedef struct bx_condition {
    bx_str text;        /* the whole condition */
    bx_str name, place; /* place empty: the whole machine and run */
    bx_str called;      /* the present name of what `name` is; the same if it has no other */
    bool above;         /* `>`; false: `<` */
    bool relative;      /* the amount is in percent of the old value */
    double amount;
    bx_str unit; /* the unit after an absolute amount, as written; may be empty */
} bx_condition;

typedef struct bx_verdict {
    const bx_condition *of;
    const bx_compared *row;
    double limit;
    bool beyond;      /* the new value is beyond the limit, */
    bool significant; /* and the difference is significant, or the runs cannot tell */
    bool fails;       /* also true if it is not judged: then it does not pass */
    /* Why it is not judged: what this run did not see. NULL: it is judged. */
    const bx_saved_unseen *unseen;
    const bx_saved *unseen_in;
    const char *by; /* of recordings: the lines that did it, in words; NULL: not known */
} bx_verdict;

/* How conditions are judged. */
typedef struct bx_judging {
    bool strict;            /* differences that are not significant fail, too */
    bool accept_incomplete; /* runs that did not see the same are judged by what they saw */
} bx_judging;

/* Parses a condition. The text must outlive it. BX_BAD_INPUT with the span at fault. */
int bx_condition_read(const char *text, bx_condition *to, bx_error *e);

/* Judges a comparison. A value of a run that did not see everything is not judged. BX_NOT_FOUND or
 * BX_BAD_INPUT with the span in the condition's text: the runs have no such value, or nothing to
 * compare it with. */
int bx_condition_judge(const bx_condition *condition, const bx_comparison *c, const bx_judging *how,
                       bx_verdict *to, bx_error *e);

#endif
