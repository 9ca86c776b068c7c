/* A function for each rule of docs/explanation/attribution.md. */
#include <sys/syscall.h>

enum { PAGE = 4096, PAGES = 16, DIRTY = 512 << 10, LARGE = 4 << 20, FAR = 600 };

static _Alignas(PAGE) volatile char fresh[PAGES * PAGE], buffer[PAGES * PAGE], dirtied[DIRTY];
/* In the file, so that their pages are not the one of zeros. */
static _Alignas(PAGE) volatile char large[LARGE] = {1}, spread[FAR * PAGE] = {1};

/* A kernel zeroes each page when it is first touched. */
static __attribute__((noinline)) void touch_pages(void)
{
    for (int i = 0; i < PAGES; i++)
        fresh[i * PAGE] = 1;
}

/* The kernel writes to pages that it has to make. */
static __attribute__((noinline)) long call_kernel(void)
{
    long result;
    int fd;
    __asm__ volatile("syscall" /* open() */
                     : "=a"(result)
                     : "a"(SYS_open), "D"("/dev/zero"), "S"(0), "d"(0)
                     : "rcx", "r11", "memory");
    fd = (int)result;
    __asm__ volatile("syscall" /* read() */
                     : "=a"(result)
                     : "a"(SYS_read), "D"((long)fd), "S"(buffer), "d"(sizeof buffer)
                     : "rcx", "r11", "memory");
    return result;
}

static __attribute__((noinline)) void make_dirty(void)
{
    for (int i = 0; i < DIRTY; i += 64)
        dirtied[i] = 1;
}

/* Takes the place of what was made dirty; a prefetcher follows. */
static __attribute__((noinline)) int read_large(void)
{
    int sum = 0;
    for (int i = 0; i < LARGE; i += 64)
        sum += large[i];
    return sum;
}

/* More pages than the TLBs for data have. */
static __attribute__((noinline)) int cross_pages(void)
{
    int sum = 0;
    for (int n = 0; n < 10; n++)
        for (int i = 0; i < FAR; i++)
            sum += spread[i * PAGE];
    return sum;
}

int main(void)
{
    touch_pages();
    call_kernel();
    make_dirty();
    read_large();
    cross_pages();
    return 0;
}
