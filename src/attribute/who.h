/* Who makes an access: the instruction, and the address that it gave.
 * docs/explanation/attribution.md
 */
#ifndef BX_ATTRIBUTE_WHO_H
#define BX_ATTRIBUTE_WHO_H

#include <stdint.h>

/* Numbers of code. Instructions have numbers from BX_CODE_FIRST on. */
enum bx_code_number {
    BX_CODE_NOBODY, /* counts that no access has caused */
    BX_CODE_DEVICE, /* graphics, input and output */
    BX_CODE_KERNEL, /* a kernel, where no instruction of the program is known */
    BX_CODE_WORKLOAD,
    BX_CODE_OTHER, /* rows that were merged */
    BX_CODE_FIRST,
};

/* Travels beside an access, at the same index: it costs nothing where nobody asks. */
typedef struct bx_who {
    uint64_t address; /* virtual; 0: none */
    uint32_t code;
    uint32_t context; /* the calls in which it runs; 0: the root, or not asked */
    uint32_t object;  /* of the address; 0: none, or not asked */
} bx_who;

#endif
