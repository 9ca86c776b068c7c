/* What Valgrind alone does not run: the first argument says what to do. Prints what happens. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *self;

/* ---- threads, memory ---- */

static pthread_barrier_t all;

static void *wait_for_all(void *unused)
{
    pthread_barrier_wait(&all);
    return unused;
}

static int threads(unsigned n)
{
    pthread_t *thread = calloc(n, sizeof *thread);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_barrier_init(&all, NULL, n + 1);
    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&thread[i], &small, wait_for_all, NULL))
            return 1;
    pthread_barrier_wait(&all);
    for (unsigned i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    printf("%u threads\n", n);
    return 0;
}

/* Every second page has other rights, so that each is a mapping. */
static int maps(unsigned n)
{
    char *at =
        mmap(NULL, n * (size_t)4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; at != MAP_FAILED && i < n; i += 2)
        if (mprotect(at + i * 4096, 4096, PROT_READ))
            return 1;
    printf("%u mappings\n", n);
    return at == MAP_FAILED;
}

static int __attribute__((noinline)) use_stack(unsigned megabytes)
{
    volatile char room[1 << 20];
    for (size_t i = 0; i < sizeof room; i += 1024)
        room[i] = (char)megabytes;
    return room[0] + (megabytes ? use_stack(megabytes - 1) : 0);
}

static int stack(unsigned megabytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    if (limit.rlim_cur < (rlim_t)(megabytes + 4) << 20) { /* takes effect when it is executed */
        char text[16], name[] = "stack", *words[] = {self, name, text, NULL};
        snprintf(text, sizeof text, "%u", megabytes);
        limit.rlim_cur = (rlim_t)(megabytes + 4) << 20;
        setrlimit(RLIMIT_STACK, &limit);
        execv(self, words);
        return 1;
    }
    use_stack(megabytes);
    puts("stack used");
    return 0;
}

static int reserve(void)
{
    const size_t bytes = (size_t)1 << 40;
    for (unsigned i = 0; i < 17; i++) {
        size_t n = i % 2 ? bytes : bytes << 4;
        char *p = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED || mprotect(p + n - 4096, 4096, PROT_READ | PROT_WRITE))
            return 1;
        p[n - 1] = 1;
        if (munmap(p, n))
            return 1;
    }
    puts("reserved");
    return 0;
}

/* ---- processes ---- */

static int by_clone3(void)
{
    struct clone_args a = {.exit_signal = SIGCHLD};
    int status;
    long pid = syscall(SYS_clone3, &a, sizeof a);
    if (pid == 0)
        _exit(7);
    return pid < 0 || waitpid((pid_t)pid, &status, 0) != pid || WEXITSTATUS(status) != 7 ||
           printf("clone3\n") < 0;
}

/* Executes a copy of this program that has no name. */
static int from_memory(int flags)
{
    static char name[] = "hello", *words[] = {name, name, NULL};
    char bytes[65536];
    ssize_t n;
    int from = open(self, O_RDONLY), to = memfd_create("copy", (unsigned)flags);
    while ((n = read(from, bytes, sizeof bytes)) > 0)
        if (write(to, bytes, (size_t)n) != n)
            return 1;
    syscall(SYS_execveat, to, "", words, environ, AT_EMPTY_PATH);
    return errno;
}

/* ---- files that the kernel does not execute: copies of a program that has a loader ---- */

static void no_type(unsigned char *file, Elf64_Phdr *loader)
{
    (void)loader;
    ((Elf64_Ehdr *)(void *)file)->e_type = ET_NONE;
}

static void other_size_of_parts(unsigned char *file, Elf64_Phdr *loader)
{
    (void)loader;
    ((Elf64_Ehdr *)(void *)file)->e_phentsize = 0x99;
}

static void no_parts(unsigned char *file, Elf64_Phdr *loader)
{
    (void)loader;
    ((Elf64_Ehdr *)(void *)file)->e_phnum = 0;
}

