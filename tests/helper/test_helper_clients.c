/* Clients that vanish, helpers that are killed, and claims of packages. At the end registers are as
 * before. */
#include "../cmocked.h"

#include "host/helper/client.h"
#include "guard/journal.h"
#include "catalog/catalog.h"
#include "cli/run.h"
#include "helper/helper_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* CPU 0 was offline when the helper was started, so its package is claimed through CPU 1. A client
 * that sees no other CPU of the package fails at once. */
static void cpus_that_were_offline(void **state)
{
    (void)state;
    static const uint16_t both[] = {0, 1}, package[] = {0};
    const bx_cpus two = {.packages = 1, .cores = 2, .logical = both, .package = package};
    const bx_cpus one = {.packages = 1, .cores = 1, .logical = both, .package = package};
    const bx_address first = {BX_SPACE_MSR, 64, 0, 0x700}, second = {BX_SPACE_MSR, 64, 1, 0x700};
    bx_error e = {0};
    bx_owner holder;
    uint64_t value;
    started s = helper_none();
    folder_text(&s.f, "/sys/devices/system/cpu/online", "1  \n");
    helper_start_on(&s, NULL, NULL, 0);
    struct bx_bus *bus = bx_helper_open(s.socket, &two, 6, 94, &e);
    assert_non_null(bus);
    assert_int_equal(bx_helper_claim(bus, 0, &holder), 0);
    assert_int_equal(bus->read(bus, &first, &value), ENXIO);
    assert_int_equal(bus->write(bus, &second, 0x408834), 0);
    assert_int_equal(folder_get(&s.f, "/dev/cpu/1/msr", 0x700), 0x408834);
    assert_int_equal(bx_helper_release(bus, 0), 0);
    assert_int_equal(folder_get(&s.f, "/dev/cpu/1/msr", 0x700), 0);
    bus->close(bus);
    assert_null(bx_helper_open(s.socket, &one, 6, 94, &e));
    assert_has(e.message, "' was started when CPU 0 and all others of its package were offline");
    assert_string_equal(e.hint, "end it, and start it again");
    helper_end(&s);
}

/* The remaining process ends after it has restored everything. */
static void wait_for_end(const started *s)
{
    int fd;
    for (unsigned waited = 0; (fd = client_open(s)) >= 0; waited++) {
        assert_true(waited < 20000);
        close(fd);
        usleep(1000);
    }
}

/* Writes registers that do not overlap in a plain file, where an MSR has 8 bytes at its number. */
static void change(int fd)
{
    assert_int_equal(client_writes(fd, 64, 0xe01, 0), 0);
    assert_int_equal(client_writes(fd, 64, 0x730, 0x40800), 0);
    assert_int_equal(client_writes(fd, 64, 0x700, 0x408834), 0);
    assert_int_equal(client_writes(fd, 64, 0xe01, 0x20000000), 0);
}

