/* Reads a user's copy of perfmon. */
#include "host/imported/source.h"

#include "host/system/file.h"
#include "perfmon/mapfile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MOST = 64 << 20, PATH = 1200, CPUS_MOST = 256 };

/* ---- the CPUs ---- */

static bool is_folder(const char *path)
{
    struct stat is;
    return stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

static char *join(bx_arena *a, const char *folder, bx_str name)
{
    size_t n = strlen(folder) + name.n + 2;
    char *path = bx_arena_get(a, n);
    if (path)
        snprintf(path, n, "%s/%.*s", folder, (int)name.n, name.p);
    return path;
}

static bx_source_cpu *cpu_named(bx_source *s, const char *above, bx_str folder)
{
    for (size_t i = 0; i < s->n; i++)
        if (bx_str_eq(bx_str_of(s->cpus[i].own), folder))
            return &s->cpus[i];
    if (s->n == CPUS_MOST || folder.n >= sizeof s->cpus->name || *folder.p == '.')
        return NULL;
    bx_source_cpu *cpu = &s->cpus[s->n];
    cpu->own = bx_arena_copy(s->arena, folder);
    cpu->folder = join(s->arena, above, folder);
    if (!cpu->own || !cpu->folder || !is_folder(cpu->folder))
        return NULL;
    for (size_t i = 0; i < folder.n; i++)
        cpu->name[i] = (char)bx_lower(folder.p[i]);
    cpu->steppings = UINT16_MAX;
    s->n++;
    return cpu;
}

static void add_id(bx_source_cpu *cpu, const bx_perfmon_line *line)
{
    cpu->steppings = line->steppings;
    for (size_t i = 0; i < cpu->ids_n; i++)
        if (cpu->ids[i].family == line->id.family && cpu->ids[i].model == line->id.model)
            return;
    if (cpu->ids_n < sizeof cpu->ids / sizeof *cpu->ids)
        cpu->ids[cpu->ids_n++] = line->id;
}

static bx_str read_whole(bx_arena *a, const char *path)
{
    bx_buf file = bx_file_read_all("", path, FILE_MOST);
    bx_str text = {NULL, 0};
    if (file.failed)
        a->failed = true;
    else if (file.n && file.n <= FILE_MOST)
        text = (bx_str){bx_arena_copy(a, (bx_str){file.p, file.n}), file.n};
    bx_buf_free(&file);
    return text;
}

int bx_source_open(const char *folder, bx_arena *arena, bx_source *to, bx_error *e)
{
    *to = (bx_source){.arena = arena};
    to->cpus = bx_arena_get(arena, CPUS_MOST * sizeof *to->cpus);
    char *events = join(arena, folder, BX_STR("events"));
    char *own = join(arena, folder, BX_STR("mapfile.csv"));
    char *real = arena->failed ? NULL : realpath(folder, NULL);
    if (!real)
        return arena->failed
                   ? bx_out_of_memory(e)
                   : bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.200s': %s", folder, strerror(errno));
    struct stat is;
    bool file = stat(real, &is) == 0 && !S_ISDIR(is.st_mode);
    bool one = is_folder(events);
    char *slash = strrchr(real, '/');
    bx_str name = bx_str_of(slash + 1);
    name.p = bx_arena_copy(arena, name);
    *slash = '\0';
    char *above = bx_arena_copy(arena, bx_str_of(*real ? real : "/"));
    free(real);
    if (!above || !name.p)
        return bx_out_of_memory(e);
    if (file) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.200s' is no folder", folder);
        bx_hint(e, "name the folder that has mapfile.csv, or an archive of it");
        return e ? e->code : BX_BAD_INPUT;
    }
    to->mapfile = read_whole(arena, one ? join(arena, above, BX_STR("mapfile.csv")) : own);
    if (one && !cpu_named(to, above, name))
        return bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.200s' cannot be read", folder);
    bx_perfmon_line line;
    for (bx_str rest = to->mapfile; rest.p && bx_perfmon_line_next(&rest, &line);) {
        bx_source_cpu *cpu = one && !bx_str_eq(line.folder, name)
                                 ? NULL
                                 : cpu_named(to, one ? above : folder, line.folder);
        if (cpu)
            add_id(cpu, &line);
    }
    if (arena->failed)
        return bx_out_of_memory(e);
    if (!to->n) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.200s' has no event files of perfmon", folder);
        bx_hint(e, "name a clone of github.com/intel/perfmon, or a folder of it such as SPR");
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

/* ---- files ---- */

/* The role of a file's cores; empty if all cores of its CPUs are alike. below: its folder. */
static bx_str role_of(const bx_source *s, const bx_source_cpu *cpu, const char *below,
                      const char *file)
{
    char path[PATH];
    bx_perfmon_line line;
    snprintf(path, sizeof path, "%s/%s/%s", cpu->own, below, file);
    for (bx_str rest = s->mapfile; rest.p && bx_perfmon_line_next(&rest, &line);)
        if (line.role.n && bx_str_eq(line.path, bx_str_of(path)))
            return line.role;
    /* Without the map, the names of the cores tell. */
    static const char *const atoms[] = {"gracemont", "crestmont", "skymont", "darkmont",
                                        "arcticwolf"};
    static const char *const cores[] = {"goldencove", "redwoodcove", "lioncove", "cougarcove",
                                        "coyotecove"};
    for (size_t i = 0; !s->mapfile.n && i < sizeof atoms / sizeof *atoms; i++) {
        if (strstr(file, atoms[i]))
            return BX_STR("Atom");
        if (strstr(file, cores[i]))
            return BX_STR("Core");
    }
    return (bx_str){"", 0};
}

static int is_json(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 5 && strcmp(entry->d_name + n - 5, ".json") == 0;
}

typedef struct files {
    bx_perfmon_file *file;
    size_t n;
    uint32_t room;
} files;

static int add_folder(const bx_source *s, const bx_source_cpu *cpu, const char *below,
                      bx_arena *arena, files *to, bx_error *e)
{
    struct dirent **entries;
    char *folder = join(arena, cpu->folder, bx_str_of(below));
    int n = folder ? scandir(folder, &entries, is_json, alphasort) : -1;
    if (n < 0)
        return arena->failed || errno == ENOMEM ? bx_out_of_memory(e) : BX_OK;
    int code = BX_OK;
    bool events = strcmp(below, "events") == 0;
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        bx_perfmon_file *grown =
            code ? NULL
                 : bx_arena_grow(arena, to->file, (uint32_t)to->n, &to->room, sizeof *grown, 16);
        char *path = grown ? join(arena, folder, bx_str_of(name)) : NULL;
        if (path) {
            to->file = grown;
            grown[to->n] = (bx_perfmon_file){.text = read_whole(arena, path),
                                             .role = role_of(s, cpu, below, name),
                                             .metrics = !events};
            grown[to->n].name = bx_str_of(bx_arena_copy(arena, bx_str_of(name)));
            if (!grown[to->n].text.n && !arena->failed)
                code = bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.400s' cannot be read", path);
            to->n++;
        } else if (!code) {
            code = bx_out_of_memory(e);
        }
        free(entries[i]);
    }
    free(entries);
    return code;
}

int bx_source_files(const bx_source *s, const bx_source_cpu *cpu, bx_arena *arena,
                    bx_perfmon_file **all, size_t *n, bx_error *e)
{
    static const char *const folders[] = {"events", "metrics", "metrics/perf"};
    files f = {0};
    int code = BX_OK;
    for (size_t i = 0; !code && i < sizeof folders / sizeof *folders; i++)
        code = add_folder(s, cpu, folders[i], arena, &f, e);
    if (!code && arena->failed)
        code = bx_out_of_memory(e);
    if (!code && !f.n)
        code = bx_fail(e, BX_BAD_INPUT, 0, 0, "'%.400s' has no event files", cpu->folder);
    *all = f.file;
    *n = f.n;
    return code;
}
