/* Writes the files of the machine's PMUs, and copies those of the host's software PMUs. */
#include "stage/perf/event_source_files.h"

#include "event/foreign_names.h"
#include "host/perf/kernel_pmus.h"
#include "stage/files/gathered_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "sys/bus/event_source/devices"

/* ---- the machine's PMUs ---- */

static void put_format(bx_tree *tree, const bx_event_source *source,
                       const bx_event_source_format *f)
{
    static const char *const words[] = {"config", "config1", "config2"};
    char file[160];
    snprintf(file, sizeof file, FOLDER "/%s/format/%.*s", source->name, (int)f->name.n, f->name.p);
    if (f->hi == f->lo)
        bx_tree_line(tree, file, "%s:%d", words[f->word], f->lo);
    else
        bx_tree_line(tree, file, "%s:%d-%d", words[f->word], f->lo, f->hi);
}

/* A file of an event, such as "data_reads.unit". */
static void put_event(bx_tree *tree, const bx_event_source *source, bx_str name, const char *suffix,
                      bx_str text)
{
    char file[192];
    snprintf(file, sizeof file, FOLDER "/%s/events/%.*s%s", source->name, (int)name.n, name.p,
             suffix);
    if (name.n && text.n)
        bx_tree_line(tree, file, "%.*s", (int)text.n, text.p);
}

static void put_events(bx_tree *tree, const struct bx_catalog *c, const bx_event_source *source,
                       const bx_cat_pmu *pmu)
{
    for (unsigned i = 0; i < pmu->events.n; i++) {
        bx_kernel_event k;
        char terms[48];
        if (!bx_kernel_special(c, &bx_cat_events(c)[pmu->events.first + i], &k))
            continue;
        int n = snprintf(terms, sizeof terms, "event=0x%02" PRIx64, k.event);
        if (k.umask)
            n += snprintf(terms + n, sizeof terms - (size_t)n, ",umask=0x%02" PRIx64, k.umask);
        put_event(tree, source, k.name, "", (bx_str){terms, (size_t)n});
        put_event(tree, source, k.name, ".scale", k.scale);
        put_event(tree, source, k.name, ".unit", k.unit);
    }
    for (unsigned i = 0; i < pmu->perf_names.n; i++) {
        const bx_cat_other_name *name = &bx_cat_other_names(c)[pmu->perf_names.first + i];
        if (name->generic)
            continue;
        const bx_kernel_named is = bx_kernel_named_parts(bx_cat_str(c, name->terms));
        put_event(tree, source, bx_cat_str(c, name->name), "", is.terms);
        put_event(tree, source, bx_cat_str(c, name->name), ".scale", is.scale);
        put_event(tree, source, bx_cat_str(c, name->name), ".unit", is.unit);
    }
}

/* The first CPU of each package, as a list. */
static void put_cpumask(bx_tree *tree, const bx_topology *t, const bx_event_source *source)
{
    char file[96];
    bx_buf list = {0};
    for (unsigned package = 0; package < t->packages; package++)
        bx_buf_f(&list, "%s%u", package ? "," : "", package * t->cores);
    snprintf(file, sizeof file, FOLDER "/%s/cpumask", source->name);
    bx_tree_line(tree, file, "%s", list.p ? list.p : "");
    tree->arena.failed |= list.failed;
    bx_buf_free(&list);
}

void bx_event_source_files_add(bx_tree *tree, const bx_event_sources *s)
{
    bx_event_source_format formats[BX_EVENT_SOURCE_FORMATS];
    char file[96];
    for (size_t i = 0; i < s->n; i++) {
        const bx_event_source *source = &s->all[i];
        snprintf(file, sizeof file, FOLDER "/%s/type", source->name);
        bx_tree_line(tree, file, "%" PRIu32, source->type);
        snprintf(file, sizeof file, FOLDER "/%s/perf_event_mux_interval_ms", source->name);
        bx_tree_line(tree, file, "%d", BX_MUX_INTERVAL_MS);
        if (!source->of_cpus)
            put_cpumask(tree, s->t, source);
        size_t n = bx_event_source_formats(s, source, formats);
        for (size_t j = 0; j < n; j++)
            put_format(tree, source, &formats[j]);
        for (unsigned j = 0; j < source->n; j++)
            put_events(tree, s->t->catalog, source, &bx_cat_pmus(s->t->catalog)[source->pmu[j]]);
    }
    bx_tree_folder(tree, FOLDER);
}

