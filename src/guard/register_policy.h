/* The purpose of each register of a machine, and what must be observed when a register is written
 * or put back. */
#ifndef BX_GUARD_REGISTER_POLICY_H
#define BX_GUARD_REGISTER_POLICY_H

#include "guard/allow_list.h"
#include "register/register.h"

typedef struct bx_register_policy {
    const bx_topology *t;
    const bx_allow *allow;
    struct bx_bus *bus;
    bool may_interrupt; /* overflows may interrupt cores: only on a virtual machine */
    uint8_t *roles;     /* by catalogue index of the register: BX_ROLE_* */
} bx_register_policy;

enum {
    BX_ROLE_ENABLE = 1,           /* some counter needs its bits to count */
    BX_ROLE_CONTROL = 2,          /* selects what a counter counts */
    BX_ROLE_VALUE = 4,            /* the count of a counter */
    BX_ROLE_PRECONDITION = 8,     /* others can be written only while its bits are right */
    BX_ROLE_HAS_PRECONDITION = 16 /* one of those others */
};

/* t, allow and bus must outlive the policy. false: out of memory. */
bool bx_policy_new(bx_register_policy *k, const bx_topology *t, const bx_allow *allow,
                   struct bx_bus *bus);
void bx_policy_free(bx_register_policy *k);

bx_span bx_policy_pmus(const bx_register_policy *k); /* those of the CPU model */

/* The address of a unit's register. A register of another PMU than `pmu` is the package's. */
bx_address bx_policy_address(const bx_register_policy *k, uint16_t cpu, uint16_t pmu, uint16_t reg,
                             unsigned unit);

/* The condition that must hold while a register, accessed at `beside`, is written; *at: the
 * condition's register, on the same CPU. NULL: the register has no precondition. */
const bx_cat_cond *bx_policy_precondition(const bx_register_policy *k, const bx_allowed *r,
                                          const bx_address *beside, bx_address *at);

/* The value with all bits that enable counters inverted: no counter counts. */
uint64_t bx_policy_disabled(const bx_register_policy *k, const bx_allowed *r, uint64_t value);

/* The bits that, written to *at, clear these bits of a status; 0: none. */
uint64_t bx_policy_clearing(const bx_register_policy *k, const bx_allowed *status,
                            const bx_address *beside, uint64_t bits, bx_address *at);

/* The bits of a status that some register of its unit clears. */
uint64_t bx_policy_cleared(const bx_register_policy *k, const bx_allowed *status);

/* Whether a register only reports overflows: counting works without it. */
bool bx_policy_is_status(const bx_register_policy *k, const bx_allowed *r);

/* The step in which a register is put back. Steps are executed in order. */
enum bx_policy_step {
    BX_PUT_BACK_VALUES,
    BX_PUT_BACK_OTHERS,
    BX_PUT_BACK_PRECONDITIONS,
    BX_PUT_BACK_CONTROLS,
    BX_PUT_BACK_ENABLES,
    BX_PUT_BACK_PACKAGE_ENABLES,
    BX_PUT_BACK_STEPS
};
enum bx_policy_step bx_policy_step(const bx_register_policy *k, const bx_allowed *r);

/* Whether each CPU, instead of the package, has its own register. */
bool bx_policy_is_per_core(const bx_register_policy *k, const bx_allowed *r);

#endif
