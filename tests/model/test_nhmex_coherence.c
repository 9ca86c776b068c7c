/* Checks that the caches of the Xeon 7500 machine never contradict each other. */
#include "coherence.h"

#include "model/machine/nhmex/machine.h"

static const struct bx_privates *privates(bx_model *m, unsigned package, unsigned core)
{
    const struct bx_nhmex *e = bx_nhmex_of(m);
    return e->turns.agent[package * e->cores + core].privates;
}

static const struct bx_cache *llc(bx_model *m, unsigned package, unsigned slice)
{
    return &bx_nhmex_of(m)->package[package].c[slice].llc;
}

static unsigned slice_of(bx_model *m, uint64_t line)
{
    return bx_nhmex_slice(bx_nhmex_of(m), line);
}

int main(void)
{
    static const struct coherence_machine nhmex = {
        .model = "nhmex",
        .ways = 24,
        .steps = 12000,
        .shapes = {{1, 1}, {1, 3}, {2, 2}, {3, 1}, {4, 2}, {5, 1}, {8, 1}},
        .packages = 4,
        .cores = 2,
        .sets = 64,
        .work =
            {
                "random,size=256K,iterations=10000,cores=6,write=40+copy,size=128K,cores=2"
                "+dma,size=256K,iterations=5000,step=48",
                "sharing,size=64K,cores=8,iterations=5000,write=40+dma,size=64K,iterations=5000",
            },
        .privates = privates,
        .llc = llc,
        .slice_of = slice_of,
    };
    return coherence_main(&nhmex);
}
