/* The notation as a tree. The reader makes it from a file without interpreting its meaning.
 *
 * A file is a list of items. An item begins with its keyword and continues with clauses, on the
 * same line and on lines that are indented further; items of another kind may stand below it,
 * indented. All bytes stay where the file's text is: a slice is also what a message points to. */
#ifndef BX_COMPILE_READ_NOTATION_H
#define BX_COMPILE_READ_NOTATION_H

#include "base/arena.h"
#include "catalog/catalog.h"

/* A clause word and the forms of its arguments: one letter each (forms in notation.c). `?` after
 * one: it may be left out. `+`: it may be repeated. */
typedef struct bx_clause_kind {
    char name[16];
    char forms[8];
} bx_clause_kind;

/* A kind of item: its keyword and arguments, the item or file that it stands below (a keyword, or
 * the ending of a file's name), and its clauses. `!`: must be given. `*`: may be repeated. `-`: has
 * no argument here. */
typedef struct bx_item_kind {
    const char *name;
    const char *below;
    const char *forms;
    const char *clauses;
} bx_item_kind;

extern const bx_clause_kind bx_clause_kinds[];
extern const size_t bx_clause_kinds_n;
extern const bx_item_kind bx_item_kinds[];
extern const size_t bx_item_kinds_n;

/* The letters: 'M' name, 'D' names with dots between, 'W' word, 'K' kind of bits, 'X' name of a
 * product, 'N' number, 'S' signed number, 'R' range, 'P' name or range, 'B' bits, 'A' address, 'F'
 * PCI function, 'I' pair of numbers, 'E' name=number, 'T' text in quotes, 'L' rest of the line. */
bool bx_form_fits(char form, bx_str s);
bool bx_form_begins(char form, bx_str s); /* whether s looks like an attempt at this form */
const char *bx_form_what(char form);      /* "a number" */

/* The values of slices that have the right form. */
uint64_t bx_form_number(bx_str s);
int64_t bx_form_signed(bx_str s);
void bx_form_pair(bx_str s, uint64_t *first, uint64_t *second); /* "a..b", "hi:lo", "f/m" or "a" */
uint32_t bx_form_address(bx_str s); /* a number, or bus:device.function[+offset] */

typedef struct bx_clause {
    struct bx_clause *next;
    const char *word; /* NULL: the head of an item */
    bx_str key;       /* as it stands in the file */
    bx_str *args;
    unsigned n;
} bx_clause;

typedef struct bx_syntax_node {
    const bx_item_kind *kind; /* NULL: the file itself */
    const bx_cat_file *file;
    struct bx_syntax_node *parent, *next, *first, *last;
    bx_clause head;
    bx_clause *clauses;
    size_t indent;
    /* It is a file whose PMU is `like` another, and it already has that PMU's items. */
    bool inherited;
    const struct bx_syntax_node *heir; /* of a copied item: the PMU that copies it */
} bx_syntax_node;

/* Reads one file into a tree, whose root stands for the file. NULL and *e on an error. */
bx_syntax_node *bx_notation_read(bx_arena *a, const bx_cat_file *file, bx_error *e);

/* Gives every PMU that is `like` another one the other's items. False and *e on an error. */
bool bx_inherit(bx_arena *arena, bx_syntax_node *const *trees, size_t n, bx_error *e);

/* The first clause of that word at or after `from` (a list of clauses); NULL if there is none. */
const bx_clause *bx_clause_find(const bx_clause *from, const char *word);

/* Argument i of a clause, or of the head if word is NULL. Empty: it is missing. */
bx_str bx_syntax_arg(const bx_syntax_node *node, const char *word, unsigned i);
bool bx_syntax_has(const bx_syntax_node *node, const char *word);
uint64_t bx_syntax_number(const bx_syntax_node *node, const char *word, uint64_t preset);
bool bx_syntax_is(const bx_syntax_node *node, const char *keyword);

/* For a CPU or PMU whose name another one has. */
#define BX_HINT_OWN_NAMES                                                                          \
    "CPUs and PMUs of all folders have names of their own: begin a PMU's with that of its CPU"

/* The line of the file on which the item begins, from 1. */
unsigned bx_syntax_line(const bx_syntax_node *node);

/* The ending that shows the kind of the file: ".cpu", ".pmu", ".metric" or "passive"; NULL: none.
 */
const char *bx_file_ending(const bx_cat_file *file);

/* Fills *e with "file:line:column: cause [check]" and a picture of the line. `at` is a slice of the
 * file's text. Always returns BX_BAD_INPUT. */
int bx_complain(bx_error *e, const bx_cat_file *file, bx_str at, const char *check,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
