/* Where a session counts a reading, for those who ask who causes it. */
#ifndef BX_SESSION_COUNTER_H
#define BX_SESSION_COUNTER_H

#include <boxscore/boxscore.h>

#include <stddef.h>

/* The counter of a reading, by its index in the unit, and its place (a catalogue index). false: no
 * register counts it. */
bool bx_session_counter(const bx_session *s, size_t reading, int16_t *counter, uint16_t *place);

/* The logical CPU of a host on which the kernel counts reading i; -1: it follows a program, or
 * registers are read. */
int bx_session_read_on(const bx_session *s, size_t i);

#endif
