/* What CPUID says of the caches of a virtual machine and of who shares them: on stage, and to
 * traced programs. Leaves: SDM volume 2, CPUID. */
#ifndef BX_MACHINE_VIRTUAL_CPUID_H
#define BX_MACHINE_VIRTUAL_CPUID_H

#include "machine/program/process/surroundings.h"
#include "topology/topology.h"

typedef struct bx_cpuid {
    uint32_t eax, ebx, ecx, edx;
} bx_cpuid;

/* Leaf 2: caches are in leaf 4. */
enum { BX_CPUID_SEE_LEAF_4 = 0xff01 };

/* Leaf 4: the caches of the model, as many levels as it has, with the keys of the machine string.
 */
bx_cpuid bx_virtual_cpuid_cache(const bx_topology *t, uint32_t subleaf);
/* Leaf 0BH of a logical CPU. */
bx_cpuid bx_virtual_cpuid_level(const bx_topology *t, unsigned cpu, uint32_t subleaf);
/* The APIC id of a CPU: the core in the low bits, the package above. */
unsigned bx_cpuid_apic(const bx_topology *t, unsigned cpu);
/* The bits of the APIC id for the core. */
unsigned bx_cpuid_core_bits(const bx_topology *t);
uint32_t bx_virtual_line_bytes(const bx_topology *t);

/* All of it as the tracer's option --cpuid= takes it: "LEAF.SUBLEAF=EAX:EBX:ECX:EDX,…" in
 * hexadecimal, as CPU 0 sees it. With the leaves that AMD's processors have: Valgrind shows one to
 * programs that may use SSE2 only. In 80000006H, lines of a tag are not said: Intel's have no such
 * field. */
void bx_virtual_cpuid_text(const bx_topology *t, char to[BX_CPUID_TEXT]);

#endif
