/* The private caches of a core, for the oracles of the machines that follow "Private caches" of
 * docs/explanation/model.md: L1D, L1I, L2 and perhaps L3, of any inclusion. They know no time. */
#ifndef BX_TESTS_ORACLE_PRIVATES_H
#define BX_TESTS_ORACLE_PRIVATES_H

#include "core_counts.h"
#include "steering.h"

#include "model/engine/shape.h"

/* The states of private copies. I: the way is empty. L1I's copies are E, which means "present". */
enum private_state { PRIVATE_I, PRIVATE_S, PRIVATE_E, PRIVATE_M };

enum private_policy {
    PRIVATE_LRU,
    PRIVATE_TREE,
    PRIVATE_QLRU /* QLRU_H00_M1_R2_U1 */
};

struct private_copy {
    uint64_t line;
    enum private_state state;
    uint64_t used; /* LRU: when it was filled or touched last */
    unsigned age;  /* QLRU: empty ways have one, too */
};

struct private_cache {
    unsigned sets, ways;
    enum private_policy policy;
    struct private_copy *copy; /* [sets][ways] */
    bool *upper_next;          /* [sets][ways - 1]: the bits of tree-PLRU, a heap per set */
    uint64_t uses;
};

/* The caches as a machine has them. L2 and L3: `bytes` 0 of an L3 means that there is none. */
struct private_kind {
    struct {
        unsigned sets, ways;
        enum private_policy policy;
    } l1d, l1i, l2, l3;
    unsigned inclusion[2]; /* of L2 and L3: enum bx_inclusion */
    /* L1D takes over that a line of L2 is modified */
    bool moves_modified;
};

enum { PRIVATE_LEVELS = 2, PRIVATE_WRITE_BACKS = 8 };

/* A line that the last level has replaced and that must be written back. */
struct private_write_back {
    uint64_t line;
    bool in_l1d; /* L1D still had it then */
};

struct privates {
    struct private_cache l1d, l1i, level[PRIVATE_LEVELS]; /* behind L1: L2 and L3 */
    unsigned levels, inclusion[PRIVATE_LEVELS];
    bool moves_modified;
    struct oracle_core_counts *counts;
    /* until the machine has executed them, in this order */
    unsigned write_backs;
    struct private_write_back write_back[PRIVATE_WRITE_BACKS];
};

/* A line that is asked for. kind: enum bx_access_kind. */
struct private_ask {
    unsigned kind;
    uint64_t line;
};

/* The kind of a machine whose caches are these, but for what the shape says of L2 and L3. own: the
 * inclusion that L2 has without the key, and L3, too. */
struct private_kind private_kind_of(const bx_model_shape *shape, unsigned own,
                                    struct private_kind kind);
/* Gives a trial of a family L2 and L3 of some inclusion and size. In three of five there is an L3.
 */
void private_trial(bx_model_shape *shape, uint64_t seed, const char *name);
/* counts: those of the core. */
void privates_new(struct privates *p, const struct private_kind *kind,
                  struct oracle_core_counts *counts);
void privates_free(struct privates *p);

bool privates_have(const struct privates *p, uint64_t line);
/* Whether L1D, L2 or L3 has it modified. */
bool privates_have_modified(const struct privates *p, uint64_t line);
bool privates_l1d_has(const struct privates *p, uint64_t line);
bool privates_l1i_has(const struct privates *p, uint64_t line);
bool privates_l2_has(const struct privates *p, uint64_t line);
/* L2 or L3 has it. */
bool privates_levels_have(const struct privates *p, uint64_t line);

/* Snoops. */
void privates_share(struct privates *p, uint64_t line);
void privates_invalidate(struct privates *p, uint64_t line);

/* Serves an access in L1, if that can. */
bool privates_hit_l1(struct privates *p, struct private_ask ask);
/* The level that can serve an access that L1 cannot serve: 0 is L2, 1 L3; -1 none. */
int privates_level_for(const struct privates *p, struct private_ask ask);
/* The access, which privates_level_for() serves, has to be at the core's turn. */
bool privates_hit_waits(const struct privates *p, struct private_ask ask);
/* That level serves it. */
void privates_take(struct privates *p, struct private_ask ask);
/* The line of a request comes, in this state. */
void privates_fill(struct privates *p, struct private_ask ask, enum private_state granted);
/* The line of a prefetch comes, for L2. */
void privates_fill_prefetch(struct privates *p, struct private_ask ask, enum private_state granted);

/* A prefetch instruction has nothing to do. */
bool privates_are_steered(const struct privates *p, enum steer how, uint64_t line);
/* Its line comes, or the right to store to it. */
void privates_fill_steered(struct privates *p, enum steer how, uint64_t line,
                           enum private_state granted);

#endif
