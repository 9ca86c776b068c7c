/* Implements folder.h: reads catalogue files for tests. */
#include "../cmocked.h"

#include "folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *file_text(const char *path, size_t *n)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", getenv("SOURCE_ROOT"), path);
    FILE *from = fopen(whole, "rb");
    if (!from)
        fail_msg("cannot open %s", whole);
    char *text = calloc(1, 1 << 17);
    assert_non_null(text);
    *n = fread(text, 1, (1 << 17) - 1, from);
    fclose(from);
    return text;
}

static int is_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "expect") != 0;
}

void folder_read(folder *f, const char *path, const char *prefix)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", getenv("SOURCE_ROOT"), path);
    struct dirent **entries;
    int n = scandir(whole, &entries, is_file, alphasort);
    if (n < 0)
        fail_msg("cannot read %s", whole);
    for (int i = 0; i < n; i++) {
        assert_true(f->n < FOLDER_FILES);
        char name[512];
        bx_cat_file *file = &f->files[f->n++];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        file->text.p = file_text(name, &file->text.n);
        snprintf(name, sizeof name, "%s%s", prefix, entries[i]->d_name);
        file->name = bx_str_of(strdup(name));
        free(entries[i]);
    }
    free(entries);
}

void folder_free(folder *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free((void *)(uintptr_t)f->files[i].name.p);
        free((void *)(uintptr_t)f->files[i].text.p);
    }
    f->n = 0;
}
