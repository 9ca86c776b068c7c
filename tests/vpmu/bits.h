/* Short words for the bits of registers. */
#ifndef BX_TESTS_VPMU_BITS_H
#define BX_TESTS_VPMU_BITS_H

#include <stdint.h>

#define BIT(n)    (UINT64_C(1) << (n))
#define WIDTH(n)  (BIT(n) - 1)
#define ARRAY(of) (sizeof(of) / sizeof(*(of)))

#endif
