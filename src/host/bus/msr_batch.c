/* Reads MSRs with the ioctl() of /dev/cpu/msr_batch. */
#include "host/bus/msr_batch.h"

#include "host/system/file.h"
#include "catalog/catalog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define READ_OR_WRITE _IOWR('c', 0xa2, bx_batch_array)

enum { VERSION = 2 << 16 };

static int call_ioctl(int fd, unsigned long request, bx_batch_array *array)
{
    return ioctl(fd, request, array);
}

bool bx_batch_open(bx_batch *b, const char *root, bx_batch_call *call)
{
    *b = (bx_batch){.call = call ? call : call_ioctl};
    b->fd = bx_file_open(root, "/dev/cpu/msr_batch", O_RDWR);
    return b->fd >= 0;
}

static void close_device(bx_batch *b)
{
    if (b->fd >= 0)
        close(b->fd);
    b->fd = -1;
}

void bx_batch_free(bx_batch *b)
{
    close_device(b);
    free(b->ops);
    b->ops = NULL;
    b->room = 0;
}

static bool make_room_for_requests(bx_batch *b, size_t n)
{
    if (n <= b->room)
        return true;
    bx_batch_op *more = realloc(b->ops, n * sizeof *more);
    if (!more)
        return false;
    b->ops = more;
    b->room = n;
    return true;
}

/* Whether a register of the batch caused this errno. All other errnos concern the whole device. */
static bool of_a_register(int err)
{
    return err == EACCES || err == EIO || err == ENXIO || err == EROFS || err == EINTR;
}

bool bx_batch_read(bx_batch *b, const bx_cpus *cpus, const bx_address *at, uint64_t *values,
                   size_t n)
{
    uint32_t ops = 0;
    if (b->fd < 0 || n > UINT32_MAX || !make_room_for_requests(b, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (at[i].space != BX_SPACE_MSR)
            continue;
        if (at[i].cpu >= bx_cpus_all(cpus) || at[i].offset > UINT32_MAX)
            return false;
        b->ops[ops++] = (bx_batch_op){
            .cpu = cpus->logical[at[i].cpu], .read = 1, .msr = (uint32_t)at[i].offset};
    }
    if (ops == 0)
        return true;
    if (b->call(b->fd, READ_OR_WRITE, &(bx_batch_array){ops, VERSION, b->ops}) != 0) {
        if (!of_a_register(errno))
            close_device(b);
        return false;
    }
    for (uint32_t i = 0; i < ops; i++)
        if (b->ops[i].err)
            return false;
    const bx_batch_op *op = b->ops;
    for (size_t i = 0; i < n; i++)
        if (at[i].space == BX_SPACE_MSR)
            values[i] = op++->value;
    return true;
}
