/* The threads that read MSRs, one for each package, and the division of the work among them. */
#include "host/bus/msr_readers.h"

#include "catalog/catalog.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

/* Up to this number, reading with interrupts takes no longer than handing the reads over to a
 * thread (bench/readers.c). */
enum { FEW = 2 };

typedef struct reader {
    bx_readers *all;
    unsigned package;
    unsigned cpu; /* of the first register, by the kernel's number */
    size_t n;     /* registers that no thread reads yet */
    pthread_t thread;
    bool runs;   /* it has begun */
    sem_t start; /* there is work, or the thread has to end */
} reader;

struct bx_readers {
    bx_msrs *msrs;
    unsigned packages;
    sem_t done;
    bool end;
    /* the current request */
    const bx_address *at;
    uint64_t *values;
    int *errnos;
    size_t n;
    reader of[];
};

static unsigned package_of(const bx_readers *r, const bx_address *at)
{
    return bx_cpus_package(r->msrs->cpus, at->cpu);
}

static bool is_known(const bx_readers *r, const bx_address *at)
{
    return at->cpu < bx_cpus_all(r->msrs->cpus);
}

static bool is_of(const bx_readers *r, const bx_address *at, unsigned package)
{
    return at->space == BX_SPACE_MSR && is_known(r, at) && package_of(r, at) == package;
}

/* Reads the registers of one package. Threads share nothing: each has its own registers, answers
 * and files. */
static void read_package(bx_readers *r, unsigned package)
{
    for (size_t i = 0; i < r->n; i++)
        if (is_of(r, &r->at[i], package))
            r->errnos[i] = bx_msrs_read(r->msrs, &r->at[i], &r->values[i]);
}

static void wait_for(sem_t *s)
{
    while (sem_wait(s) != 0 && errno == EINTR)
        continue;
}

/* Binds this thread to a CPU. A failure only costs speed: the CPU is offline, or we are not allowed
 * to run on it. */
static void stay_on(unsigned cpu)
{
    cpu_set_t *set = CPU_ALLOC(cpu + 1);
    size_t size = CPU_ALLOC_SIZE(cpu + 1);
    if (!set)
        return;
    CPU_ZERO_S(size, set);
    CPU_SET_S(cpu, size, set);
    sched_setaffinity(0, size, set); /* of this thread */
    CPU_FREE(set);
}

static void *work(void *of)
{
    reader *own = of;
    bx_readers *r = own->all;
    unsigned cpu = BX_NO_CPU;
    for (;;) {
        wait_for(&own->start);
        if (r->end)
            return NULL;
        if (own->cpu != cpu)
            stay_on(cpu = own->cpu);
        read_package(r, own->package);
        sem_post(&r->done);
    }
}

/* Starts a package's thread, unless it runs already. It blocks all signals, which are for the other
 * threads. */
static bool begin_reader(reader *own)
{
    sigset_t all, before;
    if (own->runs)
        return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    own->runs = pthread_create(&own->thread, NULL, work, own) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return own->runs;
}

bx_readers *bx_readers_new(bx_msrs *msrs)
{
    unsigned n = msrs->cpus->packages;
    bx_readers *r = calloc(1, sizeof *r + n * sizeof r->of[0]);
    if (!r)
        return NULL;
    r->msrs = msrs;
    r->packages = n;
    sem_init(&r->done, 0, 0);
    for (unsigned i = 0; i < n; i++) {
        r->of[i].all = r;
        r->of[i].package = i;
        sem_init(&r->of[i].start, 0, 0);
    }
    return r;
}

void bx_readers_free(bx_readers *r)
{
    if (!r)
        return;
    r->end = true;
    for (unsigned i = 0; i < r->packages; i++) {
        if (r->of[i].runs) {
            sem_post(&r->of[i].start);
            pthread_join(r->of[i].thread, NULL);
        }
        sem_destroy(&r->of[i].start);
    }
    sem_destroy(&r->done);
    free(r);
}

/* Counts the registers of each package. Registers that belong to no package get their errno
 * here. */
static void sort(bx_readers *r)
{
    for (unsigned i = 0; i < r->packages; i++)
        r->of[i].n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->at[i].space != BX_SPACE_MSR)
            continue;
        if (!is_known(r, &r->at[i])) {
            r->errnos[i] = ENXIO;
            continue;
        }
        reader *own = &r->of[package_of(r, &r->at[i])];
        if (own->n++ == 0)
            own->cpu = r->msrs->cpus->logical[r->at[i].cpu];
    }
}

void bx_readers_read(bx_readers *r, const bx_address *at, uint64_t *values, int *errnos, size_t n)
{
    unsigned waiting = 0;
    int here = sched_getcpu();
    r->at = at;
    r->values = values;
    r->errnos = errnos;
    r->n = n;
    sort(r);
    for (unsigned i = 0; i < r->packages; i++) {
        reader *own = &r->of[i];
        if (own->n <= FEW || (int)own->cpu == here || !begin_reader(own))
            continue;
        own->n = 0; /* the thread reads them, not the caller */
        sem_post(&own->start);
        waiting++;
    }
    for (unsigned i = 0; i < r->packages; i++)
        if (r->of[i].n)
            read_package(r, i);
    while (waiting-- > 0)
        wait_for(&r->done);
}
