/* Programs of seccomp filters: classic BPF as linux/filter.h and seccomp(2) define it. */
#ifndef BX_TRACER_FILTER_PROGRAM_H
#define BX_TRACER_FILTER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { BX_FILTER_MOST = 4096 }; /* BPF_MAXINSNS */

typedef struct bx_filter_step { /* struct sock_filter */
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t k;
} bx_filter_step;

typedef struct bx_filter_input { /* struct seccomp_data */
    int32_t number;
    uint32_t architecture;
    uint64_t at; /* the address after the system call's instruction */
    uint64_t argument[6];
} bx_filter_input;

/* Whether the kernel would accept this program: its instructions exist, jumps stay inside, the last
 * one returns. */
bool bx_filter_is_good(const bx_filter_step *steps, uint32_t n);

/* Runs a good program. Returns its result: an action and 16 bits of data. */
uint32_t bx_filter_run(const bx_filter_step *steps, const bx_filter_input *input);

#endif
