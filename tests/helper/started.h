/* The helper's executable, started on a machine that is a folder, and clients of all kinds. */
#ifndef BX_TESTS_HELPER_STARTED_H
#define BX_TESTS_HELPER_STARTED_H

#include "host/folder.h"
#include "host/helper/protocol.h"

#include <sys/types.h>

typedef struct started {
    folder f; /* a desktop of the 6th generation with two cores */
    char socket[96];
    char journal[96]; /* "": beside the socket */
    pid_t helper;
} started;

/* The machine, where no helper is started yet. */
started helper_none(void);

/* Starts it, with further options (up to two words, NULL), and waits until it listens. It is a
 * process group of its own, and its journal in memory: a disk takes its time. */
started helper_start(const char *option, const char *value);

/* The same on a machine that is there already; file_size: no file may grow beyond this, 0: any. */
void helper_start_on(started *s, const char *option, const char *value, unsigned long file_size);

/* kill -9 of both processes at one instant. */
void helper_kill_both(started *s);

/* Ends it with a signal and returns its exit status. The folder is still there. */
int helper_stop(started *s);
void helper_end(started *s); /* stops it if need be, and removes the folder */

/* The process of the two that serves. */
pid_t helper_server(const started *s);

/* A message to a process on another CPU that sleeps takes ten times as long. */
void stay_on_one_cpu(void);

/* A connection as this user; -1 with errno. */
int client_open(const started *s);
int connected(const started *s); /* there is one */

/* Whether the other end has closed it. */
bool client_dropped(int fd);

/* A request of n records, and its answer; false: the connection has ended. */
bool client_asks(int fd, bx_protocol_message *w);

/* One record; returns its errno, 999 if the connection has ended. */
int client_reads(int fd, unsigned width, uint64_t msr, uint64_t *value);
int client_writes(int fd, unsigned width, uint64_t msr, uint64_t value);

/* All bytes of the MSRs of CPU 0, as a sum. */
uint64_t msrs_sum(const started *s);
void msrs_wait_for(const started *s, uint64_t sum);

#endif
