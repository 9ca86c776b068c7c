/* The version and the texts of errors. */
#include "pfm/calls.h"

int pfm_get_version(void)
{
    return BX_PFMLIB_VERSION;
}

const char *pfm_strerror(int code)
{
    switch (code) {
    case BX_PFM_SUCCESS:
        return "no error";
    case BX_PFMLIB_NOTSUPP:
        return "not offered here";
    case BX_PFM_INVAL:
        return "an argument is not valid";
    case BX_PFMLIB_NOINIT:
        return "pfm_initialize() has not been called";
    case BX_PFM_NOTFOUND:
        return "no such event";
    case BX_PFM_FEATCOMB:
        return "these unit masks or modifiers do not go together";
    case BX_PFM_UMASK:
        return "a unit mask is missing or does not fit";
    case BX_PFM_NOMEM:
        return "memory is used up";
    case BX_PFM_ATTR:
        return "the event has no such unit mask or modifier";
    case BX_PFM_ATTR_VAL:
        return "a modifier cannot have this value";
    case BX_PFM_ATTR_SET:
        return "a modifier has two values";
    case BX_PFM_TOOMANY:
        return "there are too many of them";
    case BX_PFMLIB_TOOSMALL:
        return "the room given is too small";
    default:
        return "unknown error code";
    }
}
