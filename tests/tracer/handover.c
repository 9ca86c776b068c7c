/* Threads that hand lines over to each other, and threads that share none: the first argument says
 * how, the second one how often, the third one how many lines. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 64, LINES_MOST = 256, THREADS_MOST = 8 };

typedef char line[LINE];

static struct {
    _Alignas(LINE) volatile line payload[LINES_MOST];
    _Alignas(LINE) atomic_long turn;
    _Alignas(LINE) volatile long beside[LINE / sizeof(long)];
    _Alignas(LINE) volatile long apart[THREADS_MOST][LINE / sizeof(long)];
    _Alignas(LINE) pthread_spinlock_t spin;
    _Alignas(LINE) volatile long guarded;
    _Alignas(LINE) pthread_mutex_t mutex;
    pthread_cond_t changed[2];
    sem_t semaphore[2];
    pthread_barrier_t barrier;
    int pipe[2][2];
    long whose;
} * common;

static long rounds, lines;

/* ---- one line ---- */

/* Each round is one store; nobody stores twice running. */
static void take_turns(long me)
{
    for (long i = 0; i < rounds; i++) {
        long turn;
        while ((turn = atomic_load_explicit(&common->turn, memory_order_acquire)) % 2 != me)
            ;
        atomic_store_explicit(&common->turn, turn + 1, memory_order_release);
    }
}

static void store_beside(long me)
{
    for (long i = 0; i < rounds; i++)
        common->beside[me] = i;
}

static void store_apart(long me)
{
    for (long i = 0; i < rounds; i++)
        common->apart[me][0] = i;
}

static void lock_spinning(long me)
{
    (void)me;
    for (long i = 0; i < rounds; i++) {
        pthread_spin_lock(&common->spin);
        common->guarded = common->guarded + 1;
        pthread_spin_unlock(&common->spin);
    }
}

/* ---- a payload ---- */

/* Each round, each line is stored once by each of the two. */
static void store_payload(void)
{
    for (long i = 0; i < lines; i++)
        common->payload[i][0] = 1;
}

static void by_mutex(long me)
{
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&common->mutex);
        while (common->whose != me)
            pthread_cond_wait(&common->changed[me], &common->mutex);
        store_payload();
        common->whose = !me;
        pthread_cond_signal(&common->changed[!me]);
        pthread_mutex_unlock(&common->mutex);
    }
}

static void by_semaphore(long me)
{
    for (long i = 0; i < rounds; i++) {
        sem_wait(&common->semaphore[me]);
        store_payload();
        sem_post(&common->semaphore[!me]);
    }
}

static void by_barrier(long me)
{
    for (long i = 0; i < 2 * rounds; i++) {
        if (i % 2 == me)
            store_payload();
        pthread_barrier_wait(&common->barrier);
    }
}

static void by_pipe(long me)
{
    char byte = 0;
    for (long i = 0; i < rounds; i++) {
        if (read(common->pipe[me][0], &byte, 1) != 1)
            exit(1);
        store_payload();
        if (write(common->pipe[!me][1], &byte, 1) != 1)
            exit(1);
    }
}

/* ---- a part of the work each ---- */

static void walk(long me)
{
    volatile char *mine = malloc((size_t)lines * LINE);
    for (long i = 0; mine && i < lines * LINE; i += LINE)
        mine[i] = (char)me;
}

static const struct {
    const char *name;
    long workers;
    void (*work)(long me);
    int processes;
} all[] = {
    {"turns", 2, take_turns, 0},
    {"beside", 2, store_beside, 0},
    {"apart", 2, store_apart, 0},
    {"spin-lock", 2, lock_spinning, 0},
    {"mutex", 2, by_mutex, 0},
    {"semaphore", 2, by_semaphore, 0},
    {"barrier", 2, by_barrier, 0},
    {"pipe", 2, by_pipe, 0},
    {"processes-turns", 2, take_turns, 1},
    {"processes-pipe", 2, by_pipe, 1},
    {"processes-semaphore", 2, by_semaphore, 1},
    {"walk", THREADS_MOST, walk, 0},
};

static size_t which;

static void *work(void *of)
{
    all[which].work((long)of);
    return of;
}

static int run_threads(void)
{
    pthread_t thread[THREADS_MOST];
    for (long i = 0; i < all[which].workers; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)i) != 0)
            return 1;
    for (long i = 0; i < all[which].workers; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

static int run_processes(void)
{
    int status = 1;
    pid_t pid = fork();
    work((void *)(long)(pid == 0));
    if (pid == 0)
        _exit(0);
    waitpid(pid, &status, 0);
    return status;
}

static int prepare(void)
{
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (common == MAP_FAILED)
        return 1;
    memset(common, 0, sizeof *common);
    return pthread_spin_init(&common->spin, 0) + pthread_mutex_init(&common->mutex, NULL) +
           pthread_cond_init(&common->changed[0], NULL) +
           pthread_cond_init(&common->changed[1], NULL) +
           pthread_barrier_init(&common->barrier, NULL, 2) + sem_init(&common->semaphore[0], 1, 1) +
           sem_init(&common->semaphore[1], 1, 0) + pipe(common->pipe[0]) + pipe(common->pipe[1]) +
           (write(common->pipe[0][1], "", 1) != 1);
}

int main(int argc, char *argv[])
{
    if (argc < 4 || prepare() != 0)
        return 127;
    rounds = atol(argv[2]);
    lines = atol(argv[3]);
    while (which < sizeof all / sizeof *all && strcmp(argv[1], all[which].name) != 0)
        which++;
    if (which == sizeof all / sizeof *all)
        return 126;
    if (all[which].processes ? run_processes() : run_threads())
        return 1;
    return common->guarded == (all[which].work == lock_spinning ? 2 * rounds : 0) ? 0 : 2;
}