/* However a client or the helper ends, registers are as before. */
static void all_is_put_back(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    folder_msr(&s.f, 0, 0x700, 0x8123);
    uint64_t before = msrs_sum(&s);
    int fd = connected(&s);
    change(fd);
    assert_true(msrs_sum(&s) != before);
    close(fd);
    msrs_wait_for(&s, before);

    pid_t client = fork();
    if (client == 0) {
        change(connected(&s));
        raise(SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(client, &status, 0), client);
    assert_true(WIFSIGNALED(status));
    msrs_wait_for(&s, before);

    fd = connected(&s);
    change(fd);
    bx_protocol_message w = {.kind = BX_PROTOCOL_RELEASE, .n = 1};
    assert_true(client_asks(fd, &w));
    assert_int_equal(w.record[0].error, 0);
    assert_int_equal(msrs_sum(&s), before);

    change(fd);
    assert_int_equal(send(fd, "nonsense", 8, 0), 8);
    msrs_wait_for(&s, before);
    close(fd);

    fd = connected(&s);
    change(fd);
    assert_int_equal(helper_stop(&s), 0); /* SIGTERM */
    assert_int_equal(msrs_sum(&s), before);
    close(fd);
    helper_end(&s);
}

/* One of the helper's two processes is killed, and the other one restores. */
static void killed_helpers(void **state)
{
    (void)state;
    for (unsigned which = 0; which < 2; which++) {
        int status;
        started s = helper_start(NULL, NULL);
        uint64_t before = msrs_sum(&s);
        pid_t server = helper_server(&s);
        int fd = connected(&s);
        change(fd);
        assert_true(msrs_sum(&s) != before);
        assert_int_equal(kill(which ? server : s.helper, SIGKILL), 0);
        msrs_wait_for(&s, before);
        assert_true(client_dropped(fd));
        close(fd);
        assert_int_equal(waitpid(s.helper, &status, 0), s.helper);
        wait_for_end(&s);
        if (which)
            assert_int_equal(WEXITSTATUS(status), 1);
        s.helper = 0;
        helper_end(&s);
    }
}

static void one_at_a_time(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    int first = connected(&s), second = connected(&s);
    uint64_t value;
    assert_int_equal(client_writes(first, 64, 0x700, 0x8834), 0);
    bx_protocol_message w = {.kind = BX_PROTOCOL_CLAIM, .n = 1};
    assert_true(client_asks(second, &w));
    assert_int_equal(w.record[0].error, EADDRINUSE);
    assert_int_equal(w.record[0].value, getpid());
    assert_int_equal(client_writes(second, 64, 0x710, 0x8834), EADDRINUSE);
    assert_int_equal(client_reads(second, 64, 0x700, &value), 0);
    assert_int_equal(value, 0x8834);
    w = (bx_protocol_message){.kind = BX_PROTOCOL_RELEASE,
                              .n = 1}; /* this client does not have the package */
    assert_true(client_asks(second, &w));
    assert_int_equal(client_writes(second, 64, 0x710, 0x8834), EADDRINUSE);
    close(first);
    for (unsigned waited = 0; client_writes(second, 64, 0x710, 0x8834); waited++) {
        assert_true(waited < 20000);
        usleep(1000);
    }
    assert_int_equal(client_reads(second, 64, 0x700, &value), 0);
    assert_int_equal(value, 0);
    close(second);
    helper_end(&s);
}

/* The helper takes the package's lock, so that no program accesses its registers directly. */
static void locks(void **state)
{
    (void)state;
    started s = helper_start(NULL, NULL);
    bx_lock lock;
    bx_owner holder;
    int fd = connected(&s);
    assert_int_equal(folder_lock(&s.f, 0, &lock, &holder), 0);
    bx_protocol_message w = {.kind = BX_PROTOCOL_CLAIM, .n = 1};
    assert_true(client_asks(fd, &w));
    assert_int_equal(w.record[0].error, EADDRINUSE);
    assert_int_equal(w.record[0].value, 0); /* the sealed process cannot open /proc/locks */
    assert_int_equal(client_writes(fd, 64, 0x700, 0x8834), EADDRINUSE);
    bx_lock_drop(&lock);
    assert_int_equal(client_writes(fd, 64, 0x700, 0x8834), 0);
    assert_int_equal(folder_lock(&s.f, 0, &lock, &holder), EADDRINUSE);
    assert_int_equal(holder.pid, s.helper); /* the process that reacts to signals */
    assert_true(holder.is_helper);
    w = (bx_protocol_message){.kind = BX_PROTOCOL_RELEASE, .n = 1};
    assert_true(client_asks(fd, &w));
    assert_int_equal(folder_lock(&s.f, 0, &lock, &holder), 0);
    bx_lock_drop(&lock);
    close(fd);
    helper_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_that_were_offline),
        cmocka_unit_test(all_is_put_back),
        cmocka_unit_test(killed_helpers),
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(locks),
    };
    stay_on_one_cpu();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
