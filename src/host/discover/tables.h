/* Discovery tables: Sapphire Rapids and later describe the units of their uncore in the memory of a
 * PCI device. Layout: Linux 6.12, arch/x86/events/intel/uncore_discovery.h and .c. */
#ifndef BX_HOST_DISCOVER_TABLES_H
#define BX_HOST_DISCOVER_TABLES_H

#include <stddef.h>

#include <stdbool.h>
#include <stdint.h>

enum { BX_DISCOVERED_KINDS = 64, BX_DISCOVERY_TABLES = 16 };

/* Where the registers of a unit are. */
enum bx_discovered_access { BX_DISCOVERED_MSR, BX_DISCOVERED_MMIO, BX_DISCOVERED_PCI };

/* Units of one type. */
typedef struct bx_discovered {
    uint16_t type;
    uint8_t access;         /* enum bx_discovered_access */
    uint8_t counters, bits; /* of each unit, and their width */
    unsigned units;         /* in the table with most of them: in a package */
    uint64_t control;       /* address of the first unit's control, in the first table */
} bx_discovered;

typedef struct bx_discovery_table {
    char device[32];          /* "0000:7e:00.3" */
    unsigned resource, cap;   /* cap: offset of the capability in the configuration space */
    unsigned entries, stride; /* in quadwords; entry 0 describes the package itself */
} bx_discovery_table;

typedef struct bx_discovery {
    bx_discovery_table tables[BX_DISCOVERY_TABLES];
    size_t tables_n;
    bx_discovered kinds[BX_DISCOVERED_KINDS]; /* by type */
    size_t kinds_n;
    unsigned unreadable; /* devices that have a table which may not be read */
} bx_discovery;

/* Reads the tables of the machine under `root`; "": this one, which needs root's rights. */
void bx_discovery_read(const char *root, bx_discovery *to);

/* Reads quadword i of a table; false: it cannot be read. */
typedef bool bx_discovery_word(void *context, size_t i, uint64_t *value);

/* Adds the units of a table with these words. false: they are no discovery table. */
bool bx_discovery_add(bx_discovery *to, bx_discovery_table *table, bx_discovery_word *word,
                      void *context);

/* Calls each() for the words of a table's entries, in their order. */
void bx_discovery_each_word(const char *root, const bx_discovery_table *table,
                            void (*each)(void *context, size_t i, uint64_t value), void *context);

/* Linux's name of a type of units, "cha"; NULL: it has none. */
const char *bx_discovered_name(unsigned type);

/* "MSR", "MMIO", "PCI" */
const char *bx_discovered_access_name(unsigned access);

#endif
