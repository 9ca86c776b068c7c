/* Names of replacement policies, of inclusions, of placements of pages and of what is huge. */
#include "catalog/policies.h"

#define NAME(id, name) name,
static const char *const policies[] = {"own", BX_POLICIES(NAME) NULL};
static const char *const inclusions[] = {"own", "none", "modified", "inclusive", "exclusive", NULL};
static const char *const placements[] = {"own", "first-touch", "interleave", NULL};

static const char *const huge_pages[] = {"own", "never", "madvise", "always", NULL};
static const char *const predictors[] = {"none", "local", "tagged", NULL};

static const struct named {
    const char *end, *kind;
    const char *const *name;
} named[] = {
    {"_policy", "replacement policy", policies},   {"_inclusion", "inclusion", inclusions},
    {"numa", "placement of pages", placements},    {"thp", "choice of huge pages", huge_pages},
    {"predictor", "branch predictor", predictors},
};

/* NULL: the key's values are numbers. */
static const struct named *names_of(bx_str key)
{
    for (unsigned i = 0; i < sizeof named / sizeof *named; i++) {
        const bx_str end = bx_str_of(named[i].end);
        if (key.n >= end.n && bx_str_eq((bx_str){key.p + key.n - end.n, end.n}, end))
            return &named[i];
    }
    return NULL;
}

bool bx_is_named_key(bx_str key)
{
    return names_of(key) != NULL;
}

const char *bx_named_kind(bx_str key)
{
    return names_of(key)->kind;
}

const char *bx_named_value(bx_str key, uint64_t number)
{
    const char *const *name = names_of(key)->name;

    for (; number && *name; number--)
        name++;
    return *name;
}

bool bx_named_number(bx_str key, bx_str name, uint64_t *number)
{
    const char *is;

    for (uint64_t i = 0; (is = bx_named_value(key, i)); i++)
        if (bx_str_eq_fold(name, bx_str_of(is))) {
            *number = i;
            return true;
        }
    return false;
}
