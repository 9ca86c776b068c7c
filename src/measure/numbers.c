/* Implements numbers.h. */
#include "measure/numbers.h"

#include "host/perf/kernel_pmus.h"
#include "host/system/tsc.h"
#include "machine/kernel_events.h"

/* Dies of a package: the kernel reads a PMU on a CPU of each. */
static unsigned dies_of(const bx_machine *m, bx_str kernel)
{
    bx_perf *perf = bx_machine_perf(m);
    char name[64];
    bx_cat_expand(name, sizeof name, kernel.p, 0, 0);
    const bx_perf_pmu *pmu = perf ? bx_perf_find(perf, bx_str_of(name)) : NULL;
    unsigned dies = 0;
    for (size_t i = 0; pmu && i < pmu->cpus_n; i++)
        dies += bx_perf_package(bx_machine_cpus(m), pmu->cpus[i]) == 0;
    return dies ? dies : 1;
}

/* Slices of the last-level cache: units of the C-Boxes, or of what became of them. */
static unsigned slices_of(const bx_machine *m)
{
    const bx_catalog *c = m->topology.catalog;
    unsigned most = 0;
    bx_span pmus = bx_machine_cpu(m) < 0 ? (bx_span){0} : bx_cat_cpus(c)[bx_machine_cpu(m)].pmus;
    for (unsigned i = pmus.first; i < (unsigned)pmus.first + pmus.n; i++) {
        bx_str kernel = bx_cat_str(c, bx_cat_pmus(c)[i].kernel);
        unsigned units = bx_machine_units(m, i);
        if (units && (bx_str_eq(kernel, BX_STR("uncore_cha_{unit}")) ||
                      bx_str_eq(kernel, BX_STR("uncore_cbox_{unit}"))))
            units *= dies_of(m, kernel);
        else
            units = 0;
        most = units > most ? units : most;
    }
    return most;
}

/* Some cores of a hybrid CPU have several threads: formulas mean these. */
static void count_cpus(const bx_cpus *of, bx_machine_numbers *to)
{
    unsigned cores = 0;
    for (unsigned i = 0; i < of->packages * of->cores; i++)
        cores += of->logical[i] != BX_NO_CPU;
    to->cpus = cores + of->others;
    to->threads = cores ? 1 + (of->others + cores - 1) / cores : 0;
}

bx_machine_numbers bx_numbers_of(const bx_machine *m)
{
    bx_machine_numbers numbers = {
        .packages = bx_machine_packages(m), .cores = bx_machine_cores(m), .slices = slices_of(m)};
    const bx_cpus *cpus = bx_machine_cpus(m);
    if (cpus) {
        count_cpus(cpus, &numbers);
        numbers.tsc = bx_tsc_hz(bx_machine_root(m));
    } else { /* cores of a virtual machine have one thread */
        numbers.cpus = numbers.packages * numbers.cores;
        numbers.threads = 1;
    }
    return numbers;
}
