/* A program for test_record.c: each kind of data is touched a known number of lines. With
 * -fno-inline -fno-ipa-icf. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { LINE = 64, SMALL = 1024, LARGE = 96 << 10, CACHES = 1 << 20 };

static volatile char table[256 * LINE];

static void touch(volatile char *at, int lines)
{
    for (int i = 0; i < lines; i++)
        at[i * LINE]++;
}

static char *first(void)
{
    char *p = malloc(LARGE);
    touch(p, LARGE / LINE);
    return p;
}

static char *second(void)
{
    char *p = malloc(LARGE);
    touch(p, LARGE / LINE);
    return p;
}

/* An allocator of the program's own, which writes its argument's register early. */
__attribute__((noipa)) static void *pool(size_t bytes)
{
    static char space[1 << 16];
    static size_t used;
    bytes = (bytes + 15) & ~(size_t)15;
    used += bytes;
    return space + used - bytes;
}

void *new_memory(size_t bytes) __asm__("_Znwm");
void *new_memory(size_t bytes)
{
    void *p = malloc(bytes + 16);
    return p ? (char *)p + 16 : NULL;
}

static void small(void)
{
    for (int i = 0; i < 10; i++) {
        char *p = realloc(malloc(16), SMALL);
        touch(p, 1);
        if (i % 2)
            free(p);
    }
}

int main(void)
{
    volatile char own[128 * LINE];
    touch(table, 256);
    touch(pool(100 * LINE), 100);
    touch(new_memory(192 * LINE), 192);
    touch(own, 128);
    small();
    char *p = first();
    const uintptr_t before = (uintptr_t)p;
    free(p);
    touch(malloc(CACHES), CACHES / LINE); /* its lines are not in L2 any more */
    char *q = second();                   /* at the same address */
    return before == (uintptr_t)q ? 0 : 1;
}
