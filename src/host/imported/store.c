/* Keeps imported catalogues in files, and checks them before anything uses them. */
#include "host/imported/store.h"

#include "catalog/check.h"
#include "host/imported/checked.h"
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

static const char magic[8] = "BXIMPOR1", ending[] = ".catalog";

enum { PATH = 1024, SIZE_MOST = 1 << 28, NAMES_MOST = 256 };

_Static_assert(sizeof(bx_stored) % 8 == 0, "the catalogue after the head is aligned");

/* "" if the user has none. */
static void folder_of(bool system, char *to, size_t room)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    *to = '\0';
    if (system)
        snprintf(to, room, "/var/lib/boxscore/perfmon");
    else if (data && *data == '/')
        snprintf(to, room, "%s/boxscore/perfmon", data);
    else if (home && *home == '/')
        snprintf(to, room, "%s/.local/share/boxscore/perfmon", home);
}

void bx_imported_name(bx_str cpu, char to[24])
{
    static const struct {
        const char *other, *name;
    } names[] = {{"ivbep", "ivt"}, {"nhmex", "nhm-ex"}, {"wsmex", "wsm-ex"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bx_str_eq_fold(cpu, bx_str_of(names[i].other)))
            cpu = bx_str_of(names[i].name);
    size_t n = 0;
    for (; n < cpu.n && n < 23; n++)
        to[n] = (char)(cpu.p[n] == '/' || cpu.p[n] == '.' ? '_' : bx_lower(cpu.p[n]));
    to[n] = '\0';
}

static bool path_of(bx_str cpu, bool system, char to[PATH])
{
    char folder[PATH], name[24];
    folder_of(system, folder, sizeof folder);
    bx_imported_name(cpu, name);
    return *folder && *name && snprintf(to, PATH, "%.900s/%s%s", folder, name, ending) < (int)PATH;
}

/* ---- opening ---- */

static int refuse(bx_error *e, const char *path, const char *why)
{
    bx_fail(e, BX_BAD_INPUT, 0, 0, "the imported catalogue '%.400s' is not used: %s", path, why);
    bx_hint(e, "import it again: boxscore import perfmon DIR");
    return BX_BAD_INPUT;
}

/* A file that others can write may say anything. */
static const char *check_owner(const struct stat *is, bool system)
{
    if (!S_ISREG(is->st_mode))
        return "it is no file";
    if (is->st_uid != (system ? 0 : geteuid()))
        return "it belongs to another user";
    if (is->st_mode & (S_IWGRP | S_IWOTH))
        return "others can write it";
    if (is->st_size < (off_t)sizeof(bx_stored) || is->st_size > SIZE_MOST)
        return "its size is wrong";
    return NULL;
}

static const char *check_head(const bx_stored *head, size_t size)
{
    const char *texts[] = {head->boxscore, head->name, head->version, head->date, head->source};
    const size_t rooms[] = {sizeof head->boxscore, sizeof head->name, sizeof head->version,
                            sizeof head->date, sizeof head->source};
    if (memcmp(head->magic, magic, sizeof magic) != 0)
        return "boxscore did not write it";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!memchr(texts[i], '\0', rooms[i]))
            return "its head is damaged";
    if (strcmp(head->boxscore, BX_VERSION) != 0)
        return "another version of boxscore wrote it";
    return head->size != size - sizeof *head || head->ids_n > BX_STORED_IDS ? "its head is damaged"
                                                                            : NULL;
}

void bx_imported_close(bx_imported *i)
{
    if (i->head)
        munmap((void *)(uintptr_t)i->head, i->mapped);
    *i = (bx_imported){0};
}

/* Maps a file whose head can be believed. Its catalogue is not checked yet. *is: what it was then.
 */
static int map_file(const char *path, bool system, bx_imported *to, struct stat *is, bx_error *e)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return BX_NOT_FOUND;
    if (fd < 0)
        return refuse(e, path, errno == ELOOP ? "it is a link" : strerror(errno));
    const char *why = fstat(fd, is) != 0 ? strerror(errno) : check_owner(is, system);
    size_t size = why ? 0 : (size_t)is->st_size;
    void *at = why ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (!why && at == MAP_FAILED)
        why = strerror(errno);
    close(fd);
    if (why)
        return refuse(e, path, why);
    const bx_stored *head = at;
    *to = (bx_imported){(const void *)(head + 1), head, size};
    why = check_head(head, size);
    if (!why)
        return BX_OK;
    bx_imported_close(to);
    return refuse(e, path, why);
}

/* checked: its references were found good before. Its registers are compared each time. */
static int check_catalog(const struct bx_catalog *builtin, const char *path, bool checked,
                         bx_imported *i, bx_error *e)
{
    const char *why = checked ? NULL : bx_catalog_check(i->catalog, i->mapped - sizeof *i->head);
    if (!why && !bx_catalog_adds_no_register(i->catalog, builtin))
        why = "it has registers that the built-in catalogue lacks";
    if (!why)
        return BX_OK;
    bx_imported_close(i);
    return refuse(e, path, why);
}

static int open_path(const struct bx_catalog *builtin, const char *path, bool system,
                     bx_imported *to, bx_error *e)
{
    struct stat is;
    int code = map_file(path, system, to, &is, e);
    return code ? code : check_catalog(builtin, path, bx_checked_before(path, &is, builtin), to, e);
}

