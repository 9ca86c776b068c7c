/* CPU lists and CPU masks, as text. */
#include "stage/files/cpulist.h"

#include <inttypes.h>
#include <stdio.h>

bx_cpulist bx_cpulist_range(unsigned first, unsigned n)
{
    bx_cpulist p;
    snprintf(p.z, sizeof p.z, n > 1 ? "%u-%u" : "%u", first, first + n - 1);
    return p;
}

bx_cpulist bx_cpulist_mask(unsigned first, unsigned n, unsigned cpus)
{
    bx_cpulist p = {""};
    size_t at = 0;
    for (unsigned word = (cpus + 31) / 32; word-- > 0;) {
        uint32_t bits = 0;
        for (unsigned cpu = first; cpu < first + n; cpu++)
            if (cpu / 32 == word)
                bits |= UINT32_C(1) << cpu % 32;
        at += (size_t)snprintf(p.z + at, sizeof p.z - at, "%08" PRIx32 "%s", bits, word ? "," : "");
    }
    return p;
}
