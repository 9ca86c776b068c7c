/* Memory-mapped registers, through the resource file of their PCI device, else through /dev/mem.
 * Both are mapped, so that an access has the width of its register. If /dev/mem cannot be mapped,
 * or is a plain file in a machine's folder, it is read and written as a file. */
#include "host/bus/registers.h"

#include "base/buf.h"
#include "host/system/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct bx_page {
    uint64_t number;
    volatile uint8_t *bytes; /* NULL: it cannot be mapped */
};

enum { PAGE = 4096 };

/* ---- the resource files of PCI devices: Documentation/PCI/sysfs-pci.rst ---- */

static const char devices_folder[] = "/sys/bus/pci/devices";

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

/* Opens the file that has the page at that physical address; *begin: the physical address of the
 * file's first byte. -1: no device has the page, or the file cannot be opened. Its owner can open
 * it even where the kernel keeps /dev/mem closed (CONFIG_IO_STRICT_DEVMEM). */
static int open_resource(const char *root, uint64_t address, uint64_t page, uint64_t *begin)
{
    bool no_memory = false;
    int fd = -1;
    DIR *devices = bx_file_open_folder(root, devices_folder, &no_memory);
    for (struct dirent *d; devices && fd < 0 && (d = readdir(devices));) {
        char file[320], text[1024];
        snprintf(file, sizeof file, "%s/%.255s/resource", devices_folder, d->d_name);
        int number = d->d_name[0] == '.'
                         ? -1
                         : find_resource(bx_file_read(root, file, text, sizeof text),
                                         address / page * page, page, begin);
        if (number < 0)
            continue;
        snprintf(file, sizeof file, "%s/%.255s/resource%d", devices_folder, d->d_name, number);
        fd = bx_file_open(root, file, O_RDWR | O_SYNC);
    }
    if (devices)
        closedir(devices);
    return fd;
}

/* ---- mapped pages ---- */

void bx_memory_free(bx_memory *m)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->pages[i].bytes)
            munmap((void *)(uintptr_t)m->pages[i].bytes, PAGE);
    free(m->pages);
    m->pages = NULL;
    m->n = 0;
    if (m->fd >= 0)
        close(m->fd);
    m->fd = -1;
}

static int open_memory(bx_memory *m)
{
    if (m->fd < 0)
        m->fd = bx_file_open(m->root, "/dev/mem", O_RDWR | O_SYNC);
    return m->fd < 0 ? errno : 0;
}

static volatile uint8_t *map(int fd, uint64_t offset)
{
    void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    return at == MAP_FAILED ? NULL : at;
}

/* A page past the end of a file can be mapped, but not accessed. */
static volatile uint8_t *map_resource(const bx_memory *m, uint64_t page)
{
    uint64_t begin;
    struct stat about;
    int fd = open_resource(m->root, page * PAGE, PAGE, &begin);
    bool whole =
        fd >= 0 && fstat(fd, &about) == 0 && (uint64_t)about.st_size >= (page + 1) * PAGE - begin;
    volatile uint8_t *at = whole ? map(fd, page * PAGE - begin) : NULL;
    if (fd >= 0)
        close(fd);
    return at;
}

static volatile uint8_t *map_memory(bx_memory *m, uint64_t page)
{
    struct stat about;
    if (open_memory(m) != 0 || fstat(m->fd, &about) != 0 || !S_ISCHR(about.st_mode))
        return NULL;
    return map(m->fd, page * PAGE);
}

static volatile uint8_t *page_of(bx_memory *m, uint64_t number)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->pages[i].number == number)
            return m->pages[i].bytes;
    struct bx_page *more = realloc(m->pages, (m->n + 1) * sizeof *more);
    if (!more)
        return NULL;
    m->pages = more;
    volatile uint8_t *bytes = map_resource(m, number);
    m->pages[m->n++] = (struct bx_page){number, bytes ? bytes : map_memory(m, number)};
    return m->pages[m->n - 1].bytes;
}

/* Where an address is mapped; NULL: it is not mapped, or the hardware would split the access. */
static volatile void *mapped_at(bx_memory *m, const bx_address *at)
{
    if (at->offset % (at->width / 8u))
        return NULL;
    volatile uint8_t *page = page_of(m, at->offset / PAGE);
    return page ? page + at->offset % PAGE : NULL;
}

int bx_memory_read(bx_memory *m, const bx_address *at, uint64_t *value)
{
    volatile void *mapped = mapped_at(m, at);
    if (!mapped) {
        int err = open_memory(m);
        return err ? err : bx_value_read(m->fd, at->offset, at->width / 8, value);
    }
    *value = at->width == 8    ? *(volatile uint8_t *)mapped
             : at->width == 16 ? *(volatile uint16_t *)mapped
             : at->width == 32 ? *(volatile uint32_t *)mapped
                               : *(volatile uint64_t *)mapped;
    return 0;
}

int bx_memory_write(bx_memory *m, const bx_address *at, uint64_t value)
{
    volatile void *mapped = mapped_at(m, at);
    if (!mapped) {
        int err = open_memory(m);
        return err ? err : bx_value_write(m->fd, at->offset, at->width / 8, value);
    }
    if (at->width == 8)
        *(volatile uint8_t *)mapped = (uint8_t)value;
    else if (at->width == 16)
        *(volatile uint16_t *)mapped = (uint16_t)value;
    else if (at->width == 32)
        *(volatile uint32_t *)mapped = (uint32_t)value;
    else
        *(volatile uint64_t *)mapped = value;
    return 0;
}
