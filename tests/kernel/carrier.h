/* tests/kernel/carrier.S: how it gets into a guest's kernel, and what its messages say. */
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

/* From now on MSRs that modules access, once they are loaded, and those that the MSR device does,
 * are carried; where `pci`, also PCI configuration space. What else the kernel does with MSRs stays
 * as it is. */
void carrier_install(guest *g, bool pci);

#endif
