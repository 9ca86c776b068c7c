/* The stage's file of the instruction RDPMC (stage/files/rdpmc.h), for those that emulate it. */
#ifndef BX_STAGE_PRELOAD_RDPMC_FILE_H
#define BX_STAGE_PRELOAD_RDPMC_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* Reads the counter with that ECX of a CPU. false: the instruction faults. */
static inline bool bx_rdpmc_file_read(unsigned cpu, uint32_t ecx, uint64_t *to)
{
    char file[48];
    snprintf(file, sizeof file, "/dev/cpu/%u/rdpmc", cpu);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = pread(fd, to, sizeof *to, (off_t)ecx);
    close(fd);
    return n == sizeof *to;
}

#endif
