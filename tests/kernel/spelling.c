/* Implements spelling.h. */
#include "spelling.h"

#include "../cmocked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a file of the PMU; "failed: …" if there is none. */
static const char *read_attribute(spellings *known, guest *g, const char *pmu, const char *folder,
                                  const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s%s", pmu, folder, name);
    for (size_t i = 0; i < known->n; i++)
        if (strcmp(known->of[i].path, path) == 0)
            return known->of[i].text;
    assert_true(known->n < SPELLINGS);
    size_t n = known->n++;
    snprintf(known->of[n].path, sizeof known->of[n].path, "%s", path);
    snprintf(known->of[n].text, sizeof known->of[n].text, "%s",
             guest_try(g, "show /sys/bus/event_source/devices/%s", path));
    return known->of[n].text;
}

/* "config1:0-7,32-47": puts the value's bits, lowest first, into those bits of one of the three
 * words. */
static void set_field(perf_choice *to, const char *format, uint64_t value, const char *term)
{
    unsigned word = format[6] == ':' ? 0 : (unsigned)(format[6] - '0');
    if (strncmp(format, "config", 6) != 0 || word > 2)
        fail_msg("the driver's format of %s is '%s'", term, format);
    const char *at = strchr(format, ':');
    while (at && *at) {
        char *end;
        unsigned long lo = strtoul(at + 1, &end, 10), hi = lo;
        if (*end == '-')
            hi = strtoul(end + 1, &end, 10);
        for (unsigned long bit = lo; bit <= hi; bit++, value >>= 1)
            to->config[word] |= (value & 1) << bit;
        at = end;
    }
    if (value)
        fail_msg("%s does not fit into '%s'", term, format);
}

static void terms(spellings *known, guest *g, const char *pmu, const char *list, perf_choice *to)
{
    char words[512], *rest = words;
    snprintf(words, sizeof words, "%s", list);
    for (char *term; (term = strsep(&rest, ","));) {
        if (!*term)
            continue;
        char *value = term, *key = strsep(&value, "=");
        const char *format = read_attribute(known, g, pmu, "format/", key);
        if (strncmp(format, "failed: ", 8) != 0) {
            set_field(to, format, value ? strtoull(value, NULL, 0) : 1, key);
            continue;
        }
        const char *event = read_attribute(known, g, pmu, "events/", key);
        if (strncmp(event, "failed: ", 8) == 0 || value)
            fail_msg("the driver has no term %s of %s", key, pmu);
        terms(known, g, pmu, event, to);
    }
}

perf_choice spelling_resolve(spellings *known, guest *g, const char *text, unsigned package)
{
    perf_choice to = {0};
    char pmu[64], list[512] = "";
    if (sscanf(text, "%63[^/]/%511[^/]", pmu, list) < 1)
        fail_msg("'%s' is no spelling of perf's", text);
    const char *type = read_attribute(known, g, pmu, "", "type");
    if (strncmp(type, "failed: ", 8) == 0)
        fail_msg("the driver has no %s", pmu);
    to.type = (unsigned)strtoul(type, NULL, 10);
    /* One CPU of each package. */
    const char *cpus = read_attribute(known, g, pmu, "", "cpumask");
    for (unsigned i = 0; i < package && cpus; i++)
        cpus = strchr(cpus, ',') ? strchr(cpus, ',') + 1 : NULL;
    if (!cpus)
        fail_msg("the driver has no %s in package %u", pmu, package);
    to.cpu = (unsigned)strtoul(cpus, NULL, 10);
    terms(known, g, pmu, list, &to);
    return to;
}
