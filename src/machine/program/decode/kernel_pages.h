/* The work of a kernel for a program: it zeroes and copies pages, and reads and writes memory in
 * system calls. */
#ifndef BX_MACHINE_PROGRAM_DECODE_KERNEL_PAGES_H
#define BX_MACHINE_PROGRAM_DECODE_KERNEL_PAGES_H

#include "machine/program/decode/decoder_state.h"

/* Notes that a page was created, so that the kernel's accesses follow later. For a huge page: all
 * of its pages. */
void bx_decoder_add_fault(bx_decoder *d, bx_decoder_fault f);
void bx_decoder_add_faults_of_huge(bx_decoder *d, uint64_t frame, uint64_t page);

/* Makes the kernel's accesses for pages that were touched for the first time, for as many as there
 * is room. Inserts them before the n accesses that touched the pages. Returns how many accesses
 * were added. */
size_t bx_decoder_make_pages(bx_decoder *d, bx_access *to, size_t n, size_t room);

#endif
