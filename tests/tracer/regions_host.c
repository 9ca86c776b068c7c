/* A program whose regions are counted on the host; test_regions.c has the expected counts. */
#define BX_REGIONS_HOST
#include <boxscore/region.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* A fault for each page. */
static void fault(unsigned pages)
{
    char *at = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                    -1, 0);
    madvise(at, (size_t)pages * PAGE, MADV_NOHUGEPAGE);
    for (unsigned i = 0; i < pages; i++)
        ((volatile char *)at)[(size_t)i * PAGE] = 1;
    munmap(at, (size_t)pages * PAGE);
}

static void *run(void *unused)
{
    for (int i = 0; i < 5; i++) {
        BX_REGION_BEGIN("threads");
        fault(100);
        BX_REGION_END("threads");
    }
    return unused;
}

/* Marks a region in a process of another user: a child, or a process that no longer descends from
 * this one. */
static int mark_as_another(int far)
{
    char end;
    int pipes[2];
    if (pipe(pipes))
        return 1;
    if (fork() == 0) {
        if (far && fork() > 0)
            _exit(0);
        for (int i = 0; far && i < 1000 && getppid() != 1; i++)
            usleep(1000);
        if (setuid(65534))
            _exit(1);
        BX_REGION_BEGIN("other user");
        fault(200);
        BX_REGION_END("other user");
        _exit(0);
    }
    close(pipes[1]);
    (void)!read(pipes[0], &end, 1); /* all others have ended */
    wait(NULL);
    return 0;
}

int main(int n, char **words)
{
    pthread_t thread[3];
    if (n > 1)
        return mark_as_another(words[1][0] == 'f');
    BX_REGION_BEGIN("warm");
    BX_REGION_END("warm");
    BX_REGION_BEGIN("faults");
    fault(1000);
    BX_REGION_END("faults");
    BX_REGION_END("not begun");
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    if (fork() == 0) {
        BX_REGION_BEGIN("child");
        fault(300);
        _exit(0); /* inside */
    }
    wait(NULL);
    return 0;
}
