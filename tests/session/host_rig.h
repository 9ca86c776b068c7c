/* A machine that is a folder, and its kernel a fake: its events are counted by sessions. */
#ifndef BX_TESTS_SESSION_HOST_RIG_H
#define BX_TESTS_SESSION_HOST_RIG_H

#include "host/fake_kernel.h"
#include "host/folder.h"
#include "machine/machine.h"

enum { HOST_RIG_EVENTS = 32 };

typedef struct host_rig {
    folder f;
    fake_kernel kernel;
    bx_perf_calls calls; /* its */
    bx_machine *m;
    bx_evsel events[HOST_RIG_EVENTS];
    size_t n;
    bx_session *s;
    bx_error e;
} host_rig;

/* A folder with a CPU of this model and these CPUs online, such as "0-3\n". */
folder host_rig_cpu(unsigned model, const char *online);

/* 5EH, with the kernel's PMUs of a client. registers: with MSRs, too. */
folder host_rig_client(bool registers);

/* The same without registers. Four CPUs, two threads of each of two cores: 0 and 2, 1 and 3. */
folder host_rig_threads(void);

/* Opens the machine, which takes the folder. It must not be moved. */
void host_rig_open(host_rig *r, folder f, unsigned driver);
void host_rig_open_with(host_rig *r, const struct bx_catalog *c, folder f, unsigned driver);

/* Opens a session of these events, and returns what bx_session_open() does. o: NULL: none. */
int host_rig_session(host_rig *r, const char *list, const bx_session_options *o);

/* The same without options; fails the test if the session cannot be opened. */
void host_rig_opened(host_rig *r, const char *list);

/* The same; then starts it and takes one sample. */
void host_rig_sampled(host_rig *r, const char *list);

/* Closes all; the kernel must then have no open counter. */
void host_rig_end(host_rig *r);

/* The session's readings. Fails the test unless their number is the expected one. */
const bx_reading *host_rig_readings(const host_rig *r, size_t expected);

/* Checks the counter that was opened as number i. */
void host_rig_opens(const host_rig *r, int i, uint32_t type, uint64_t config, int cpu);

#endif
