/* Checks that the caches of the Ivy Bridge-EP machine never contradict each other. */
#include "coherence.h"

#include "model/machine/ivbep/machine.h"

static const struct bx_privates *privates(bx_model *m, unsigned package, unsigned core)
{
    const struct bx_ivbep *e = bx_ivbep_of(m);
    return e->turns.agent[package * e->cores + core].privates;
}

static const struct bx_cache *llc(bx_model *m, unsigned package, unsigned slice)
{
    return &bx_ivbep_of(m)->slice[package][slice].llc;
}

static unsigned slice_of(bx_model *m, uint64_t line)
{
    return bx_ivbep_slice_number(bx_ivbep_of(m), line);
}

int main(void)
{
    static const struct coherence_machine ivbep = {
        .model = "ivbep",
        .ways = 20,
        .steps = 40000,
        .shapes = {{1, 1}, {1, 3}, {1, 5}, {2, 1}, {2, 3}, {2, 5}},
        .packages = 2,
        .cores = 4,
        .sets = 32,
        .work =
            {
                "random,size=256K,iterations=20000,cores=6,write=40+copy,size=128K,cores=2"
                "+dma,size=256K,iterations=20000,step=48",
                "sharing,size=64K,cores=8,iterations=5000,write=40+dma,size=64K,iterations=9000",
            },
        .privates = privates,
        .llc = llc,
        .slice_of = slice_of,
    };
    return coherence_main(&ivbep);
}
