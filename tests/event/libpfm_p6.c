/* Prints the code words of a 32-bit libpfm4, the only one with events of the P6 family. Each event
 * is encoded alone, with each attribute, and with each pair of attributes. A line is "STRING|WORDS"
 * or "STRING|error". */
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64, TEXT = 512 };

static const char *const settings[] = {
    "u",   "u=0",   "k",     "k=1",   "e",   "e=1",  "e=n", "i",   "i=y",  "c=0",
    "c=1", "c=255", "c=256", "c=010", "c=-", "c",    "0x0", "0xf", "0Xff", "0x100",
    "x",   "t=1",   "ANY",   "MESI",  "S",   "SELF", "",    "e=",  "u=1=", "c=+1",
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void ask(const char *text)
{
    pfm_pmu_encode_arg_t arg;
    memset(&arg, 0, sizeof arg);
    arg.size = sizeof arg;
    int failed = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);
    printf("%s|%s", text, failed ? "error" : "");
    for (int i = 0; !failed && i < arg.count; i++)
        printf("%s0x%llx", i ? " " : "", (unsigned long long)arg.codes[i]);
    printf("\n");
    free(arg.codes);
}

/* Lists the words that can follow the event's name: its unit masks and the settings. */
static int words_of(const pfm_event_info_t *event, char to[][WORDS])
{
    int n = 0;
    for (int i = 0; i < event->nattrs; i++) {
        pfm_event_attr_info_t attr;
        memset(&attr, 0, sizeof attr);
        attr.size = sizeof attr;
        if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &attr) == PFM_SUCCESS &&
            attr.type == PFM_ATTR_UMASK)
            snprintf(to[n++], WORDS, "%s", attr.name);
    }
    for (int i = 0; i < SETTINGS; i++)
        snprintf(to[n++], WORDS, "%s", settings[i]);
    return n;
}

static void ask_event(const char *pmu, const pfm_event_info_t *event)
{
    static char words[64 + SETTINGS][WORDS];
    char text[TEXT];
    int n = words_of(event, words);
    snprintf(text, sizeof text, "%s::%s", pmu, event->name);
    ask(text);
    for (int a = 0; a < n; a++) {
        snprintf(text, sizeof text, "%s::%s:%s", pmu, event->name, words[a]);
        ask(text);
        for (int b = 0; b < n; b++) {
            snprintf(text, sizeof text, "%s::%s.%s:%s", pmu, event->name, words[a], words[b]);
            ask(text);
        }
    }
}

static int is_p6(const char *name)
{
    static const char *const family[] = {"ppro", "pii", "p6", "pm"};
    for (size_t i = 0; i < sizeof family / sizeof *family; i++)
        if (strcmp(name, family[i]) == 0)
            return 1;
    return 0;
}

int main(void)
{
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (pfm_initialize() != PFM_SUCCESS)
        return 1;
    for (int i = 0; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t pmu;
        memset(&pmu, 0, sizeof pmu);
        pmu.size = sizeof pmu;
        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || !is_p6(pmu.name))
            continue;
        for (int e = pmu.first_event; e != -1; e = pfm_get_event_next(e)) {
            pfm_event_info_t event;
            memset(&event, 0, sizeof event);
            event.size = sizeof event;
            if (pfm_get_event_info(e, PFM_OS_NONE, &event) == PFM_SUCCESS)
                ask_event(pmu.name, &event);
        }
    }
    return 0;
}
