/* A machine that is a folder of plain files: an MSR is 8 bytes at its number's offset of a sparse
 * file, so that the same system calls work there as on a device. */
#ifndef BX_TESTS_HOST_FOLDER_H
#define BX_TESTS_HOST_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Made empty; the caller ends it. */
typedef struct folder {
    char root[64];
} folder;

folder folder_new(void);
void folder_end(folder *f);

/* The file gets these bytes at that offset; folders on the way are made. */
void folder_put(const folder *f, const char *file, uint64_t offset, const void *bytes, size_t n);
void folder_text(const folder *f, const char *file, const char *text);
void folder_msr(const folder *f, unsigned cpu, uint32_t msr, uint64_t value);

/* 8 bytes of a file. */
uint64_t folder_get(const folder *f, const char *file, uint64_t offset);

#endif
