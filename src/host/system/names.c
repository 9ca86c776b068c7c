/* Lists folders. */
#include "host/system/names.h"

#include "host/system/file.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool bx_file_list(const char *root, const char *folder, const char *begins, bx_arena *a,
                  bx_file_names *to)
{
    *to = (bx_file_names){0};
    DIR *d = bx_file_open_folder(root, folder, &a->failed);
    if (!d)
        return !a->failed;
    size_t room = 0;
    while (readdir(d))
        room++;
    rewinddir(d);
    to->name = bx_arena_get(a, (room + 1) * sizeof *to->name);
    for (struct dirent *e; to->name && to->n < room && (e = readdir(d));)
        if (e->d_name[0] != '.' && strncmp(e->d_name, begins, strlen(begins)) == 0)
            to->name[to->n++] = bx_arena_copy(a, bx_str_of(e->d_name));
    closedir(d);
    if (a->failed) {
        *to = (bx_file_names){0};
        return false;
    }
    qsort(to->name, to->n, sizeof *to->name, by_name);
    return true;
}
