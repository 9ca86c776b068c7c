/* Samples a session of C-Box and ARB events N times. With `bus` it only reads the registers of one
 * counter as often. The differences of callgrind's counts give the cost of a sample and of its bus
 * accesses. usage: bench_sample session|bus N */
#include <boxscore/boxscore.h>

#include "seam/bus.h"
#include "machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const bx_error *e)
{
    fprintf(stderr, "bench_sample: %s\n", e->message);
    return 1;
}

int main(int argc, char **argv)
{
    bx_error e = {0};
    bx_machine *machine;
    if (argc != 3) {
        fprintf(stderr, "usage: bench_sample session|bus N\n");
        return 2;
    }
    long n = strtol(argv[2], NULL, 10);
    const bx_catalog *c = bx_catalog_builtin();
    if (bx_machine_open(c, "virtual:skl,part=plain", &machine, &e))
        return fail(&e);

    bx_evsel events[8];
    size_t count;
    bx_session *session;
    if (bx_events_parse(c, bx_machine_cpu(machine),
                        "UNC_CBO_CACHE_LOOKUP:ANY_MESI,UNC_CBO_CACHE_LOOKUP:ANY_I", events, 8,
                        &count, &e) ||
        bx_session_open(machine, events, count, NULL, &session, &e) ||
        bx_session_start(session, &e))
        return fail(&e);
    size_t readings;
    bx_session_readings(session, &readings);
    fprintf(stderr, "%zu counters\n", readings);

    uint64_t sum = 0;
    if (strcmp(argv[1], "session") == 0) {
        for (; n > 0; n--)
            if (bx_session_sample(session, &e))
                return fail(&e);
    } else {
        bx_bus *bus = bx_machine_bus(machine);
        /* The registers that the session reads, in its order: 334060-001 table 2-1. */
        static const uint64_t counter[8] = {0x706, 0x716, 0x726, 0x736, 0x707, 0x717, 0x727, 0x737};
        for (; n > 0; n--)
            for (int i = 0; i < 8; i++) {
                bx_address at = {.space = 0, .width = 64, .cpu = 0, .offset = counter[i]};
                uint64_t value;
                if (bus->read(bus, &at, &value))
                    return 1;
                sum += value;
            }
    }
    bx_session_close(session);
    bx_machine_close(machine);
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
