/* Compiles files into a blob: reads every file into a tree, builds the tables CPU by CPU, lays them
 * out, checks them, and reads the event strings. */
#include "compile/compile.h"

#include "compile/check/check.h"
#include "compile/resolve.h"

#include "base/error.h"
#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

/* Trees of all files, or of the files of one CPU. */
struct forest {
    bx_syntax_node **trees;
    size_t n;
};

static bool is_file(const bx_syntax_node *tree, const char *ending)
{
    return strcmp(bx_file_ending(tree->file), ending) == 0;
}

static bx_str start_of(const bx_syntax_node *tree)
{
    return bx_str_sub(tree->file->text, 0, 0);
}

/* Whether a .cpu or .pmu file begins with the item that it describes, and has only one of them. */
static bool begins_well(const bx_syntax_node *tree, const char *keyword, bx_error *e)
{
    if (!tree->first || !bx_syntax_is(tree->first, keyword)) {
        bx_complain(e, tree->file, tree->first ? tree->first->head.key : start_of(tree), "place",
                    "the first item of this file is '%s'", keyword);
        return false;
    }
    for (const bx_syntax_node *node = tree->first->next; node; node = node->next)
        if (bx_syntax_is(node, keyword)) {
            bx_complain(e, tree->file, node->head.key, "place", "a second '%s' in one file",
                        keyword);
            return false;
        }
    return true;
}

static bool read_files(bx_arena *arena, const bx_cat_file *files, struct forest *f, bx_error *e)
{
    for (size_t i = 0; i < f->n; i++) {
        bx_syntax_node *tree = f->trees[i] = bx_notation_read(arena, &files[i], e);
        if (!tree || (is_file(tree, ".cpu") && !begins_well(tree, "cpu", e)) ||
            (is_file(tree, ".pmu") && !begins_well(tree, "pmu", e)))
            return false;
    }
    return true;
}

static bx_str folder(const bx_syntax_node *tree)
{
    size_t n = tree->file->name.n;
    while (n && tree->file->name.p[n - 1] != '/')
        n--;
    return bx_str_sub(tree->file->name, 0, n);
}

static bool in_one_folder(const bx_syntax_node *a, const bx_syntax_node *b)
{
    return bx_str_eq(folder(a), folder(b));
}

static size_t cpus_beside(const struct forest *f, const bx_syntax_node *tree)
{
    size_t cpus = 0;
    for (size_t i = 0; i < f->n; i++)
        cpus += is_file(f->trees[i], ".cpu") && in_one_folder(f->trees[i], tree);
    return cpus;
}

/* Checks that every file is in a folder with a .cpu file. CPUs of one family share their folder:
 * each lists its own PMUs. */
static bool check_folders(const struct forest *f, bx_error *e)
{
    for (size_t i = 0; i < f->n; i++) {
        const bx_syntax_node *tree = f->trees[i];
        size_t cpus = cpus_beside(f, tree);
        if (cpus == 0) {
            bx_complain(e, tree->file, start_of(tree), "place",
                        "no .cpu file in the folder of this file");
            bx_hint(
                e, "a folder of the catalogue has the .cpu file of its CPU: write it, or move this "
                   "file beside it");
            return false;
        }
        if (cpus > 1 && is_file(tree, ".cpu") && !bx_syntax_has(tree->first, "boxes")) {
            bx_complain(e, tree->file, tree->first->head.key, "place",
                        "one of several CPUs of a folder does not list its boxes");
            bx_hint(e, "add `boxes` and the names of its PMUs");
            return false;
        }
    }
    return true;
}

/* The index of a PMU in the list of its CPU's line; after all others if it is not listed. */
static unsigned index_of(const bx_syntax_node *cpu, const bx_syntax_node *pmu)
{
    const bx_clause *boxes = bx_clause_find(cpu->first->clauses, "boxes");
    unsigned i = 0;
    while (boxes && i < boxes->n && !bx_str_eq(boxes->args[i], bx_syntax_arg(pmu->first, NULL, 0)))
        i++;
    return i;
}

static bool is_listed(const bx_syntax_node *cpu, const bx_syntax_node *pmu)
{
    return index_of(cpu, pmu) < bx_clause_find(cpu->first->clauses, "boxes")->n;
}

