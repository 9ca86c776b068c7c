/* A program's marks of regions, as functions of the library. */
#include <boxscore/measure.h>

#define BX_REGIONS_HOST
#include <boxscore/region.h>

void bx_region_begin(const char *name)
{
    if (name)
        BX_REGION_BEGIN(name);
}

void bx_region_end(const char *name)
{
    if (name)
        BX_REGION_END(name);
}

void bx_region_reset(const char *name)
{
    if (name)
        BX_REGION_RESET(name);
}
