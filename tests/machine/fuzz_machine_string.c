/* Machine strings and workload strings. A machine's name is read as the same machine, and is its
 * own name. In a workload each agent has the work that its text says, or none. */
#include "fuzz/fuzz.h"
#include "machine/machine.h"
#include "model/engine/workload.h"

#include <stdlib.h>
#include <string.h>

static void check_machine(const bx_topology *t)
{
    char name[256], again[256];
    bx_topology second;
    size_t n = bx_topology_name(t, name, sizeof name);
    FUZZ_MUST(n < sizeof name && n == strlen(name));
    FUZZ_MUST(bx_topology_parse(bx_catalog_builtin(), bx_str_of(name), &second, NULL) == BX_OK);
    FUZZ_MUST(bx_topology_name(&second, again, sizeof again) == n && strcmp(name, again) == 0);
    FUZZ_MUST(t->cpu == second.cpu && t->packages == second.packages && t->cores == second.cores);
    FUZZ_MUST(memcmp(t->shape, second.shape, sizeof t->shape) == 0);
    FUZZ_MUST(memcmp(t->units, second.units, sizeof t->units) == 0);
    FUZZ_MUST(t->packages && t->cores && (uint64_t)t->packages * t->cores <= UINT16_MAX);
}

static void try_machine(const char *text, size_t size)
{
    bx_topology t;
    bx_error e = {0};
    int code = bx_topology_parse(bx_catalog_builtin(), (bx_str){text, size}, &t, &e);
    fuzz_check_error(&e, code, size + 1); /* past the end if something is missing there */
    if (!code)
        check_machine(&t);
}

/* Mapping memory for a workload takes time, so most sizes are below 64 MiB. */
static bool is_small(const char *text, size_t size)
{
    unsigned digits = 0, longest = 0;
    for (size_t i = 0; i < size; i++) {
        digits = bx_digit_value(text[i]) < 16 ? digits + 1 : 0;
        longest = digits > longest ? digits : longest;
        if (text[i] == 'G' || text[i] == 'g' || (i && bx_lower(text[i]) == 'm' && digits > 2))
            return false;
    }
    return longest < 8;
}

static void try_workload(const char *text, size_t size)
{
    enum { CORES = 4 };
    struct bx_frames *frames = bx_frames_new(1);
    struct bx_workload *w = NULL;
    bx_error e = {0};
    bool any = false;
    FUZZ_MUST(frames);
    int code = bx_workload_new(text, size, CORES, frames, &w, &e);
    fuzz_check_error(&e, code, size);
    FUZZ_MUST(!code == (w != NULL));
    for (unsigned agent = 0; w && agent < BX_AGENTS; agent++)
        any |= bx_workload_feed(w, agent) != NULL;
    FUZZ_MUST(any || !w);
    for (unsigned core = CORES; w && core < BX_AGENTS && core != BX_AGENT_GT; core++)
        FUZZ_MUST(core == BX_AGENT_IO || !bx_workload_feed(w, core));
    bx_workload_free(w);
    bx_frames_free(frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_exact(data, size);
    try_machine(text, size);
    if (is_small(text, size))
        try_workload(text, size);
    free(text);
    return 0;
}
