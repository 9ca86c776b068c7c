/* The named checks of a catalogue. They check the finished blob, and their errors point to the file
 * that a row comes from. */
#ifndef BX_COMPILE_CHECK_CHECK_H
#define BX_COMPILE_CHECK_CHECK_H

#include "compile/build/build.h"

/* Runs every check over the blob. At the first failure it sets b->failed and returns false. */
bool bx_check_all(bx_build *b, const struct bx_catalog *c);

typedef struct bx_check {
    const char *name;
    bx_build *b;
    const struct bx_catalog *c;
} bx_check;

/* The item that row i of a table comes from. */
const bx_syntax_node *bx_check_from(const bx_check *k, enum bx_table_id id, unsigned i);

/* The check fails at argument `arg` of an item's clause (of its head if word is NULL), at the word
 * of a clause without arguments, or else at the item's keyword. */
void bx_check_fail(const bx_check *k, const bx_syntax_node *node, const char *word, unsigned arg,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The greatest value of a field. */
uint64_t bx_check_field_most(const bx_check *k, uint16_t field);

/* regs.c */
void bx_check_field_width(const bx_check *k);
void bx_check_overlap(const bx_check *k);
void bx_check_reset(const bx_check *k);
void bx_check_address(const bx_check *k);
void bx_check_resets(const bx_check *k);
void bx_check_extends(const bx_check *k);

/* reg_links.c */
void bx_check_precondition(const bx_check *k);
void bx_check_clears(const bx_check *k);
void bx_check_gathers(const bx_check *k);
void bx_check_runs(const bx_check *k);

/* slots.c */
void bx_check_slot(const bx_check *k);
void bx_check_registers(const bx_check *k);
void bx_check_tally(const bx_check *k);
void bx_check_follows(const bx_check *k);

/* events.c */
void bx_check_counters(const bx_check *k);
void bx_check_conditions(const bx_check *k);
void bx_check_reachable(const bx_check *k);
void bx_check_code(const bx_check *k);
void bx_check_codes(const bx_check *k);
void bx_check_umask(const bx_check *k);
void bx_check_bit(const bx_check *k);
bool bx_check_same_sets(const bx_check *k, bx_span a, bx_span b);
void bx_check_canonical(const bx_check *k);
void bx_check_group(const bx_check *k);

/* modifiers.c */
void bx_check_modifier(const bx_check *k);
void bx_check_sets(const bx_check *k);
void bx_check_shared(const bx_check *k);
void bx_check_hidden(const bx_check *k);
void bx_check_needs(const bx_check *k);
void bx_check_masked(const bx_check *k);
void bx_check_twin(const bx_check *k);
void bx_check_value(const bx_check *k);

/* models.c */
void bx_check_model(const bx_check *k);
void bx_check_clock(const bx_check *k);
void bx_check_keys(const bx_check *k);

/* The check `boxes`, for the PMU at an index of a CPU's list. It runs before the PMUs are built, as
 * their registers may refer to those of an earlier PMU. */
void bx_check_box(bx_build *b, const bx_syntax_node *cpu, unsigned index, bx_str pmu);

/* names.c */
void bx_check_source(const bx_check *k);
void bx_check_duplicate(const bx_check *k);
void bx_check_shadow(const bx_check *k);
void bx_check_units(const bx_check *k);
void bx_check_shape(const bx_check *k);
void bx_check_preset(const bx_check *k);

#endif
