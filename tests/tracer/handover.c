/* Threads and processes that pass lines to each other, or share none. Arguments: the kind, how
 * often, how many lines, and in what memory processes have them. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 64, LINES_MOST = 256, THREADS_MOST = 8 };

typedef struct line {
    volatile char byte[LINE];
} line;

static struct {
    _Alignas(LINE) atomic_long turn;
    _Alignas(LINE) atomic_long stop;
    _Alignas(LINE) volatile long beside[LINE / sizeof(long)];
    _Alignas(LINE) volatile long apart[THREADS_MOST][LINE / sizeof(long)];
    _Alignas(LINE) pthread_spinlock_t spin;
    _Alignas(LINE) volatile long guarded;
    _Alignas(LINE) pthread_mutex_t mutex;
    pthread_cond_t changed[2];
    sem_t semaphore[2];
    pthread_barrier_t barrier, all;
    int pipe[2][2];
    long whose;
} * common;

static line *payload; /* [LINES_MOST] */
static int payload_file = -1;
static long rounds, lines;

/* ---- one line ---- */

/* Each round is one store; no thread stores twice in a row. */
static void take_turns(long me)
{
    for (long i = 0; i < rounds; i++) {
        long turn;
        while ((turn = atomic_load_explicit(&common->turn, memory_order_acquire)) % 2 != me)
            ;
        atomic_store_explicit(&common->turn, turn + 1, memory_order_release);
    }
}

static __attribute__((noinline)) int is_stopped(void)
{
    return atomic_load_explicit(&common->stop, memory_order_relaxed) != 0;
}

/* The same. The loop that waits has several blocks and a call, and stores to the thread's own
 * frame, as without optimization. */
static void take_turns_or_stop(long me)
{
    for (long i = 0; i < rounds; i++) {
        volatile long turn;
        while ((turn = atomic_load_explicit(&common->turn, memory_order_acquire)) % 2 != me)
            if (is_stopped())
                return;
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

/* All to one word. */
static void add_together(long me)
{
    (void)me;
    for (long i = 0; i < rounds; i++)
        __atomic_add_fetch(&common->beside[0], 1, __ATOMIC_RELAXED);
}

/* All to a word in two lines: 8 bytes from byte 60 on. */
static void add_split(long me)
{
    volatile char *word = (volatile char *)common->beside + 60;
    (void)me;
    for (long i = 0; i < rounds; i++)
        __asm__ volatile("lock addq $1, %0" : "+m"(*(volatile long *)(volatile void *)word));
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
        payload[i].byte[0] = 1;
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

static void *store_once(void *of)
{
    store_payload();
    return of;
}

/* Each round a new thread stores, and then the first one. */
static void by_join(long me)
{
    pthread_t thread;
    (void)me;
    for (long i = 0; i < rounds; i++) {
        if (pthread_create(&thread, NULL, store_once, NULL) != 0)
            exit(1);
        pthread_join(thread, NULL);
        store_payload();
    }
}

static line *map_payload(void)
{
    const size_t bytes = sizeof(line[LINES_MOST]);
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, payload_file, 0);
}

/* Each round a new process stores, and then the first one. If the lines are those of a file the
 * process maps it once more, at another address. */
static void by_wait(long me)
{
    (void)me;
    for (long i = 0; i < rounds; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            if (payload_file >= 0)
                payload = map_payload();
            store_payload();
            _exit(0);
        }
        if (waitpid(pid, NULL, 0) != pid)
            exit(1);
        store_payload();
    }
}

/* ---- work divided among threads ---- */

static void walk(long me)
{
    volatile char *mine = malloc((size_t)lines * LINE);
    pthread_barrier_wait(&common->all); /* so that none has ended when another one gets a core */
    for (long i = 0; mine && i < lines * LINE; i += LINE)
        mine[i] = (char)me;
}

static const struct {
    const char *name;
    long workers;
    void (*work)(long me);
    int processes;
} all[] = {
    {"turns", 2, take_turns, 0},       {"beside", 2, store_beside, 0},
    {"apart", 2, store_apart, 0},      {"spin-lock", 2, lock_spinning, 0},
    {"mutex", 2, by_mutex, 0},         {"semaphore", 2, by_semaphore, 0},
    {"barrier", 2, by_barrier, 0},     {"pipe", 2, by_pipe, 0},
    {"join", 1, by_join, 0},           {"wait", 1, by_wait, 0},
    {"processes-pipe", 2, by_pipe, 1}, {"processes-semaphore", 2, by_semaphore, 1},
    {"walk", THREADS_MOST, walk, 0},   {"together", 2, add_together, 0},
    {"split", 2, add_split, 0},        {"turns-or-stop", 2, take_turns_or_stop, 0},
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

static int prepare_payload(const char *memory)
{
    const int flags = MAP_ANONYMOUS | (strcmp(memory, "private") == 0 ? MAP_PRIVATE : MAP_SHARED);
    const size_t bytes = sizeof(line[LINES_MOST]);
    if (strcmp(memory, "memfd") == 0)
        payload_file = memfd_create("lines", 0);
    if (strcmp(memory, "shm") == 0) {
        char name[32];
        snprintf(name, sizeof name, "/boxscore-%d", (int)getpid());
        payload_file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        shm_unlink(name);
    }
    if (payload_file >= 0 && ftruncate(payload_file, (off_t)bytes) != 0)
        return 1;
    payload =
        payload_file >= 0 ? map_payload() : mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (payload == MAP_FAILED)
        return 1;
    if (lines <= LINES_MOST)
        store_payload();
    return 0;
}

static int prepare(const char *memory)
{
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (common == MAP_FAILED || prepare_payload(memory) != 0)
        return 1;
    memset(common, 0, sizeof *common);
    return pthread_spin_init(&common->spin, 0) + pthread_mutex_init(&common->mutex, NULL) +
           pthread_cond_init(&common->changed[0], NULL) +
           pthread_cond_init(&common->changed[1], NULL) +
           pthread_barrier_init(&common->barrier, NULL, 2) +
           pthread_barrier_init(&common->all, NULL, THREADS_MOST) +
           sem_init(&common->semaphore[0], 1, 1) + sem_init(&common->semaphore[1], 1, 0) +
           pipe(common->pipe[0]) + pipe(common->pipe[1]) + (write(common->pipe[0][1], "", 1) != 1);
}

int main(int argc, char *argv[])
{
    if (argc < 4)
        return 127;
    rounds = atol(argv[2]);
    lines = atol(argv[3]);
    if (lines > LINES_MOST && strcmp(argv[1], "walk") != 0)
        return 127;
    if (prepare(argc > 4 ? argv[4] : "") != 0)
        return 126;
    while (which < sizeof all / sizeof *all && strcmp(argv[1], all[which].name) != 0)
        which++;
    if (which == sizeof all / sizeof *all)
        return 125;
    if (all[which].processes ? run_processes() : run_threads())
        return 1;
    return common->guarded == (all[which].work == lock_spinning ? 2 * rounds : 0) ? 0 : 2;
}
