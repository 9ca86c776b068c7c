/* Finds the device whose memory has an address, in the files `resource` of sysfs. */
#include "host/bus/pci_resource.h"

#include "host/system/file.h"
#include "base/buf.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static const char folder[] = "/sys/bus/pci/devices";

/* In the file `resource` each line is a resource: "0xfirst 0xlast 0xflags"; flag 0x200: memory
 * (Linux, include/linux/ioport.h). Returns the number of the resource that has the page; -1: none.
 */
static int find_resource(bx_str text, uint64_t address, uint64_t page, uint64_t *begin)
{
    enum { MEMORY = 0x200, BARS = 6 };
    for (int i = 0; i < BARS && text.p && text.n; i++) {
        uint64_t first, last, flags;
        bx_str line = bx_str_cut(&text, '\n');
        if (bx_str_u64(bx_str_cut(&line, ' '), &first) &&
            bx_str_u64(bx_str_cut(&line, ' '), &last) && bx_str_u64(line, &flags) &&
            (flags & MEMORY) && first % page == 0 && address >= first && address <= last &&
            last - address >= page - 1) {
            *begin = first;
            return i;
        }
    }
    return -1;
}

int bx_resource_open(const char *root, uint64_t address, uint64_t page, uint64_t *begin)
{
    bool no_memory = false;
    int fd = -1;
    DIR *devices = bx_file_open_folder(root, folder, &no_memory);
    for (struct dirent *d; devices && fd < 0 && (d = readdir(devices));) {
        char file[320], text[1024];
        snprintf(file, sizeof file, "%s/%.255s/resource", folder, d->d_name);
        int number = d->d_name[0] == '.'
                         ? -1
                         : find_resource(bx_file_read(root, file, text, sizeof text),
                                         address / page * page, page, begin);
        if (number < 0)
            continue;
        snprintf(file, sizeof file, "%s/%.255s/resource%d", folder, d->d_name, number);
        fd = bx_file_open(root, file, O_RDWR | O_SYNC);
    }
    if (devices)
        closedir(devices);
    return fd;
}
