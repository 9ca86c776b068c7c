/* A program for test_record.c: leaf() touches 64 lines that nothing else does, called in each way
 * that a program has. With -fno-inline -fno-ipa-icf. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { LINE = 64, LINES = 64 };

static volatile char data[16][LINES * LINE];
static volatile int sum;
static jmp_buf out;
static ucontext_t outside, inside;

static void leaf(int which)
{
    for (int i = 0; i < LINES; i++)
        data[which][i * LINE]++;
    sum++; /* the call is no jump */
}

static void plain(void)
{
    leaf(0);
    sum++;
}

static void tail(void)
{
    leaf(1); /* with -O2 a jump */
}

static void jumper(int depth)
{
    if (!depth)
        longjmp(out, 1);
    jumper(depth - 1);
    sum++;
}

static void after_jump(void)
{
    if (!setjmp(out))
        jumper(20);
    leaf(2);
    sum++;
}

static void handler(int signal)
{
    leaf(3);
    sum += signal;
}

static void by_signal(void)
{
    raise(SIGUSR1);
    leaf(4);
    sum++;
}

static void coroutine(void)
{
    for (int i = 5; i <= 6; i++) {
        leaf(i);
        swapcontext(&inside, &outside);
    }
}

static void resume(void)
{
    for (int i = 7; i <= 8; i++) {
        swapcontext(&outside, &inside);
        leaf(i);
    }
    sum++;
}

static void *thread(void *nothing)
{
    leaf(9);
    sum++;
    return nothing;
}

static void fork_one(void)
{
    if (fork() == 0) {
        leaf(10);
        _exit(0);
    }
    wait(NULL);
    sum++;
}

int main(void)
{
    static char stack[1 << 16];
    pthread_t other;
    plain();
    tail();
    after_jump();
    signal(SIGUSR1, handler);
    by_signal();
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    makecontext(&inside, coroutine, 0);
    resume();
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    fork_one();
    return 0;
}
