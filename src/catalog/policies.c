/* Names of replacement policies. */
#include "catalog/policies.h"

#define NAME(id, name) name,
static const char *const names[] = {"own", BX_POLICIES(NAME)};

const char *bx_policy_name(uint64_t number)
{
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}

bool bx_policy_number(bx_str name, uint64_t *number)
{
    const char *is;

    for (uint64_t i = 0; (is = bx_policy_name(i)); i++)
        if (bx_str_eq_fold(name, bx_str_of(is))) {
            *number = i;
            return true;
        }
    return false;
}

bool bx_is_policy_key(bx_str key)
{
    const bx_str end = BX_STR("_policy");

    return key.n > end.n && bx_str_eq((bx_str){key.p + key.n - end.n, end.n}, end);
}