/* The PMU files of a CPU: an insertion sort by their indices, which keeps the order of equals. */
static struct forest pmus_of(bx_build *b, const struct forest *f, const bx_syntax_node *cpu)
{
    bool shared = cpus_beside(f, cpu) > 1;
    struct forest pmus = {bx_arena_get(b->arena, f->n * sizeof *pmus.trees), 0};
    if (!pmus.trees)
        bx_build_fail_memory(b);
    for (size_t i = 0; i < f->n && !b->failed; i++) {
        if (!is_file(f->trees[i], ".pmu") || !in_one_folder(f->trees[i], cpu) ||
            (shared && !is_listed(cpu, f->trees[i])))
            continue;
        size_t at = pmus.n++;
        for (; at > 0 && index_of(cpu, pmus.trees[at - 1]) > index_of(cpu, f->trees[i]); at--)
            pmus.trees[at] = pmus.trees[at - 1];
        pmus.trees[at] = f->trees[i];
    }
    return pmus;
}

static bool is_listed_before(const bx_clause *boxes, unsigned i)
{
    unsigned other = 0;
    while (!bx_str_eq(boxes->args[other], boxes->args[i]))
        other++;
    return other < i;
}

static bx_str pmu_name(const struct forest *pmus, size_t i)
{
    return bx_syntax_arg(pmus->trees[i]->first, NULL, 0);
}

/* The index of the PMU of that name; pmus->n if no file describes it. */
static size_t find_pmu(const struct forest *pmus, bx_str name)
{
    size_t i = 0;
    while (i < pmus->n && !bx_str_eq(pmu_name(pmus, i), name))
        i++;
    return i;
}

static void refuse_box(bx_build *b, const bx_syntax_node *cpu, bx_str box,
                       const struct forest *pmus)
{
    bx_nearest nearest = bx_nearest_to(box);
    for (size_t i = 0; i < pmus->n; i++) {
        const char *name = bx_arena_copy(b->arena, pmu_name(pmus, i));
        bx_nearest_offer(&nearest, name ? name : "");
    }
    bx_build_fail(b, cpu->first, box, "reference",
                  "no file of this folder describes the PMU '%.*s'", BX_QUOTED(box));
    bx_hint(
        b->e,
        "write a .pmu file for it; if the CPU lacks this PMU, the file has only its `pmu` item");
    bx_nearest_hint(b->e, &nearest);
}

static void refuse_name(bx_build *b, const bx_syntax_node *tree, const bx_syntax_node *first)
{
    bx_build_fail(b, tree->first, bx_syntax_arg(tree->first, NULL, 0), "duplicate",
                  "this name is taken by %.*s:%u", BX_QUOTED(first->file->name),
                  bx_syntax_line(first->first));
    bx_hint(b->e, BX_HINT_OWN_NAMES);
}

/* Checks the list of PMUs. It runs before they are built, as their registers may refer to those of
 * an earlier PMU. */
static void check_boxes(bx_build *b, const bx_syntax_node *cpu, const struct forest *pmus)
{
    const bx_clause *boxes = bx_clause_find(cpu->first->clauses, "boxes");
    if (pmus->n == 0)
        bx_build_fail(b, cpu->first, cpu->first->head.key, "reference", "no file describes a PMU");
    for (unsigned i = 0; boxes && i < boxes->n && !b->failed; i++)
        if (is_listed_before(boxes, i))
            bx_build_fail(b, cpu->first, boxes->args[i], "boxes", "'%.*s' is listed twice",
                          BX_QUOTED(boxes->args[i]));
        else if (find_pmu(pmus, boxes->args[i]) == pmus->n)
            refuse_box(b, cpu, boxes->args[i], pmus);
    for (unsigned i = 0; i < pmus->n && !b->failed; i++) {
        size_t first = find_pmu(pmus, pmu_name(pmus, i));
        if (first < i)
            refuse_name(b, pmus->trees[i], pmus->trees[first]);
        else
            bx_check_box(b, cpu->first, i, pmu_name(pmus, i));
    }
}

typedef void build_pmu_part(bx_build *b, const bx_syntax_node *file, uint16_t pmu);

static void for_each_pmu(bx_build *b, const struct forest *pmus, build_pmu_part *part)
{
    for (size_t i = 0; i < pmus->n && !b->failed; i++)
        part(b, pmus->trees[i], (uint16_t)(b->cpu_first_pmu + i));
}

static bx_span build_files(bx_build *b, const struct forest *f, const bx_syntax_node *cpu,
                           const char *ending, enum bx_table_id id,
                           void (*part)(bx_build *b, const bx_syntax_node *file))
{
    uint16_t first = bx_build_n(b, id);
    for (size_t i = 0; i < f->n && !b->failed; i++)
        if (is_file(f->trees[i], ending) && in_one_folder(f->trees[i], cpu))
            part(b, f->trees[i]);
    return bx_build_span(b, id, first);
}

