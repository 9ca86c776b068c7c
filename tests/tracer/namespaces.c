/* Processes in PID namespaces side by side: each of two children, the second one when the first one
 * works, makes a namespace, in which
 * process 1 executes this program again, for a loop of two instructions a round. namespaces ROUNDS.
 * Prints a line for each, or that there can be no namespace. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKS = 9 }; /* a pipe: the first child works */

static int work(const char *rounds)
{
    (void)!write(WORKS, "", 1);
    long n = atol(rounds);
    __asm__ volatile("1: sub $1, %0; jnz 1b" : "+r"(n));
    printf("process %d\n", (int)getpid());
    return 0;
}

static int make(char *argv[])
{
    if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
        puts("no namespaces");
        return 0;
    }
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execl(argv[0], argv[0], argv[1], "again", NULL);
        _exit(9);
    }
    return child < 0 || wait(&status) != child || status != 0;
}

int main(int argc, char *argv[])
{
    int status = 0, all = 0, ends[2];
    char byte;
    if (argc == 3)
        return work(argv[1]);
    if (pipe(ends) != 0 || dup2(ends[1], WORKS) != WORKS)
        return 1;
    close(ends[1]);
    for (int i = 0; i < 2; i++) {
        if (fork() == 0) {
            if (i == 1)
                (void)!read(ends[0], &byte, 1);
            int failed = make(argv);
            fflush(stdout);
            _exit(failed);
        }
        close(WORKS);
    }
    while (wait(&status) > 0)
        all |= status;
    return all != 0;
}