static void missing_loader(unsigned char *file, Elf64_Phdr *loader)
{
    file[loader->p_offset + 1] ^= 1;
}

static void loader_without_end(unsigned char *file, Elf64_Phdr *loader)
{
    file[loader->p_offset + loader->p_filesz - 1] = 'x';
}

static void execute_damaged(void (*damage)(unsigned char *file, Elf64_Phdr *loader))
{
    int from = open("/bin/sh", O_RDONLY), to = memfd_create("damaged", 0);
    off_t n = lseek(from, 0, SEEK_END);
    unsigned char *file = ftruncate(to, n)
                              ? MAP_FAILED
                              : mmap(NULL, (size_t)n, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
    if (file == MAP_FAILED || pread(from, file, (size_t)n, 0) != n)
        exit(3);
    Elf64_Phdr *part = (Elf64_Phdr *)(void *)(file + ((Elf64_Ehdr *)(void *)file)->e_phoff);
    while (part->p_type != PT_INTERP)
        part++;
    damage(file, part);
    munmap(file, (size_t)n);
    static char name[] = "hello", *words[] = {name, name, NULL};
    fexecve(to, words, environ);
    printf("%s\n", strerror(errno));
    close(from);
    close(to);
}

static int damaged(void)
{
    execute_damaged(no_type);
    execute_damaged(other_size_of_parts);
    execute_damaged(no_parts);
    execute_damaged(missing_loader);
    execute_damaged(loader_without_end);
    return 0;
}

static int lower_files(void)
{
    const struct rlimit limit = {32, 32};
    struct rlimit now;
    if (setrlimit(RLIMIT_NOFILE, &limit) || getrlimit(RLIMIT_NOFILE, &now) || now.rlim_cur != 32)
        return 1;
    return puts("lowered") < 0;
}

/* Whether malloc() gives more than half of this limit, but not all of it, in large pieces and then
 * in small ones. */
static int memory_of(rlim_t limit)
{
    static const size_t pieces[] = {1 << 18, 1 << 12};
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        rlim_t got = 0;
        void *last = NULL;
        for (void **p; got < limit && (p = malloc(pieces[i])); got += pieces[i]) {
            *p = last;
            last = p;
        }
        for (void *p; (p = last); free(p))
            last = *(void **)p;
        printf("%d\n", got > limit / 2 && got < limit);
    }
    return 0;
}

/* Its own limits, which its children and the programs that they execute inherit. */
static int own_limits(void)
{
    static const struct {
        int resource;
        struct rlimit limit;
    } set[] = {{RLIMIT_DATA, {40 << 20, 50 << 20}},
               {RLIMIT_STACK, {64 << 10, 1 << 20}},
               {RLIMIT_FSIZE, {4096, 8192}},
               {RLIMIT_AS, {64 << 20, 65 << 20}}};
    static char name[] = "own_limits_2", *words[] = {NULL, name, NULL};
    const struct rlimit crossed = {2, 1};
    for (unsigned i = 0; i < sizeof set / sizeof *set; i++)
        if (setrlimit(set[i].resource, &set[i].limit) || !setrlimit(set[i].resource, &crossed) ||
            errno != EINVAL)
            return 1;
    int status;
    pid_t child = fork();
    if (child == 0) {
        words[0] = self;
        execv(self, words);
        _exit(errno);
    }
    return waitpid(child, &status, 0) != child || status;
}

static int own_limits_2(void)
{
    static const int resources[] = {RLIMIT_AS, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_FSIZE};
    struct rlimit now;
    for (unsigned i = 0; i < sizeof resources / sizeof *resources; i++) {
        if (getrlimit((__rlimit_resource_t)resources[i], &now))
            return 1;
        printf("%d: %lu %lu\n", resources[i], (unsigned long)now.rlim_cur,
               (unsigned long)now.rlim_max);
    }
    int file = memfd_create("file", 0);
    char page[8192] = "";
    printf("%zd\n", write(file, page, sizeof page));
    setrlimit(RLIMIT_DATA, &(struct rlimit){50 << 20, 50 << 20});
    now = (struct rlimit){32 << 20, 32 << 20};
    return setrlimit(RLIMIT_AS, &now) || memory_of(now.rlim_cur);
}

