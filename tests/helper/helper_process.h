/* Runs the helper's executable on a machine in a folder, and plays clients of all kinds. */
#ifndef BX_TESTS_HELPER_HELPER_PROCESS_H
#define BX_TESTS_HELPER_HELPER_PROCESS_H

#include "host/folder.h"
#include "host/helper/protocol.h"

#include <sys/types.h>

typedef struct started {
    folder f; /* a desktop of the 6th generation with two cores */
    char socket[96];
    char journal[96]; /* "": beside the socket */
    pid_t helper;
} started;

/* Makes the machine, without a helper. */
started helper_none(void);

/* Starts the helper, with further options (up to two words, NULL), and waits until it listens. It
 * has its own process group. Its journal is in /dev/shm: a disk would be slow. */
started helper_start(const char *option, const char *value);

/* The same on an existing machine. `file_size`: limit of the size of files; 0: none. */
void helper_start_on(started *s, const char *option, const char *value, unsigned long file_size);

/* Kills both processes with SIGKILL at one instant. */
void helper_kill_both(started *s);

/* Ends the helper with a signal and returns its exit status. The folder stays. */
int helper_stop(started *s);
void helper_end(started *s); /* stops the helper if needed, and removes the folder */

/* The serving one of the helper's two processes. */
pid_t helper_server(const started *s);

/* Pins to one CPU: waking a process on another CPU takes ten times as long. */
void stay_on_one_cpu(void);

/* Connects as this user; -1 with errno. */
int client_open(const started *s);
int connected(const started *s); /* fails the test if there is no connection */

/* Whether the helper has closed the connection. */
bool client_dropped(int fd);

/* Sends a request of n records and receives the answer. Returns false if the connection has
 * ended. */
bool client_asks(int fd, bx_protocol_message *w);

/* The same with one record; returns its errno, 999 if the connection has ended. */
int client_reads(int fd, unsigned width, uint64_t msr, uint64_t *value);
int client_writes(int fd, unsigned width, uint64_t msr, uint64_t value);

/* A checksum of the MSRs of CPU 0. */
uint64_t msrs_sum(const started *s);
void msrs_wait_for(const started *s, uint64_t sum);

#endif