/* ---- the host's PMUs ---- */

/* PMUs that count in the kernel, and `msr`, for the time-stamp counter. */
static bool is_software_pmu(const char *name)
{
    static const char *const names[] = {"breakpoint", "kprobe",     "msr",
                                        "software",   "tracepoint", "uprobe"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Copies the readable files of a folder and, if `deeper`, of the folders in it. */
static void copy(bx_tree *tree, int folder, const char *to, bool deeper)
{
    DIR *entries = folder < 0 ? NULL : fdopendir(folder);
    for (struct dirent *d; entries && (d = readdir(entries));) {
        char text[4096], path[512];
        struct stat about;
        if (d->d_name[0] == '.' || fstatat(folder, d->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        snprintf(path, sizeof path, "%.200s/%.250s", to, d->d_name);
        int fd = openat(folder, d->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (S_ISDIR(about.st_mode) && deeper && strcmp(d->d_name, "power") != 0) {
            copy(tree, fd, path, false);
            continue;
        }
        ssize_t n = fd >= 0 && S_ISREG(about.st_mode) ? read(fd, text, sizeof text) : -1;
        if (n >= 0)
            bx_tree_text(tree, path, (bx_str){text, (size_t)n});
        if (fd >= 0)
            close(fd);
    }
    if (entries)
        closedir(entries);
    else if (folder >= 0)
        close(folder);
}

static uint32_t type_of(int folder)
{
    char text[16] = "";
    int fd = openat(folder, "type", O_RDONLY | O_CLOEXEC);
    uint32_t type = 0;
    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
        sscanf(text, "%" SCNu32, &type);
    if (fd >= 0)
        close(fd);
    return type;
}

uint32_t bx_event_source_files_of_host(bx_tree *tree, const char *devices)
{
    enum { FIRST_DYNAMIC = 6 }; /* PERF_TYPE_MAX */
    uint32_t free_from = FIRST_DYNAMIC;
    DIR *entries = opendir(devices);
    for (struct dirent *d; entries && (d = readdir(entries));) {
        char to[320];
        int folder = is_software_pmu(d->d_name)
                         ? openat(dirfd(entries), d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                         : -1;
        if (folder < 0)
            continue;
        uint32_t type = type_of(folder);
        free_from = type >= free_from ? type + 1 : free_from;
        snprintf(to, sizeof to, FOLDER "/%.200s", d->d_name);
        copy(tree, folder, to, true);
    }
    if (entries)
        closedir(entries);
    return free_from;
}

/* ---- the PMUs of a gathered machine ---- */

void bx_event_source_files_gathered(bx_tree *tree, const bx_signalled *s)
{
    static const struct {
        const char *name;
        int type;
    } fixed[] = {{"software", PERF_TYPE_SOFTWARE},
                 {"tracepoint", PERF_TYPE_TRACEPOINT},
                 {"breakpoint", PERF_TYPE_BREAKPOINT}};
    char file[320];
    for (size_t i = 0; i < s->perf->n; i++) {
        snprintf(file, sizeof file, "/" FOLDER "/%.200s", s->perf->pmus[i].name);
        if (bx_signalled_has(&s->perf->pmus[i]))
            bx_gathered_files_copy(tree, s->perf->root, file);
    }
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        snprintf(file, sizeof file, FOLDER "/%s/type", fixed[i].name);
        bx_tree_line(tree, file, "%d", fixed[i].type);
    }
}
