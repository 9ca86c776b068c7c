/* A program for which the kernel makes accesses. The first argument says which system call, the
 * others how much. All memory has been touched before, except if the test is about that. Numbers
 * always have the same count of digits, so that only the kernel's accesses differ. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 32, LINE = 64 };

static _Alignas(PAGE) char memory[PAGES * PAGE];

/* A file of as many bytes as the memory. */
static int file(void)
{
    int fd = memfd_create("file", 0);
    return ftruncate(fd, sizeof memory) == 0 ? fd : -1;
}

static int reads(size_t n)
{
    return read(file(), memory, n) != (ssize_t)n;
}

/* From the middle of one line to the middle of another. */
static int reads_unaligned(size_t n)
{
    return read(file(), memory + LINE / 2, n) != (ssize_t)n;
}

static int writes(size_t n)
{
    return write(file(), memory, n) != (ssize_t)n;
}

static int reads_less(size_t n)
{
    int fd = file();
    return lseek(fd, -(off_t)n, SEEK_END) < 0 || read(fd, memory, sizeof memory) != (ssize_t)n;
}

static int reads_in_parts(size_t n)
{
    struct iovec part[3] = {{memory, n}, {memory + PAGE, n}, {memory + 2 * PAGE, n}};
    return readv(file(), part, 3) != (ssize_t)(3 * n);
}

static int writes_in_parts(size_t n)
{
    struct iovec part[3] = {{memory, n}, {memory + PAGE, n}, {memory + 2 * PAGE, n}};
    return writev(file(), part, 3) != (ssize_t)(3 * n);
}

/* Sent from one part of the memory, and received in another. */
static int messages(size_t n)
{
    int ends[2];
    struct iovec from = {memory, n}, to = {memory + sizeof memory / 2, n};
    struct msghdr sent = {.msg_iov = &from, .msg_iovlen = 1};
    struct msghdr received = {.msg_iov = &to, .msg_iovlen = 1};
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0 ||
           sendmsg(ends[0], &sent, 0) != (ssize_t)n || recvmsg(ends[1], &received, 0) != (ssize_t)n;
}

static int fails(size_t n)
{
    return read(-1, memory, n) != -1 || write(-1, memory, n) != -1;
}

/* The working directory, with n entries of one letter. An entry is a multiple of 8 bytes; these,
 * "." and ".." have 24 each: linux/dirent.h. */
static int lists(size_t n)
{
    int fd = open(".", O_RDONLY | O_DIRECTORY);
    return syscall(SYS_getdents64, fd, memory, sizeof memory) != (long)(n + 2) * 24;
}

/* ---- pages ---- */

static int reads_file_mapped(size_t n)
{
    volatile char *at = mmap(NULL, sizeof memory, PROT_READ, MAP_SHARED, file(), 0);
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += at[i * PAGE];
    return sum;
}

/* Of new memory. */
static int touches(size_t n)
{
    volatile char *at =
        mmap(NULL, sizeof memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < n; i++)
        at[i * PAGE] = 1;
    return 0;
}

static int status_of(pid_t pid)
{
    int status = -1;
    return waitpid(pid, &status, 0) == pid ? status : -1;
}

/* A child stores to pages that it has from its parent. */
static int copies(size_t n)
{
    pid_t pid = fork();
    if (pid == 0) {
        for (size_t i = 0; i < n; i++)
            ((volatile char *)memory)[i * PAGE] = 2;
        _exit(0);
    }
    return status_of(pid);
}

static int loads_only(size_t n)
{
    pid_t pid = fork();
    if (pid == 0) {
        int sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += ((volatile char *)memory)[i * PAGE];
        _exit(sum != (int)n);
    }
    return status_of(pid);
}

/* The child has ended when its parent stores, so the pages are the parent's alone. */
static int stores_after(size_t n)
{
    int status = loads_only(0);
    for (size_t i = 0; i < n; i++)
        ((volatile char *)memory)[i * PAGE] = 2;
    return status;
}

int main(int argc, char *argv[])
{
    static const struct {
        const char *name;
        int (*run)(size_t n);
    } all[] = {
        {"read", reads},           {"read-unaligned", reads_unaligned},
        {"write", writes},         {"read-less", reads_less},
        {"readv", reads_in_parts}, {"writev", writes_in_parts},
        {"messages", messages},    {"fails", fails},
        {"getdents", lists},       {"mapped", reads_file_mapped},
        {"touch", touches},        {"copy", copies},
        {"load", loads_only},      {"store-after", stores_after},
    };
    memset(memory, 1, sizeof memory);
    for (size_t i = 0; argc > 2 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0)
            return all[i].run((size_t)atol(argv[2]));
    return 127;
}
