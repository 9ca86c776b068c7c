/* Compares a structure's size with ours, and the bytes beyond ours with 0. */
#include "pfm/sized.h"

bool bx_pfmlib_sized(const void *theirs, size_t size, size_t own)
{
    if (size != 0 && size < own)
        return false;
    for (size_t i = own; i < size; i++)
        if (((const unsigned char *)theirs)[i])
            return false;
    return true;
}
