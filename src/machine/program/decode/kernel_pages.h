/* What a kernel does for a program: it zeroes and copies pages, and reads and writes memory in
 * system calls. */
#ifndef BX_MACHINE_PROGRAM_DECODE_KERNEL_PAGES_H
#define BX_MACHINE_PROGRAM_DECODE_KERNEL_PAGES_H

#include "machine/program/decode/decoder_state.h"

/* A page was made: the kernel's accesses are to come. Of a huge one, all of its pages. */
void bx_decoder_add_fault(bx_decoder *d, bx_decoder_fault f);
void bx_decoder_add_faults_of_huge(bx_decoder *d, uint64_t frame);

/* What a kernel does for the pages that were touched first, as many as there is room for. It stands
 * before the n accesses that have touched them. Returns how many more accesses there are. */
size_t bx_decoder_make_pages(bx_decoder *d, bx_access *to, size_t n, size_t room);

#endif