/* A group may list metrics of all files of its folder. */
static bx_span build_metric_groups(bx_build *b, const struct forest *f, const bx_syntax_node *cpu,
                                   bx_span metrics)
{
    uint16_t first = bx_build_n(b, BX_T_METRIC_GROUPS);
    for (size_t i = 0; i < f->n && !b->failed; i++)
        if (is_file(f->trees[i], ".metric") && in_one_folder(f->trees[i], cpu))
            bx_build_metric_groups(b, f->trees[i], metrics);
    return bx_build_span(b, BX_T_METRIC_GROUPS, first);
}

static void build_cpu(bx_build *b, const struct forest *f, const bx_syntax_node *cpu)
{
    uint16_t row = bx_build_n(b, BX_T_CPUS);
    struct forest pmus = pmus_of(b, f, cpu);
    if (!b->failed)
        check_boxes(b, cpu, &pmus);
    if (b->failed)
        return;
    bx_build_cpu(b, cpu);
    for (size_t i = 0; i < pmus.n && !b->failed; i++)
        bx_build_pmu(b, pmus.trees[i], row);
    bx_span span = bx_build_span(b, BX_T_PMUS, b->cpu_first_pmu);
    for_each_pmu(b, &pmus, bx_build_regs);
    for_each_pmu(b, &pmus, bx_build_reg_links);
    for_each_pmu(b, &pmus, bx_build_counters);
    for_each_pmu(b, &pmus, bx_build_pmu_links);
    for_each_pmu(b, &pmus, bx_build_slots);
    for_each_pmu(b, &pmus, bx_build_modifiers);
    for_each_pmu(b, &pmus, bx_build_events);
    if (b->failed)
        return;
    bx_build_cpu_links(b, cpu, row);
    bx_span metrics = build_files(b, f, cpu, ".metric", BX_T_METRICS, bx_build_metrics);
    bx_span groups = build_metric_groups(b, f, cpu, metrics);
    bx_span passives = build_files(b, f, cpu, "passive", BX_T_PASSIVES, bx_build_passives);
    bx_span functions = build_files(b, f, cpu, "passive", BX_T_FUNCTIONS, bx_build_functions);
    bx_cat_cpu *c = BX_ROW(b, bx_cat_cpu, BX_T_CPUS, row);
    c->pmus = span;
    c->metrics = metrics;
    c->metric_groups = groups;
    c->passives = passives;
    c->functions = functions;
    const bx_cat_cpu made = *c;
    bx_span windows = bx_build_map(b, &made);
    BX_ROW(b, bx_cat_cpu, BX_T_CPUS, row)->windows = windows;
}

/* Whether the CPU must be listed before all others. */
static bool is_first(const bx_syntax_node *file)
{
    return bx_syntax_has(file->first, "first") && !bx_syntax_number(file->first, "first", 0);
}

static struct bx_catalog *build_all(bx_arena *arena, const struct forest *f, bx_error *e)
{
    bx_build b = {.arena = arena, .e = e};
    bx_build_start(&b);
    for (int first = 1; first >= 0; first--)
        for (size_t i = 0; i < f->n && !b.failed; i++)
            if (is_file(f->trees[i], ".cpu") && is_first(f->trees[i]) == first)
                build_cpu(&b, f, f->trees[i]);
    struct bx_catalog *without_operands = b.failed ? NULL : bx_flatten(&b), *c = NULL;
    if (without_operands && bx_check_all(&b, without_operands) &&
        bx_resolve_events(&b, without_operands))
        c = bx_flatten(&b);
    free(without_operands);
    return c;
}

struct bx_catalog *bx_catalog_parse(const bx_cat_file *files, size_t n, bx_error *e)
{
    bx_arena arena = {0};
    struct bx_catalog *c = NULL;
    struct forest f = {bx_arena_get(&arena, (n + 1) * sizeof *f.trees), n};
    if (!f.trees)
        bx_out_of_memory(e);
    else if (n == 0)
        bx_fail(e, BX_BAD_INPUT, 0, 0, "no file of a catalogue was given");
    else if (read_files(&arena, files, &f, e) && check_folders(&f, e) &&
             bx_inherit(&arena, f.trees, n, e))
        c = build_all(&arena, &f, e);
    bx_arena_free(&arena);
    return c;
}