int bx_imported_open(const struct bx_catalog *builtin, bx_str cpu, bx_imported *to, bx_error *e)
{
    char path[PATH];
    int code = BX_NOT_FOUND;
    for (int system = 0; system <= 1 && code == BX_NOT_FOUND; system++)
        if (path_of(cpu, system, path))
            code = open_path(builtin, path, system, to, e);
    return code;
}

/* ---- all of them ---- */

static int is_stored(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n >= sizeof ending && strcmp(entry->d_name + n - (sizeof ending - 1), ending) == 0;
}

/* Calls visit() for each file, by name. */
static int visit_files(void (*visit)(void *context, const char *path, bool system), void *context,
                       bx_error *e)
{
    for (int system = 0; system <= 1; system++) {
        char folder[PATH], path[2 * PATH];
        struct dirent **entries;
        folder_of(system, folder, sizeof folder);
        int n = *folder ? scandir(folder, &entries, is_stored, alphasort) : -1;
        if (n < 0 && errno == ENOMEM)
            return bx_out_of_memory(e);
        for (int i = 0; i < n; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            visit(context, path, system);
            free(entries[i]);
        }
        if (n >= 0)
            free(entries);
    }
    return BX_OK;
}

typedef struct taker {
    const struct bx_catalog *builtin;
    bx_imported_take *take;
    void *context;
} taker;

static void give(void *context, const char *path, bool system)
{
    const taker *t = context;
    bx_imported one = {0};
    bx_error own = {0};
    int code = open_path(t->builtin, path, system, &one, &own);
    t->take(t->context, code ? NULL : &one, path, code ? &own : NULL);
    bx_imported_close(&one);
}

int bx_imported_each(const struct bx_catalog *builtin, bx_imported_take *take, void *context,
                     bx_error *e)
{
    taker t = {builtin, take, context};
    return visit_files(give, &t, e);
}

typedef struct search {
    const struct bx_catalog *builtin;
    unsigned family, model, stepping;
    bx_imported found;
} search;

static bool is_of(const bx_stored *head, const search *s)
{
    for (uint32_t k = 0; k < head->ids_n; k++)
        if (head->ids[k].family == s->family && head->ids[k].model == s->model &&
            head->steppings >> (s->stepping & 15) & 1)
            return true;
    return false;
}

/* Catalogues of other CPUs are not read: only their heads. */
static void look(void *context, const char *path, bool system)
{
    search *s = context;
    bx_imported one;
    struct stat is;
    if (s->found.head || map_file(path, system, &one, &is, NULL))
        return;
    if (!is_of(one.head, s))
        bx_imported_close(&one);
    else if (!check_catalog(s->builtin, path, bx_checked_before(path, &is, s->builtin), &one, NULL))
        s->found = one;
}

int bx_imported_find(const struct bx_catalog *builtin, unsigned family, unsigned model,
                     unsigned stepping, bx_imported *to, bx_error *e)
{
    search s = {.builtin = builtin, .family = family, .model = model, .stepping = stepping};
    int code = visit_files(look, &s, e);
    if (code)
        bx_imported_close(&s.found);
    *to = s.found;
    return code ? code : s.found.head ? BX_OK : BX_NOT_FOUND;
}

/* ---- writing ---- */

/* Makes the folder and those above it. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0755) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

/* Checks the file whole, and remembers that. */
static int check_written(const struct bx_catalog *builtin, const char *path, bool system,
                         bx_error *e)
{
    struct stat is;
    bx_imported written;
    int code = map_file(path, system, &written, &is, e);
    if (code)
        return code;
    bool keep = bx_checked_begin(&is);
    code = check_catalog(builtin, path, false, &written, e);
    if (code)
        return code;
    bx_imported_close(&written);
    if (keep)
        bx_checked_keep(path, &is, builtin);
    return BX_OK;
}

int bx_imported_write(const bx_stored *head, const struct bx_catalog *c,
                      const struct bx_catalog *builtin, bool system, bx_error *e)
{
    char path[PATH], temporary[PATH + 16];
    bx_stored mine = *head;
    if (!path_of(bx_str_of(head->name), system, path))
        return bx_fail(e, BX_BAD_INPUT, 0, 0,
                       "there is no folder for imported catalogues: HOME is not set");
    memcpy(mine.magic, magic, sizeof magic);
    snprintf(mine.boxscore, sizeof mine.boxscore, "%s", BX_VERSION);
    mine.size = c->size;
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    int err = make_folders(temporary) ? 0 : errno;
    int fd = err ? -1 : open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        err = err ? err : errno;
    else
        err = bx_file_write(fd, (const char *)&mine, sizeof mine);
    if (!err)
        err = bx_file_write(fd, (const char *)c, c->size);
    if (fd >= 0 && close(fd) != 0 && !err)
        err = errno;
    if (!err && rename(temporary, path) != 0)
        err = errno;
    if (err && fd >= 0)
        unlink(temporary);
    if (err)
        return bx_fail(e, bx_code_of(err), 0, 0, "cannot write '%.400s': %s", path, strerror(err));
    return check_written(builtin, path, system, e);
}

int bx_imported_remove(bx_str cpu, bool system, bx_error *e)
{
    char path[PATH];
    if (!path_of(cpu, system, path))
        return BX_NOT_FOUND;
    bx_checked_forget(path);
    if (unlink(path) == 0)
        return BX_OK;
    if (errno == ENOENT)
        return BX_NOT_FOUND;
    return bx_fail(e, bx_code_of(errno), 0, 0, "cannot remove '%.400s': %s", path, strerror(errno));
}
