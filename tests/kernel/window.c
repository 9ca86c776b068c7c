/* Implements window.h. */
#include "window.h"

#include "../cmocked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 0x8000, COUNTERS = 0x5000, COUNTERS_END = 0x6000 };
static const uint64_t mchbar = 0xfed10000; /* the base in register 48H of 00:00.0 */

window window_new(void)
{
    window w = {.path = "/tmp/boxscore-memory-XXXXXX"};
    int fd = mkstemp(w.path);
    assert_true(fd >= 0 && ftruncate(fd, SIZE) == 0);
    w.bytes = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(w.bytes, MAP_FAILED);
    close(fd);
    return w;
}

void window_free(window *w)
{
    if (!w->bytes)
        return;
    munmap(w->bytes, SIZE);
    unlink(w->path);
    *w = (window){0};
}

void window_refresh(window *w, bx_bus *bus)
{
    for (uint64_t at = COUNTERS; at < COUNTERS_END; at += 8) {
        uint64_t value;
        bx_address a = {.space = BX_SPACE_MMIO, .width = 64, .offset = mchbar + at};
        assert_int_equal(bus->read(bus, &a, &value), 0);
        memcpy(w->bytes + at, &value, sizeof value);
    }
}
