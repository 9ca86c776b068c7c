/* A program whose regions are counted on the host; test_regions.c has the expected counts. */
#define BX_REGIONS_HOST
#include <boxscore/region.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

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

int main(void)
{
    pthread_t thread[3];
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
