/* Whichever process of a stage is killed with SIGKILL, at any moment, no process, mount or file
 * remains. Clients that run at once or are killed do not disturb the stage. */
#include "../cmocked.h"
#include "../rounds.h"

#include "stage/play.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- killed ---- */

/* The program leaves processes of all kinds: plain, in a session of its own, below a parent that
 * ends, ignoring signals. It also reads a register in a loop. Processes of this test have this $D
 * in their environment. /dev/shm is left out, because other programs change it. */
static const char shell[] =
    "exec 2>/dev/null; export TMPDIR=$D.tmp; mkdir $TMPDIR\n"
    "program='sleep 99 & (setsid sleep 99 &); (trap \"\" TERM INT HUP; setsid sh -c \"sleep 99; :\""
    " & sleep 99) & cd $M; while :; do dd if=dev/cpu/0/msr bs=8 count=1 iflag=skip_bytes"
    " skip=918; done >/dev/null 2>&1'\n"
    "tree() { echo $1; for c in $(cat /proc/$1/task/*/children); do tree $c; done; }\n"
    "left() { for e in $(grep -lz \"^D=$D$\" /proc/[0-9]*/environ); do\n"
    "  tr '\\0' ' ' <${e%environ}cmdline && echo; done; }\n" /* not grep, which would find itself */
    "snapshot() { ls -laR --time-style=+ -I shm -I pts /dev | grep -v 'tty\\|ptmx'; ls -A $D "
    "$TMPDIR\n"
    "  cut -d' ' -f5,9- /proc/self/mountinfo | grep -v ^/tmp/; grep $D /proc/self/mountinfo\n"
    "  cat /proc/cpuinfo | grep -c ^processor; ls /etc/ld.so.preload; left; }\n"
    "snapshot >$D.before\n"
    "check() { await 'snapshot >$D.after; cmp -s $D.before $D.after'\n"
    "  cmp -s $D.before $D.after || { echo \"$role, $1:\"; diff $D.before $D.after; }; }\n"
    "end() { kill -TERM $p; await '! kill -0 $p'\n"
    "  kill -0 $p && { echo \"$role, $1: it does not end\"; kill -9 $p; }; wait $p; }\n"
    "begin() { M=$1; shift; export M; $B stage \"$@\" -- sh -c \"$program\" >/dev/null & p=$!; }\n"
    "killed() { role=$(cat /proc/$1/comm); kill -9 $1; sleep 0.1; end $2; check $2; }\n";

static const char *const stages[] = {
    "begin / -w stream",
    "begin $D --at $D",
    "begin $D --at $D --follow 'sh -c \"sleep 99 & (setsid sleep 99 &) seq 1000000\"'",
};

static void able(size_t stage)
{
    need_fuse();
    if (stage == 0)
        need_mount_namespace();
    else if (stage == 2)
        need_program("valgrind");
}

static void nothing_said(const char *script)
{
    ran r = play(script);
    if (r.out[0] || r.status)
        fail_msg("printed (%d)\n%s--- by\n%s", r.status, r.out, script);
    ran_free(&r);
}

/* Kills each process of the first and the last stage in turn, and the program's processes, after
 * all have started. */
static void each_in_turn(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i += 2) {
        char script[6144];
        able(i);
        snprintf(script, sizeof script,
                 "%sfor k in $(seq 24); do\n"
                 "  %s\n"
                 "  await '[ $(tree $p | wc -l) -ge 8 ]'\n"
                 "  sleep 0.1; set -- $(tree $p); last=$#\n"
                 "  [ $k -gt $last ] && { role=end; end $k; check $k; break; }\n"
                 "  shift $((k - 1)); killed $1 $k\n"
                 "done\n"
                 "[ $k -ge 8 ] || echo \"only $k processes\"\n"
                 "rm -r $D.before $D.after $TMPDIR",
                 shell, stages[i]);
        nothing_said(script);
    }
}

/* Kills any process at any moment. */
static void at_random(void **state)
{
    (void)state;
    unsigned seed = seed_of_run();
    print_message("seed %u\n", seed);
    srand(seed);
    unsigned rounds = getenv("BX_LONG") ? 25 : 5;
    for (unsigned round = 0; round < rounds; round++) {
        char script[6144];
        size_t i = (size_t)rand() % (sizeof stages / sizeof *stages);
        able(i);
        snprintf(script, sizeof script,
                 "%s%s; sleep 0.%03d; set -- $(tree $p); shift $((%d %% $#)); killed $1 random\n"
                 "rm -r $D.before $D.after $TMPDIR",
                 shell, stages[i], rand() % 600, rand() % 1000);
        nothing_said(script);
    }
    print_message("%u kills\n", rounds);
}

/* Kills the command and all processes of its name at once. */
static void all_by_name(void **state)
{
    (void)state;
    need_mount_namespace();
    char script[6144];
    snprintf(script, sizeof script,
             "%sbegin / -w stream; sleep 0.5; role=all\n"
             "for c in $(tree $p); do [ $(cat /proc/$c/comm) = boxscore ] && echo $c; done |\n"
             "  xargs kill -9\n"
             "wait $p; check all; rm -r $D.before $D.after $TMPDIR",
             shell);
    nothing_said(script);
}

