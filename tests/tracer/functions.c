/* A program whose functions are regions; test_regions.c has the expected counts. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* exact(n), which jumps back to its own entry: 2 n + 1 instructions. tail(n) goes on there: 2 more.
 * deep(n) calls itself. The compiler names functions that it has changed as the last one. */
__asm__(".macro function name\n"
        "  .globl \\name\n"
        "  .type \\name, @function\n"
        "\\name:\n"
        ".endm\n"
        ".macro ends name\n"
        "  .size \\name, . - \\name\n"
        ".endm\n"
        "  .text\n"
        "function exact\n"
        "  dec %rdi\n"
        "  jnz exact\n"
        "  ret\n"
        "ends exact\n"
        "function tail\n"
        "  nop\n"
        "  jmp exact\n"
        "ends tail\n"
        "function deep\n"
        "  test %rdi, %rdi\n"
        "  jz 1f\n"
        "  dec %rdi\n"
        "  call deep\n"
        "1: ret\n"
        "ends deep\n"
        "function changed.constprop.0\n"
        "  ret\n"
        "ends changed.constprop.0\n"
        /* long n::twice<long>(long) */
        "function _ZN1n5twiceIlEET_S1_\n"
        "  ret\n"
        "ends _ZN1n5twiceIlEET_S1_\n");
void exact(unsigned long turns);
void tail(unsigned long turns);
void deep(unsigned long turns);
void changed(void) __asm__("changed.constprop.0");
void twice(void) __asm__("_ZN1n5twiceIlEET_S1_");

static jmp_buf place;
static volatile sig_atomic_t handled;

__attribute__((noinline)) static void jumps_out(void)
{
    exact(10);
    longjmp(place, 1);
}

__attribute__((noinline)) static void in_between(void)
{
    jumps_out();
    __asm__ volatile("");
}

/* Runs on a stack of its own, which is above that of main's. */
static void handle(int signal)
{
    (void)signal;
    exact(10);
    handled = 1;
}

__attribute__((noinline)) static void interrupted(void)
{
    raise(SIGUSR1);
    exact(1000);
}

__attribute__((noinline)) static void parent_of_one(void)
{
    pid_t child = fork();
    if (child == 0) {
        exact(5000);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void *threads_work(void *unused)
{
    exact(3000);
    exact(3000);
    return unused;
}

__attribute__((noinline, noreturn)) static void never_returns(int status)
{
    exact(100);
    _exit(status);
}

int main(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction on_other = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    pthread_t one, two;
    exact(1000);
    exact(2000);
    tail(500);
    deep(50);
    changed();
    twice();
    if (setjmp(place) == 0)
        in_between();
    exact(1);
    exact(100000);
    sigaltstack(&other, NULL);
    sigaction(SIGUSR1, &on_other, NULL);
    interrupted();
    parent_of_one();
    pthread_create(&one, NULL, threads_work, NULL);
    pthread_create(&two, NULL, threads_work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    never_returns(handled ? 0 : 1);
}