/* ---- seccomp ---- */

static int filter_call(long number, uint32_t action)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, steps};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Calls that the tracer needs itself, refused; the child and the program that it executes, too. */
static int refused(void)
{
    static const long calls[] = {SYS_sendmsg, SYS_memfd_create, SYS_futex,    SYS_pipe2,
                                 SYS_fcntl,   SYS_gettid,       SYS_ftruncate};
    static char name[] = "still", *words[] = {name, name, NULL};
    int status;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
        if (filter_call(calls[i], SECCOMP_RET_ERRNO | EXDEV))
            return 1;
    if (prctl(PR_GET_SECCOMP) != 2)
        return 2;
    pid_t child = vfork();
    if (child == 0) {
        execv(self, words);
        _exit(9);
    }
    return waitpid(child, &status, 0) != child || WEXITSTATUS(status);
}

static int still_refused(void)
{
    errno = 0;
    return syscall(SYS_gettid) != -1 || errno != EXDEV || puts("refused") < 0;
}

static volatile int trapped;

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    trapped = info->si_code == 1 && info->si_syscall == SYS_getppid ? info->si_errno : -1;
}

static int trap(void)
{
    struct sigaction a = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &a, NULL);
    if (filter_call(SYS_getppid, SECCOMP_RET_TRAP | 5))
        return 1;
    syscall(SYS_getppid);
    return trapped != 5 || puts("trapped") < 0;
}

static int killed(void)
{
    puts("before");
    fflush(stdout);
    return filter_call(SYS_getppid, SECCOMP_RET_KILL_PROCESS) || syscall(SYS_getppid) < 0;
}

static int strict(void)
{
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    syscall(SYS_exit, write(1, "strict\n", 7) != 7);
    return 1;
}

/* Executes a program in a sandbox that kills. */
static int in_sandbox(char **words)
{
    if (filter_call(SYS_memfd_create, SECCOMP_RET_KILL_PROCESS))
        return 1;
    execvp(words[0], words);
    return 1;
}

/* ---- instructions ---- */

static int unknown_instruction(void)
{
    __asm__ volatile(".byte 0x62,0xf1,0x7c,0x48,0x58,0xc1"); /* vaddps zmm0, zmm0, zmm1 */
    return 1;
}

static int undefined_instruction(void)
{
    __asm__ volatile("ud2");
    return 1;
}

int main(int n, char **words)
{
    static const struct {
        const char *name;
        int (*does)(void);
    } list[] = {{"reserve", reserve},
                {"clone3", by_clone3},
                {"files", lower_files},
                {"damaged", damaged},
                {"own_limits", own_limits},
                {"own_limits_2", own_limits_2},
                {"refused", refused},
                {"still", still_refused},
                {"trap", trap},
                {"killed", killed},
                {"strict", strict},
                {"unknown", unknown_instruction},
                {"ud2", undefined_instruction}};
    static const struct {
        const char *name;
        int (*does)(unsigned number);
    } counted[] = {{"threads", threads}, {"maps", maps}, {"stack", stack}};
    self = words[0];
    if (n < 2)
        return 2;
    if (!strcmp(words[1], "hello"))
        return puts("hello") < 0;
    if (!strcmp(words[1], "sandbox") && n > 2)
        return in_sandbox(words + 2);
    if (!strcmp(words[1], "memory"))
        return from_memory(0);
    if (!strcmp(words[1], "closed_memory"))
        return from_memory(MFD_CLOEXEC);
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
        if (!strcmp(words[1], list[i].name))
            return list[i].does();
    for (unsigned i = 0; n > 2 && i < sizeof counted / sizeof *counted; i++)
        if (!strcmp(words[1], counted[i].name))
            return counted[i].does((unsigned)atoi(words[2]));
    return 2;
}
