/* A program that executes RDPMC. test_counters.c runs it under `boxscore stat`. Its arguments: a
 * scenario, then the numbers of counters. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 1000, THREADS = 4, READS = 50 };

static sigjmp_buf behind;
static const char *own_name;

static void faulted(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    printf(info->si_code == SI_KERNEL && !info->si_addr ? "fault\n" : "another signal\n");
    siglongjmp(behind, 1);
}

static uint64_t value(uint64_t index)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return (uint64_t)high << 32 | low;
}

/* What a counter adds in so many rounds of a load, and 3 instructions. The other instructions are
 * the first RDPMC and 3 that are not in the loop. */
static uint64_t around_loop(uint64_t index)
{
    static uint32_t word;
    uint64_t first, last;
    __asm__ volatile("rdpmc\n"
                     "mov %%eax, %%r8d\n"
                     "mov %%edx, %%r9d\n"
                     "mov %4, %%r10d\n"
                     "1: mov (%3), %%eax\n"
                     "dec %%r10d\n"
                     "jnz 1b\n"
                     "rdpmc\n"
                     "shl $32, %%rdx\n"
                     "or %%rdx, %%rax\n"
                     "shl $32, %%r9\n"
                     "or %%r9, %%r8\n"
                     "mov %%r8, %0\n"
                     : "=&r"(first), "=&a"(last)
                     : "c"(index), "r"(&word), "i"(ROUNDS)
                     : "rdx", "r8", "r9", "r10", "cc", "memory");
    return last - first;
}

static void print_loop(uint64_t index)
{
    if (!sigsetjmp(behind, 1))
        printf("%llu\n", (unsigned long long)around_loop(index));
}

static void print_value(uint64_t index)
{
    if (!sigsetjmp(behind, 1))
        printf("%llu\n", (unsigned long long)value(index));
}

/* Reads in threads that run at once; no counter goes back. */
static void *read_often(void *index)
{
    uintptr_t wrong = 0;
    uint64_t before = 0;
    for (int i = 0; i < READS; i++) {
        uint64_t now = value((uintptr_t)index);
        wrong += now < before;
        before = now;
    }
    return (void *)wrong;
}

static void print_threads(uint64_t index)
{
    pthread_t all[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, read_often, (void *)index);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(all[i], &wrong);
        printf("%u", (unsigned)(uintptr_t)wrong);
    }
    printf(" wrong\n");
}

/* A child, and a program that it executes. */
static void print_in_children(uint64_t index)
{
    char number[32];
    fflush(stdout);
    if (fork() == 0) {
        print_loop(index);
        fflush(stdout);
        snprintf(number, sizeof number, "%llu", (unsigned long long)index);
        execl(own_name, own_name, "loop", number, (char *)NULL);
        _exit(99);
    }
    wait(NULL);
}

/* The child reads before its parent ends, and until it has no machine any more. */
static void outlive(uint64_t index)
{
    int ready[2];
    char word = 0;
    pid_t parent = getpid();
    if (pipe(ready) != 0 || fork() != 0) {
        if (read(ready[0], &word, 1) != 1)
            _exit(99);
        _exit(3);
    }
    read_often((void *)index);
    if (write(ready[1], &word, 1) != 1)
        _exit(99);
    while (getppid() == parent)
        usleep(1000);
    while (!sigsetjmp(behind, 1))
        for (;;) {
            value(index);
            usleep(1000);
        }
}

/* Each of several threads faults, without a handler. */
static void fault_in_threads(uint64_t index)
{
    pthread_t all[THREADS];
    signal(SIGSEGV, SIG_DFL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&all[i], NULL, read_often, (void *)index);
    for (int i = 0; i < THREADS; i++)
        pthread_join(all[i], NULL);
}

/* Linux ends a program that ignores or blocks SIGSEGV, whatever its handler. */
static void keep_out(uint64_t index)
{
    for (int blocks = 0; blocks < 2; blocks++) {
        int status = 0;
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, SIGSEGV);
        fflush(stdout);
        if (fork() == 0) {
            if (blocks)
                sigprocmask(SIG_BLOCK, &one, NULL);
            else
                signal(SIGSEGV, SIG_IGN);
            print_value(index);
            _exit(99);
        }
        wait(&status);
        printf("signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
}

/* A thread waits for answers all the time when another one ends the process. */
static void *read_for_ever(void *index)
{
    for (;;)
        value((uintptr_t)index);
    return NULL;
}

static void exit_meanwhile(uint64_t index)
{
    pthread_t one;
    pthread_create(&one, NULL, read_for_ever, (void *)index);
    read_often((void *)index);
    fflush(stdout);
    _exit(7);
}

static void kill_meanwhile(uint64_t index)
{
    pthread_t one;
    pthread_create(&one, NULL, read_for_ever, (void *)index);
    read_often((void *)index);
    kill(getpid(), SIGKILL);
}

int main(int n, char **words)
{
    static const struct {
        const char *word;
        void (*run)(uint64_t index);
    } scenarios[] = {{"loop", print_loop},
                     {"value", print_value},
                     {"threads", print_threads},
                     {"children", print_in_children},
                     {"outlive", outlive},
                     {"keep_out", keep_out},
                     {"fault_in_threads", fault_in_threads},
                     {"exit", exit_meanwhile},
                     {"kill", kill_meanwhile}};
    const struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};
    own_name = words[0];
    int unhandled = n > 1 && strcmp(words[1], "unhandled") == 0;
    if (!unhandled)
        sigaction(SIGSEGV, &action, NULL);
    for (int i = 2; i < n; i++)
        for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++)
            if (strcmp(unhandled ? "value" : words[1], scenarios[s].word) == 0)
                scenarios[s].run(strtoull(words[i], NULL, 0));
    fflush(stdout);
    return 0;
}
