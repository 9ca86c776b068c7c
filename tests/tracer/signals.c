/* Programs that get signals, and end. The first argument selects one, the second says how many
 * lines they store to before. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
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

/* Stops children as soon as they are there. */
_Noreturn static int stops_children(void)
{
    for (int i = 0; i < 8; i++) {
        pid_t child = fork();
        if (child == 0)
            sleeps();
        kill(child, SIGSTOP);
    }
    sleeps();
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

static volatile sig_atomic_t passed;

static void pass(int number, siginfo_t *about, void *context)
{
    enum { BYTES = 2 }; /* of both instructions below */
    ucontext_t *c = context;
    (void)number, (void)about;
    c->uc_mcontext.gregs[REG_RIP] += BYTES;
    passed = passed + 1;
}

/* The handler lets the program go on after the instruction, with all other registers. */
static int passes_faults(void)
{
    enum { ROUNDS = 100 };
    const struct sigaction act = {.sa_sigaction = pass, .sa_flags = SA_SIGINFO};
    long loads = 0, divisions = 0;
    if (sigaction(SIGSEGV, &act, NULL) != 0 || sigaction(SIGFPE, &act, NULL) != 0)
        return 1;
    __asm__ volatile("1: add $3, %0; xor %%eax, %%eax; mov (%%rax), %%eax; cmp %1, %0; jl 1b"
                     : "+&r"(loads)
                     : "r"(3L * ROUNDS)
                     : "rax", "cc", "memory");
    __asm__ volatile("1: add $1, %0; xor %%ecx, %%ecx; xor %%edx, %%edx; div %%ecx; cmp %1, %0\n"
                     "jl 1b"
                     : "+&r"(divisions)
                     : "r"((long)ROUNDS)
                     : "rax", "rcx", "rdx", "cc");
    return loads == 3 * ROUNDS && divisions == ROUNDS && passed == 2 * ROUNDS ? 0 : 1;
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
        {"stop-children", stops_children},
        {"spin", spins},
        {"fault", loads_from_nowhere},
        {"fault-in-thread", thread_dies},
        {"abort", aborts},
        {"kill", kills_itself},
        {"illegal", has_illegal_code},
        {"pass", passes_faults},
        {"memory", takes_all_memory},
    };
    for (long i = 0; argc > 2 && i < atol(argv[2]) && i < LINES_MOST; i++)
        lines[i][0] = 1;
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0)
            return all[i].run();
    return 127;
}
