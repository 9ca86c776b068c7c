/* Makes the list of operations from an undo log. */
#include "guard/operations.h"

typedef struct list {
    const bx_register_policy *k;
    const bx_undo_log *log;
    bx_undo_op *ops;
    size_t n;
    unsigned step;   /* enum bx_policy_step */
    bool reset_late; /* a register that resets all counters was written after them */
} list;

/* The bits that read back as written. Bits that trigger something do not, nor does a write-only
 * register. */
static uint64_t readable_bits(const bx_allowed *r)
{
    return r->write_only ? 0 : r->write & ~r->triggers;
}

static void add_operation(list *l, size_t entry, const bx_address *at, uint64_t value, bool check)
{
    const bx_allowed *r = bx_allow_find(l->k->allow, at);
    if (r && r->write)
        l->ops[l->n++] = (bx_undo_op){.write = {.at = *at,
                                                .value = value,
                                                .check = check ? readable_bits(r) : 0,
                                                .clears = r->clears},
                                      .entry = (uint32_t)entry,
                                      .readable = readable_bits(r)};
}

static uint64_t first_of(const bx_undo_entry *entry)
{
    return bx_allow_restore_value(entry->r, entry->first);
}

static bool is_enable(const list *l, const bx_undo_entry *entry)
{
    return l->k->roles[entry->r->reg] & (BX_ROLE_ENABLE | BX_ROLE_CONTROL);
}

/* Whether the saved value of a register has all its enables off already. Then the register is not
 * written again after the counts, because that may reset them. */
static bool is_disabled(const list *l, const bx_undo_entry *entry)
{
    return bx_policy_disabled(l->k, entry->r, first_of(entry)) == first_of(entry);
}

static void disable(list *l, size_t i)
{
    const bx_undo_entry *entry = &l->log->list[i];
    if (is_enable(l, entry) && entry->prepared)
        add_operation(l, i, &entry->at, bx_policy_disabled(l->k, entry->r, first_of(entry)),
                      is_disabled(l, entry));
}

/* The number of a register's entry; log->n: its contents were not saved. */
static size_t find_saved(const list *l, const bx_address *at)
{
    const bx_undo_entry *entry = bx_undo_find(l->k, l->log, at);
    return entry && !entry->unreadable ? (size_t)(entry - l->log->list) : l->log->n;
}

/* ---- counts ---- */

/* The entry of a condition's register; log->n: the register was not saved. */
static size_t holder_of(const list *l, const bx_cat_counter *counter, const bx_undo_entry *value,
                        const bx_cat_cond *cond)
{
    bx_address at = bx_policy_address(l->k, value->at.cpu, counter->pmu, cond->reg, value->r->unit);
    return find_saved(l, &at);
}

/* Whether a condition of counting may hold. It cannot while we have disabled its register. When all
 * is put back, it holds if it held before. For a register that was not saved, it may hold. */
static bool may_hold(const list *l, const bx_cat_counter *counter, const bx_undo_entry *value,
                     const bx_cat_cond *cond, bool disabled)
{
    size_t i = holder_of(l, counter, value, cond);
    return i == l->log->n || (disabled && !l->log->list[i].prepared) ||
           (!disabled && bx_condition_holds(l->k->t->catalog, cond, l->log->list[i].first));
}

/* Whether a count may grow. disabled: while all enables of the log are disabled; otherwise when all
 * registers are put back. */
static bool may_count(const list *l, const bx_undo_entry *value, bool disabled)
{
    const struct bx_catalog *c = l->k->t->catalog;
    const bx_cat_counter *counter = bx_register_counter(c, value->r->reg);
    bool may = counter;
    for (unsigned i = 0; may && i < counter->counts.n; i++)
        may = may_hold(l, counter, value, &bx_cat_conds(c)[counter->counts.first + i], disabled);
    return may;
}

static bool is_count(const list *l, const bx_undo_entry *entry)
{
    return l->k->roles[entry->r->reg] & BX_ROLE_VALUE;
}

/* ---- each register ---- */

/* Makes the precondition of a register hold. The register that it is in is saved, too. */
static void set_precondition(list *l, size_t i)
{
    bx_address at;
    const bx_undo_entry *entry = &l->log->list[i];
    const bx_cat_cond *cond = bx_policy_precondition(l->k, entry->r, &entry->at, &at);
    if (!cond)
        return;
    size_t holder = find_saved(l, &at);
    const bx_cat_field *f = &bx_cat_fields(l->k->t->catalog)[cond->field];
    if (holder < l->log->n)
        add_operation(l, holder, &at,
                      bx_bits_set(first_of(&l->log->list[holder]), f->lo, f->hi, cond->value),
                      false);
}

/* A status is put back through the register that clears it: bits that were not set are cleared. */
static void clear_status(list *l, size_t i)
{
    bx_address at;
    const bx_undo_entry *entry = &l->log->list[i];
    uint64_t clearing = bx_policy_clearing(l->k, entry->r, &entry->at, ~entry->first, &at);
    size_t n = l->n;
    if (clearing)
        add_operation(l, i, &at, clearing, false);
    if (l->n == n)
        return;
    l->ops[n].has_status = true;
    l->ops[n].status = entry->at;
    l->ops[n].were_clear = ~entry->first & bx_policy_cleared(l->k, entry->r);
}

static void put_back(list *l, size_t i)
{
    const bx_undo_entry *entry = &l->log->list[i];
    uint64_t clearing = ~entry->first & entry->r->clears;
    if (!entry->r->write) {
        clear_status(l, i);
    } else if (!is_enable(l, entry) || !entry->prepared || clearing || !is_disabled(l, entry)) {
        add_operation(l, i, &entry->at, first_of(entry) | clearing, true);
        l->ops[l->n - 1].write.counting = is_count(l, entry) && may_count(l, entry, true);
        l->reset_late |= bx_register_resets(l->k->t->catalog, entry->r->reg, first_of(entry)) >>
                             BX_RESETS_PACKAGE &
                         1;
    }
}

static void write_count_again(list *l, size_t i)
{
    const bx_undo_entry *entry = &l->log->list[i];
    if (!is_count(l, entry))
        return;
    add_operation(l, i, &entry->at, first_of(entry), true);
    l->ops[l->n - 1].write.counting = may_count(l, entry, false);
}

/* ---- all ---- */

size_t bx_undo_ops_room(size_t n)
{
    return 5 * n; /* disable, set precondition, put back, count again, check status */
}

static void put_back_in_step(list *l, size_t i)
{
    if (bx_policy_step(l->k, l->log->list[i].r) == l->step)
        put_back(l, i);
}

static void each(list *l, void (*action)(list *l, size_t i))
{
    for (size_t i = 0; i < l->log->n; i++)
        if (!l->log->list[i].unreadable)
            action(l, i);
}

size_t bx_undo_ops(const bx_register_policy *k, const bx_undo_log *log, bx_undo_op *ops)
{
    list l = {.k = k, .log = log, .ops = ops};
    each(&l, disable);
    each(&l, set_precondition);
    for (l.step = 0; l.step < BX_PUT_BACK_STEPS; l.step++)
        each(&l, put_back_in_step);
    if (l.reset_late)
        each(&l, write_count_again);
    return l.n;
}

bool bx_undo_op_is_last(const bx_undo_op *ops, size_t n, size_t i)
{
    for (size_t k = i + 1; k < n; k++)
        if (ops[k].entry == ops[i].entry)
            return false;
    return true;
}
