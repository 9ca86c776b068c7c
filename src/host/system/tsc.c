/* CPUID has the frequency since Skylake (SDM volume 2, CPUID leaf 15H); older processors name it:
 * "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz". Linux's perf reads the same. */
#include "host/system/tsc.h"

#include "host/system/file.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static double of_cpuid(void)
{
#if defined(__x86_64__) || defined(__i386__)
    enum { LEAF = 0x15 };
    unsigned denominator = 0, numerator = 0, crystal = 0, rest = 0;
    if (__get_cpuid(LEAF, &denominator, &numerator, &crystal, &rest) && denominator)
        return (double)crystal * numerator / denominator;
#endif
    return 0;
}

static double of_name(const char *root)
{
    enum { ROOM = 4096 };
    char bytes[ROOM + 1];
    bx_str text = bx_file_read(root, "/proc/cpuinfo", bytes, ROOM);
    bytes[text.n] = '\0';
    const char *name = text.n ? strstr(bytes, "model name") : NULL;
    const char *end = name ? strchr(name, '\n') : NULL;
    const char *at = name ? strstr(name, "@ ") : NULL;
    char *unit = NULL;
    double value = at && (!end || at < end) ? strtod(at + 2, &unit) : 0;
    return !unit                          ? 0
           : strncmp(unit, "GHz", 3) == 0 ? value * 1e9
           : strncmp(unit, "MHz", 3) == 0 ? value * 1e6
                                          : 0;
}

double bx_tsc_hz(const char *root)
{
    double hz = *root ? 0 : of_cpuid();
    return hz > 0 ? hz : of_name(root);
}
