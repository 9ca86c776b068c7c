/* Prints what CPUID and the calls about affinity tell a program. test_stage_static.c builds it as a
 * static and as a dynamic program and runs it on stage. Its arguments are scenarios, run one after
 * another. */
#include <cpuid.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct registers {
    uint32_t a, b, c, d;
} registers;

static registers ask(uint32_t leaf, uint32_t subleaf)
{
    registers r;
    __cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
    return r;
}

static void leaves(void)
{
    char text[49] = "";
    registers r = ask(0, 0);
    printf("%x %.4s%.4s%.4s\n", r.a, (char *)&r.b, (char *)&r.d, (char *)&r.c);
    printf("%x\n", ask(1, 0).a);
    r = ask(4, 3);
    printf("%u bytes\n", (r.c + 1) * ((r.b >> 22) + 1) * ((r.b & 0xfff) + 1));
    r = ask(0xb, 1);
    printf("%u of kind %x\n", r.b, r.c >> 8);
    for (uint32_t i = 0; i < 3; i++) {
        r = ask(0x80000002 + i, 0);
        memcpy(text + 16 * i, &r, 16);
    }
    printf("%s\n", text);
}

/* ---- affinity, by the system calls themselves ---- */

static int bind_to(unsigned cpu)
{
    uint64_t mask = UINT64_C(1) << cpu;
    return (int)syscall(SYS_sched_setaffinity, 0, sizeof mask, &mask);
}

static void where(void)
{
    uint64_t mask = 0;
    long n = syscall(SYS_sched_getaffinity, 0, sizeof mask, &mask);
    printf("%ld bytes, mask %llx, id %u\n", n, (unsigned long long)mask, ask(0xb, 0).d);
}

static void *one_thread(void *number)
{
    unsigned cpu = (unsigned)(uintptr_t)number, wrong = bind_to(cpu) != 0;
    for (int i = 0; i < 100; i++)
        wrong += ask(0xb, 0).d != cpu || ask(1, 0).a != 0x506e3;
    return (void *)(uintptr_t)wrong;
}

static void threads(void)
{
    pthread_t made[4];
    void *wrong;
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&made[i], NULL, one_thread, (void *)i);
    for (int i = 0; i < 4; i++) {
        pthread_join(made[i], &wrong);
        printf("%u ", (unsigned)(uintptr_t)wrong);
    }
    printf("wrong\n");
}

/* ---- the signal ---- */

static sigjmp_buf back;

static void at_signal(int number)
{
    siglongjmp(back, number);
}

/* The program's own handler gets a SIGILL that does not come from CPUID. */
static void handler(void)
{
    signal(SIGILL, at_signal);
    int number = sigsetjmp(back, 1);
    if (number == 0)
        __builtin_trap();
    printf("signal %d, then %x\n", number, ask(1, 0).a);
    signal(SIGILL, SIG_DFL);
}

static void trap(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        __builtin_trap();
    waitpid(child, &status, 0);
    printf("ended by signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void blocked(void)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    printf("blocked, %x\n", ask(1, 0).a);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- other programs ---- */

static void wait_for_a_signal(void)
{
    pause();
}

static void *execute(void *words)
{
    execvp(*(char **)words, words);
    return NULL;
}

static void wait_for(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

static void in_another(const char *how, char **words)
{
    fflush(stdout);
    if (strcmp(how, "exec") == 0) {
        execute(words);
    } else if (strcmp(how, "vfork") == 0) {
        pid_t child = vfork();
        if (child == 0) {
            execvp(words[0], words);
            _exit(98);
        }
        wait_for(child);
    } else { /* thread: its exec replaces the whole process */
        pthread_t made;
        pthread_create(&made, NULL, execute, words);
        pause();
    }
    exit(97);
}

/* ---- RDPMC ---- */

static sigjmp_buf behind_rdpmc;

static void faulted(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    printf("%s\n", info->si_code == SI_KERNEL ? "fault" : "another signal");
    siglongjmp(behind_rdpmc, 1);
}

static void read_counter(uint32_t index)
{
    uint32_t low, high;
    if (sigsetjmp(behind_rdpmc, 1))
        return;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    printf("%llu\n", (unsigned long long)high << 32 | low);
    fflush(stdout);
}

/* A general counter, a fixed one, and numbers that no counter has. */
static void counters(void)
{
    const uint64_t general = 12345, fixed = UINT64_C(0x700000001);
    const struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};
    int fd = open("/dev/cpu/0/msr", O_RDWR);
    if (pwrite(fd, &general, 8, 0xc1) != 8 || pwrite(fd, &fixed, 8, 0x309) != 8)
        printf("no MSRs\n");
    close(fd);
    sigaction(SIGSEGV, &action, NULL);
    read_counter(0);
    read_counter(0x40000000);
    read_counter(99);
    read_counter(0x80000000);
}

/* Where SIGSEGV is blocked or ignored, Linux ends the program by it. A counter can be read all the
 * same. */
static void end_by_rdpmc(void (*how)(void))
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        how();
        read_counter(0);
        read_counter(99);
        exit(0);
    }
    waitpid(child, &status, 0);
    printf("ended by signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void as_it_is(void)
{
    signal(SIGSEGV, SIG_DFL);
}

static void ignore(void)
{
    signal(SIGSEGV, SIG_IGN);
}

static void block(void)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGSEGV);
    sigprocmask(SIG_BLOCK, &one, NULL);
}

static void block_and_handle(void)
{
    const struct sigaction action = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    block();
}

static void ended(void)
{
    end_by_rdpmc(as_it_is);
    end_by_rdpmc(ignore);
    end_by_rdpmc(block);
    end_by_rdpmc(block_and_handle);
}

int main(int n, char **words)
{
    static const struct {
        const char *word;
        void (*run)(void);
    } scenarios[] = {{"leaves", leaves},           {"where", where},       {"threads", threads},
                     {"handler", handler},         {"trap", trap},         {"blocked", blocked},
                     {"pause", wait_for_a_signal}, {"counters", counters}, {"ended", ended}};
    for (int i = 1; i < n; i++) {
        size_t at = 0;
        while (at < sizeof scenarios / sizeof *scenarios &&
               strcmp(words[i], scenarios[at].word) != 0)
            at++;
        if (at < sizeof scenarios / sizeof *scenarios)
            scenarios[at].run();
        else if (strcmp(words[i], "bind") == 0)
            printf("%d\n", bind_to((unsigned)atoi(words[++i])));
        else if (strcmp(words[i], "fork") == 0) {
            fflush(stdout);
            pid_t child = fork();
            if (child > 0)
                wait_for(child);
        } else if (strcmp(words[i], "fail") == 0)
            printf("%d\n", execl("/nonexistent", "x", (char *)NULL));
        else
            in_another(words[i], words + i + 1);
    }
    fflush(stdout);
    return 0;
}
