/* The bus: reads and writes of registers. src/host implements it for real machines and register
 * logs, src/vpmu for virtual machines. */
#ifndef BX_SEAM_BUS_H
#define BX_SEAM_BUS_H

#include <boxscore/boxscore.h>

typedef struct bx_bus bx_bus;

/* Where a register is.
 * msr: offset is the MSR's number, cpu the logical CPU to access it on.
 * pci: offset is bus<<20 | device<<15 | function<<12 | register.
 * mmio: offset is a physical address. width is 8 … 64 bits. */
typedef struct bx_address {
    uint8_t space; /* enum bx_space of rows.h: 0 msr, 1 pci, 2 mmio */
    uint8_t width; /* bits of the access */
    uint16_t cpu;  /* logical CPU; for pci and mmio any CPU of the package */
    uint64_t offset;
} bx_address;

/* Both return 0 or an errno. EIO is a fault (#GP); ENXIO means that there is no such device. On an
 * error *value is unchanged. */
struct bx_bus {
    int (*read)(struct bx_bus *bus, const bx_address *at, uint64_t *value);
    int (*write)(struct bx_bus *bus, const bx_address *at, uint64_t value);
    void (*close)(struct bx_bus *bus);
    /* Reads n registers at once; NULL: not supported. values[i] belongs to at[i]. Returns the
     * number of successful reads. If it is less than n, the next read failed with *err. */
    size_t (*read_many)(struct bx_bus *bus, const bx_address *at, uint64_t *values, size_t n,
                        int *err);
};

#endif
