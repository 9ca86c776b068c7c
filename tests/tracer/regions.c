/* A program that marks regions; test_regions.c has the expected counts. */
#include <boxscore/region.h>

#include <pthread.h>
#include <string.h>

enum { LINE = 64, PAGE = 4096 };

static char memory[800 * LINE] __attribute__((aligned(PAGE)));

/* Two instructions in each round. */
static __attribute__((noinline)) void spin(unsigned turns)
{
    __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
}

static __attribute__((noinline)) void touch(unsigned from, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++)
        *(volatile char *)&memory[(from + i) * LINE];
}

static __attribute__((noinline)) void measure(const char *name, unsigned turns, unsigned from,
                                              unsigned lines)
{
    BX_REGION_BEGIN(name);
    spin(turns);
    touch(from, lines);
    BX_REGION_END(name);
}

/* The first one warms up the code, the stack, and the first lines of what it touches. */
static void count_exactly(void)
{
    measure("warm", 1, 0, 1);
    measure("short", 1000, 100, 1);
    measure("long", 3000, 101, 1);
    measure("few", 1000, 200, 100);
    measure("many", 1000, 300, 300);
}

static void *end_of_another(void *unused)
{
    BX_REGION_END("handed over");
    BX_REGION_BEGIN("left open");
    spin(1000);
    return unused;
}

static void follow_the_rules(void)
{
    pthread_t other;
    BX_REGION_BEGIN("outer");
    spin(1000);
    BX_REGION_BEGIN("inner");
    BX_REGION_BEGIN("inner");
    spin(500);
    BX_REGION_END("inner");
    spin(500);
    BX_REGION_END("inner");
    BX_REGION_END("outer");
    BX_REGION_END("not begun");
    BX_REGION_BEGIN("reset");
    spin(5000);
    BX_REGION_RESET("reset");
    spin(100);
    BX_REGION_END("reset");
    BX_REGION_BEGIN("handed over");
    pthread_create(&other, NULL, end_of_another, NULL);
    pthread_join(other, NULL);
}

static void *work(void *unused)
{
    for (unsigned i = 0; i < 10; i++)
        measure("work", 10000, 0, 1);
    return unused;
}

static void run_threads(void)
{
    pthread_t thread[3];
    for (unsigned i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (unsigned i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
}

static void have_many_names(void)
{
    char name[] = "r00";
    for (unsigned i = 0; i < 300; i++) {
        name[1] = (char)('0' + i / 10 % 10);
        name[2] = (char)('0' + i % 10);
        measure(name, 10, 0, 1);
    }
}

/* 0: somebody counts. */
static int look(void)
{
    return bx_region_request(BX_REGION_REQUEST_BEGIN, "look") != 1;
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    if (!strcmp(which, "exact"))
        count_exactly();
    else if (!strcmp(which, "rules"))
        follow_the_rules();
    else if (!strcmp(which, "threads"))
        run_threads();
    else if (!strcmp(which, "names"))
        have_many_names();
    else
        return look();
    return 0;
}
