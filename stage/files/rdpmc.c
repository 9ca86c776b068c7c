/* RDPMC as a file. */
#include "stage/files/rdpmc.h"

#include "machine/machine.h"

#include <errno.h>
#include <string.h>

static int read_rdpmc(void *context, uint64_t cpu, uint64_t offset, char *to, size_t n,
                      size_t *done)
{
    const bx_machine *m = context;
    bool pce = bx_topology_shape(&m->topology, "pce");
    uint64_t value;
    *done = 0;
    if (n != sizeof value || offset > UINT32_MAX)
        return EINVAL;
    int err = bx_vpmu_rdpmc(bx_machine_vpmu(m), (unsigned)cpu, (uint32_t)offset, 3, pce,
                            BX_MODE_PROTECTED, &value);
    if (err)
        return err;
    memcpy(to, &value, sizeof value);
    *done = sizeof value;
    return 0;
}

static int write_rdpmc(void *context, uint64_t cpu, uint64_t offset, const char *from, size_t n,
                       size_t *done)
{
    (void)context, (void)cpu, (void)offset, (void)from, (void)n;
    *done = 0;
    return EINVAL;
}

const bx_device bx_device_rdpmc = {.read = read_rdpmc, .write = write_rdpmc};