/* ---- clients ---- */

typedef struct stage {
    char folder[64];
    pid_t pid;
} stage;

static stage begin(void)
{
    stage s = {"/tmp/boxscore-test-XXXXXX", 0};
    char file[128];
    need_fuse();
    assert_non_null(mkdtemp(s.folder));
    s.pid = fork();
    if (s.pid == 0) {
        execl(getenv("BOXSCORE"), "boxscore", "stage", "--machine", "virtual:skl,part=plain",
              "--at", s.folder, "--pace", "0", "--", "sleep", "60", (char *)NULL);
        _exit(127);
    }
    snprintf(file, sizeof file, "%s/dev/mem", s.folder);
    for (int i = 0; i < 200 && access(file, F_OK) != 0; i++)
        usleep(50000);
    return s;
}

static void end(const stage *s)
{
    kill(s->pid, SIGTERM);
    waitpid(s->pid, NULL, 0);
    assert_int_equal(rmdir(s->folder), 0); /* it is empty again, and nothing is mounted */
}

static int msr_of(const stage *s, unsigned cpu)
{
    char file[128];
    snprintf(file, sizeof file, "%s/dev/cpu/%u/msr", s->folder, cpu);
    return open(file, O_RDWR | O_CLOEXEC);
}

static bool exchange(int fd, uint64_t msr, uint64_t write, uint64_t *read)
{
    return pwrite(fd, &write, 8, (off_t)msr) == 8 && pread(fd, read, 8, (off_t)msr) == 8;
}

/* 680H is a register of the cores with 64 bits. All clients share CPU 0's: a read returns a
 * complete value that one of them has written. Each client uses 681H on its own CPU: a read returns
 * what it wrote last. */
static int client(const stage *s, unsigned number)
{
    enum { SHARED = 0x680, OWN = 0x681, TIMES = 1000 };
    int shared = msr_of(s, 0), own = msr_of(s, number);
    for (uint64_t i = 1; i <= TIMES; i++) {
        uint64_t value, mine = i << 32 | number;
        if (!exchange(shared, SHARED, UINT64_C(0x1111111111111111) * (number + 1), &value) ||
            value % UINT64_C(0x1111111111111111) != 0 || value == 0)
            return 1;
        if (!exchange(own, OWN, mine, &value) || value != mine)
            return 2;
    }
    return 0;
}

static void clients_at_once(void **state)
{
    (void)state;
    enum { CLIENTS = 4 };
    stage s = begin();
    pid_t pids[CLIENTS];
    for (unsigned i = 0; i < CLIENTS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(client(&s, i));
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        int status = -1;
        waitpid(pids[i], &status, 0);
        assert_int_equal(status, 0);
    }
    end(&s);
}

/* Stops all counters, selects all lookups for counter 0 of the first box, clears it, and starts
 * it. */
static const struct {
    off_t msr;
    uint64_t value;
} setup[] = {{0xe01, 0}, {0x700, 0x508f34}, {0x706, 0}, {0xe01, 0x20000000}};

static const char work[] = "run stream,size=1M";

static void run_work(int dialogue)
{
    assert_true(write(dialogue, work, sizeof work - 1) == sizeof work - 1);
}

/* Counts work that leaves the caches as it found them after other such work. A client that is
 * killed ends its work in the middle, which leaves other lines there: so it runs before, too. */
static uint64_t measure(const stage *s, int fd)
{
    char file[128];
    uint64_t count = 0;
    snprintf(file, sizeof file, "%s/dialogue", s->folder);
    int dialogue = open(file, O_WRONLY | O_CLOEXEC);
    run_work(dialogue);
    for (size_t i = 0; i < sizeof setup / sizeof *setup; i++)
        assert_int_equal(pwrite(fd, &setup[i].value, 8, setup[i].msr), 8);
    run_work(dialogue);
    assert_int_equal(pread(fd, &count, 8, 0x706), 8);
    close(dialogue);
    return count;
}

/* A client is killed at any moment of its measurement. The next client counts as if it had not
 * run. */
static void a_client_is_killed(void **state)
{
    (void)state;
    stage s = begin();
    int fd = msr_of(&s, 0);
    unsigned seed = seed_of_run();
    print_message("seed %u\n", seed);
    srand(seed);
    for (int warm = 0; warm < 2; warm++)
        measure(&s, fd);
    uint64_t expected = measure(&s, fd);
    assert_true(expected > 1000);
    unsigned rounds = getenv("BX_LONG") ? 300 : 20;
    for (unsigned round = 0; round < rounds; round++) {
        pid_t killed = fork();
        while (killed == 0)
            measure(&s, fd);
        usleep((useconds_t)(rand() % 20000));
        kill(killed, SIGKILL);
        waitpid(killed, NULL, 0);
        assert_int_equal(measure(&s, fd), expected);
    }
    print_message("%u kills\n", rounds);
    close(fd);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_in_turn),       cmocka_unit_test(at_random),
        cmocka_unit_test(all_by_name),        cmocka_unit_test(clients_at_once),
        cmocka_unit_test(a_client_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
