/* A machine in a folder of plain files. An MSR is 8 bytes at its number's offset in a sparse file,
 * so the system calls for devices work on it. */
#ifndef BX_TESTS_HOST_FOLDER_H
#define BX_TESTS_HOST_FOLDER_H

#include "guard/lock.h"

#include <stddef.h>
#include <stdint.h>

typedef struct folder {
    char root[64];
} folder;

/* Makes an empty folder. folder_end() removes it with its contents. */
folder folder_new(void);
void folder_end(folder *f);

/* cmocka's set-up and tear-down of a group whose tests work in an empty folder: `working`. */
extern folder working;
int folder_enter(void **state);
int folder_leave(void **state);

/* Writes these bytes at that offset of a file; makes the folders that it is in. */
void folder_put(const folder *f, const char *file, uint64_t offset, const void *bytes, size_t n);
void folder_text(const folder *f, const char *file, const char *text);
void folder_msr(const folder *f, unsigned cpu, uint32_t msr, uint64_t value);

/* Takes the lock of a package of the machine. Returns 0, or an errno after dropping *l. */
int folder_lock(const folder *f, int package, bx_lock *l, bx_owner *holder);

/* Reads 8 bytes of a file. */
uint64_t folder_get(const folder *f, const char *file, uint64_t offset);

#endif
