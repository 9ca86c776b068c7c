/* Programs that get signals, and end. The first argument selects one, the second says how many
 * lines they store to before. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 64, LINES_MOST = 4096, MEGABYTE = 1 << 20 };

static _Alignas(LINE) volatile char lines[LINES_MOST][LINE];
static volatile sig_atomic_t taken;

static void take(int number)
{
    static const char *const names[] = {[SIGINT] = "INT", [SIGUSR1] = "USR1", [SIGTERM] = "TERM"};
    const char *name = names[number];
    taken = taken + 1;
    if (write(1, name, strlen(name)) < 0 || write(1, "\n", 1) < 0)
        _exit(126);
}

/* Waits until three signals have arrived. */
static int takes(void)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &all, NULL);
    signal(SIGINT, take);
    signal(SIGUSR1, take);
    signal(SIGTERM, take);
    puts("ready");
    fflush(stdout);
    while (taken < 3)
        sigsuspend(&none);
    return 5;
}

_Noreturn static int sleeps(void)
{
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}

_Noreturn static int spins(void)
{
    puts("ready");
    fflush(stdout);
    for (;;)
        lines[0][0] = 1;
}

static int loads_from_nowhere(void)
{
    volatile char *volatile nowhere = NULL;
    return *nowhere;
}

static void *is_thread(void *of)
{
    loads_from_nowhere();
    return of;
}

static int thread_dies(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, is_thread, NULL) == 0)
        pthread_join(thread, NULL);
    return 1;
}

_Noreturn static int aborts(void)
{
    abort();
}

static int kills_itself(void)
{
    return kill(getpid(), SIGKILL);
}

static int has_illegal_code(void)
{
    __asm__ volatile("ud2");
    return 1;
}

/* Until there is no signal, and then ends normally. */
static int takes_all_memory(void)
{
    for (;;) {
        volatile char *more = malloc(MEGABYTE);
        if (!more)
            return 42;
        for (size_t i = 0; i < MEGABYTE; i += 4096)
            more[i] = 1;
    }
}

int main(int argc, char *argv[])
{
    static const struct {
        const char *name;
        int (*run)(void);
    } all[] = {
        {"take", takes},
        {"sleep", sleeps},
        {"spin", spins},
        {"fault", loads_from_nowhere},
        {"fault-in-thread", thread_dies},
        {"abort", aborts},
        {"kill", kills_itself},
        {"illegal", has_illegal_code},
        {"memory", takes_all_memory},
    };
    for (long i = 0; argc > 2 && i < atol(argv[2]) && i < LINES_MOST; i++)
        lines[i][0] = 1;
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0)
            return all[i].run();
    return 127;
}
