/* Memory of a PCI device as a sysfs file (`resourceN`). Its owner can open it even where the kernel
 * keeps /dev/mem closed (CONFIG_IO_STRICT_DEVMEM). Documentation/PCI/sysfs-pci.rst. */
#ifndef BX_HOST_BUS_PCI_RESOURCE_H
#define BX_HOST_BUS_PCI_RESOURCE_H

#include <stdint.h>

/* Opens the file that has the page at that physical address; *begin: the physical address of the
 * file's first byte. -1: no device has the page, or the file cannot be opened. */
int bx_resource_open(const char *root, uint64_t address, uint64_t page, uint64_t *begin);

#endif
