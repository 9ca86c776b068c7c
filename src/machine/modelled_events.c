/* Events of a kernel that a virtual machine's model counts in its place. */
#include "machine/modelled_events.h"

#include "base/error.h"
#include "event/hint.h"
#include "machine/backend/backend.h"

#include <linux/perf_event.h>
#include <string.h>

typedef struct modelled {
    bx_modelled_name as;
    enum bx_kernel_count what;
    bool levels; /* it is told apart by privilege level in a kernel */
} modelled;

static const char time_means[] =
    "on a virtual machine, the model's time: what its cores, caches and memory take, with a part "
    "as "
    "validation.md compares with published figures: latencies mostly within 10 %, loops within "
    "25 %. Without a part an instruction takes a cycle. The kernel's time beyond its accesses, "
    "waiting for devices, the decoder and turbo are not in it (docs/explanation/"
    "model-core-time.md, What is in a core's time)";

static const modelled all[] = {
    {{"duration_time", "ns", "time of the machine", false, time_means}, BX_KERNEL_TIME, false},
    {{"task-clock", "ns", "time in which cores had work, added up", false, time_means},
     BX_KERNEL_BUSY,
     false},
    {{"cpu-clock", "ns", "the same as task-clock", false, time_means}, BX_KERNEL_BUSY, false},
    {{"page-faults", "faults", "first uses of pages, and first writes to shared ones", false},
     BX_KERNEL_PAGE_FAULTS,
     true},
    {{"faults", "faults", "page-faults", true}, BX_KERNEL_PAGE_FAULTS, true},
    {{"minor-faults", "faults", "page faults that need no reading: all of them", false},
     BX_KERNEL_PAGE_FAULTS,
     true},
    {{"context-switches", "switches", "a core begins a thread other than the one it had", false},
     BX_KERNEL_SWITCHES,
     true},
    {{"cs", "switches", "context-switches", true}, BX_KERNEL_SWITCHES, true},
    {{"cpu-migrations", "migrations", "a thread that had a core goes on on another one", false},
     BX_KERNEL_MIGRATIONS,
     true},
    {{"migrations", "migrations", "cpu-migrations", true}, BX_KERNEL_MIGRATIONS, true},
    {{"user_time", "ns", "time in the program's own code", true}, BX_KERNEL_NOT_MODELLED, false},
    {{"system_time", "ns", "time in the kernel", true}, BX_KERNEL_NOT_MODELLED, false},
};

const bx_modelled_name *bx_modelled_event_at(size_t i)
{
    return i < sizeof all / sizeof *all ? &all[i].as : NULL;
}

/* Sets *to to an event of this name. false: neither the model nor a kernel has it. */
static bool find(bx_str name, modelled *to)
{
    bx_perf_config config;
    const char *unit;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (bx_str_eq_fold(name, bx_str_of(all[i].as.name))) {
            *to = all[i];
            return true;
        }
    if (!bx_perf_generic_find(name, &config, &unit))
        return false;
    bool of_kernel = config.type == PERF_TYPE_SOFTWARE;
    *to = (modelled){{NULL, unit, NULL, false},
                     of_kernel ? BX_KERNEL_NOT_MODELLED : BX_KERNEL_NOT_SUPPORTED,
                     false};
    return true;
}

/* Reads perf's letters. *some: only some privilege levels are counted. */
static int read_letters(bx_str part, bx_str letters, bool *some, bx_error *e)
{
    bool user = false, kernel = false;
    for (size_t i = 0; i < letters.n; i++) {
        char letter = letters.p[i];
        if (strchr("ukhpP", letter)) {
            user |= letter == 'u';
            kernel |= letter == 'k';
            continue;
        }
        bx_fail(e, BX_BAD_INPUT, (size_t)(letters.p - part.p) + i, 1, "'%s' after ':'",
                bx_quote(bx_str_sub(letters, i, 1)).text);
        bx_hint(e, "u and k choose privilege levels");
        return BX_BAD_INPUT;
    }
    *some = user != kernel;
    return BX_OK;
}

int bx_modelled_event_read(bx_machine *m, bx_str part, bx_perf_event *to, bx_error *e)
{
    bx_str letters = part, name = bx_str_cut(&letters, ':');
    modelled found;
    bool some = false;
    if (!find(name, &found))
        return bx_fail(e, BX_NOT_FOUND, 0, name.n, "the kernel has no event '%s'",
                       bx_quote(name).text);
    int code = read_letters(part, letters, &some, e);
    if (code)
        return code;
    const char *text = bx_arena_copy(&m->kernel_texts, part);
    *to = (bx_perf_event){
        .text = text,
        .name = text,
        .count = found.as.counts,
        .unit = "",
        .scale = 1,
        .modelled = (uint8_t)(some && found.levels ? BX_KERNEL_NOT_MODELLED : found.what),
    };
    return text ? BX_OK : bx_out_of_memory(e);
}

unsigned bx_modelled_event_count(const bx_machine *m, const bx_perf_event *event, uint64_t *value)
{
    const bx_backend *b = m->backend;
    *value = 0;
    if (event->modelled == BX_KERNEL_NOT_SUPPORTED)
        return BX_NOT_SUPPORTED;
    return event->modelled < BX_KERNEL_COUNTS &&
                   b->calls.kernel_count(b, (enum bx_kernel_count)event->modelled, value)
               ? BX_COUNTED
               : BX_NOT_MODELLED;
}
