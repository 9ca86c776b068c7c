/* Copies files of a gathered machine into the tree. */
#include "stage/files/gathered_files.h"

#include "base/buf.h"
#include "host/discover/probe.h"
#include "host/system/cpus.h"
#include "host/system/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MOST = 1 << 20, DEEPEST = 8 };

static void copy_file(bx_tree *t, const char *root, const char *file)
{
    bx_buf text = bx_file_read_all(root, file, FILE_MOST);
    if (!text.failed)
        bx_tree_text(t, file + 1, (bx_str){text.p ? text.p : "", text.n});
    t->arena.failed |= text.failed;
    bx_buf_free(&text);
}

/* sysfs links folders to each other: links are not followed. */
static void copy_folder(bx_tree *t, const char *root, const char *folder, unsigned depth)
{
    DIR *entries = bx_file_open_folder(root, folder, &t->arena.failed);
    for (struct dirent *d; entries && (d = readdir(entries));) {
        char path[512];
        struct stat about;
        if (d->d_name[0] == '.' ||
            fstatat(dirfd(entries), d->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        int n = snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
        if (n < 0 || (size_t)n >= sizeof path)
            continue;
        if (S_ISDIR(about.st_mode) && depth < DEEPEST)
            copy_folder(t, root, path, depth + 1);
        else if (S_ISREG(about.st_mode))
            copy_file(t, root, path);
    }
    if (entries)
        closedir(entries);
}

void bx_gathered_files_copy(bx_tree *t, const char *root, const char *folder)
{
    copy_folder(t, root, folder, 0);
}

/* A gathered machine has the lines of its first CPU. All CPUs get them, with their own numbers. */
static void add_cpuinfo(bx_tree *t, const char *root, const bx_cpus *cpus)
{
    bx_buf first = bx_file_read_all(root, "/proc/cpuinfo", FILE_MOST), all = {0};
    for (unsigned i = 0; i < bx_cpus_all(cpus); i++) {
        unsigned cpu = cpus->logical[i], package, core;
        if (cpu == BX_NO_CPU || !bx_cpus_locate(cpus, cpu, &package, &core))
            continue;
        bx_str rest = {first.p ? first.p : "", first.n};
        for (unsigned n = 0; rest.p; n++) {
            bx_str line = bx_str_cut(&rest, '\n'), value = line;
            bx_str key = bx_str_trim(bx_str_cut(&value, ':'));
            bool begins = bx_str_eq(key, BX_STR("processor"));
            if (!line.n || (begins && n))
                break; /* what follows is of the next CPU */
            if (begins)
                bx_buf_f(&all, "processor\t: %u\n", cpu);
            else if (bx_str_eq(key, BX_STR("physical id")))
                bx_buf_f(&all, "physical id\t: %u\n", package);
            else if (bx_str_eq(key, BX_STR("core id")))
                bx_buf_f(&all, "core id\t\t: %u\n", core);
            else
                bx_buf_f(&all, "%.*s\n", (int)line.n, line.p);
        }
        bx_buf_z(&all, "\n");
    }
    bx_tree_text(t, "proc/cpuinfo", (bx_str){bx_buf_text(&all), all.n});
    t->arena.failed |= first.failed || all.failed;
    bx_buf_free(&first);
    bx_buf_free(&all);
}

/* The lists of CPUs, if the machine's folder lacks them: all that are known are online. */
static void add_lists(bx_tree *t, const char *root, const bx_cpus *cpus)
{
    static const char *const lists[] = {"online", "possible", "present"};
    bx_buf all = {0};
    for (unsigned i = 0; i < bx_cpus_all(cpus); i++)
        if (cpus->logical[i] != BX_NO_CPU)
            bx_buf_f(&all, "%s%u", all.n ? "," : "", cpus->logical[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char file[64];
        snprintf(file, sizeof file, "/sys/devices/system/cpu/%s", lists[i]);
        if (!bx_file_exists(root, file))
            bx_tree_line(t, file + 1, "%s", bx_buf_text(&all));
    }
    t->arena.failed |= all.failed;
    bx_buf_free(&all);
}

void bx_gathered_files_add(bx_tree *t, const char *root, const bx_cpus *cpus)
{
    add_cpuinfo(t, root, cpus);
    bx_gathered_files_copy(t, root, "/sys/devices/system/cpu");
    bx_gathered_files_copy(t, root, "/sys/devices/system/node");
    add_lists(t, root, cpus);
    bx_tree_folder(t, "proc/bus/pci");
    bx_tree_folder(t, "sys/bus/pci/devices");
    bx_tree_folder(t, "sys/firmware");
}

void bx_gathered_files_perf_cpuid(const char *root, char *to, size_t room)
{
    bx_arena arena = {0};
    bx_probe p;
    *to = '\0';
    if (bx_probe_read(root, &arena, &p) && p.cpu_known)
        snprintf(to, room, "%s-%u-%X-%X", p.vendor, p.family, p.model, p.stepping);
    bx_arena_free(&arena);
}
