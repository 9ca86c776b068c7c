/* Pages of a program, for counts made by hand.
 *
 * usage: pages CASE MIB
 *
 * `zeros` loads each line of MIB that nobody has written. `touch` stores a word to each page of
 * MIB, which the kernel clears for it. `own` writes all of MIB and loads each line. `drop` and
 * `unmap` store to each page of 1 MiB, MIB times, and give the pages back after each time, by
 * madvise() or munmap(). `flush` writes all of MIB, takes each line out of the caches, and loads
 * it. */
#include <emmintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, PAGE = 4096 };
static const size_t mebibyte = 1 << 20;

static size_t bytes;

static char *map(size_t n)
{
    void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        exit(1);
    return at;
}

static void load_lines(const char *at, size_t n)
{
    for (size_t i = 0; i < n; i += LINE)
        *(volatile const char *)(at + i);
}

static void store(char *at, size_t n, size_t step)
{
    for (size_t i = 0; i < n; i += step)
        *(volatile char *)(at + i) = 1;
}

static void zeros(void)
{
    load_lines(map(bytes), bytes);
}

static void touch(void)
{
    store(map(bytes), bytes, PAGE);
}

static void own(void)
{
    char *at = map(bytes);
    store(at, bytes, LINE);
    load_lines(at, bytes);
}

static void drop(void)
{
    char *at = map(mebibyte);
    for (size_t i = 0; i < bytes; i += mebibyte) {
        store(at, mebibyte, PAGE);
        if (madvise(at, mebibyte, MADV_DONTNEED) != 0)
            exit(1);
    }
}

static void unmap(void)
{
    for (size_t i = 0; i < bytes; i += mebibyte) {
        char *at = map(mebibyte);
        store(at, mebibyte, PAGE);
        munmap(at, mebibyte);
    }
}

static void flush(void)
{
    char *at = map(bytes);
    store(at, bytes, LINE);
    for (size_t i = 0; i < bytes; i += LINE)
        _mm_clflush(at + i);
    load_lines(at, bytes);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"zeros", zeros}, {"touch", touch}, {"own", own},
                 {"drop", drop},   {"unmap", unmap}, {"flush", flush}};
    bytes = argc == 3 ? (size_t)atoi(argv[2]) * mebibyte : 0;
    for (size_t i = 0; bytes && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    fprintf(stderr, "usage: pages zeros|touch|own|drop|unmap|flush MIB\n");
    return 2;
}
