/* A program with processes, threads and signals. Its exit status is 0 if all of them did what they
 * do without a tracer. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int done;
static sigjmp_buf again;
static volatile sig_atomic_t alarms;

static void *work(void *of)
{
    for (int i = 0; i < 20000; i++)
        atomic_fetch_add(&done, 1);
    return of;
}

static int threads(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&thread[i], NULL, work, NULL) != 0)
            return 1;
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return done == 4 * 20000 ? 0 : 1;
}

static void fault(int number)
{
    siglongjmp(again, number);
}

static void ring(int number)
{
    (void)number;
    alarms = alarms + 1;
}

/* A load that faults, and alarms while it computes. */
static int signals(void)
{
    int *volatile nowhere = NULL;
    signal(SIGSEGV, fault);
    signal(SIGALRM, ring);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(again, 1) == 0)
            return *nowhere;
    for (int i = 0; i < 3; i++) {
        int before = alarms;
        ualarm(1000, 0);
        while (alarms == before)
            ;
    }
    return 0;
}

static int status_of(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int processes(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        done = 0;
        _exit(threads() == 0 ? 4 : 127);
    }
    if (status_of(pid) != 4)
        return 1;
    pid = vfork();
    if (pid == 0) {
        execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
        _exit(127);
    }
    return status_of(pid) == 5 && system("true") == 0 ? 0 : 1;
}

int main(void)
{
    return threads() ? 1 : signals() ? 2 : processes() ? 3 : 0;
}
