/* Parses what a register access of the dialogue names: a CPU and an address, or a register. */
#ifndef BX_MACHINE_DIALOGUE_ACCESS_H
#define BX_MACHINE_DIALOGUE_ACCESS_H

#include "machine/dialogue/words.h"
#include "machine/machine.h"

/* Word 1: a logical CPU of the machine. */
int bx_access_cpu(const bx_machine *m, const bx_words *s, unsigned *cpu, bx_error *e);

/* Words 1 and 2: a CPU, and an MSR by its address or name. */
int bx_access_msr(const bx_machine *m, const bx_words *s, bx_address *at, bx_error *e);

/* The words from 1 on: "B:D.F OFFSET BYTES" or "ADDR BYTES", or the name of a register in that
 * space, which takes one word. */
int bx_access_pci(const bx_machine *m, const bx_words *s, bx_address *at, bx_error *e);
int bx_access_memory(const bx_machine *m, const bx_words *s, bx_address *at, bx_error *e);
bool bx_access_is_name(bx_str word);

#endif
