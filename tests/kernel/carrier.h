/* Puts tests/kernel/carrier.S into a guest's kernel, and decodes its messages. */
#ifndef BX_TESTS_KERNEL_CARRIER_H
#define BX_TESTS_KERNEL_CARRIER_H

#include "guest.h"

typedef struct carrier_message {
    bool pci, write;
    unsigned apic, bytes; /* of the CPU; of a PCI register */
    uint32_t where;       /* MSR, or bus << 20 | device << 15 | function << 12 | offset */
    uint64_t value;
} carrier_message;

enum carrier_result { CARRIER_FINE, CARRIER_FAULTS, CARRIER_NOT_OURS };

carrier_message carrier_take(const uint8_t message[GUEST_MESSAGE]);
void carrier_reply(uint8_t reply[GUEST_REPLY], uint64_t value, enum carrier_result result);

/* After this call, the MSR accesses of modules that are loaded later, and those of the MSR device,
 * are sent as messages. With `pci`, accesses to PCI configuration space are sent as well. The
 * kernel's other MSR accesses do not change. */
void carrier_install(guest *g, bool pci);

#endif
