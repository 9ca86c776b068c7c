/* The catalogue compiler: catalogc FOLDER OUTPUT.c DEPFILE
 *
 * Reads all files in the folders below FOLDER, runs the checks of src/catalog and writes the blob
 * as a C array. The depfile lists files and folders, so that a new file triggers a rebuild. Files
 * are read in the order of their names, so equal input gives equal output. */
#include "compile/compile.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct file {
    char *path, *text;
    size_t n;
};

struct input {
    struct file *files;
    size_t n;
    FILE *deps;
};

static void *must(void *p, const char *what)
{
    if (!p) {
        perror(what);
        exit(1);
    }
    return p;
}

static char *join(const char *a, const char *b)
{
    size_t n = strlen(a) + strlen(b) + 2;
    char *path = must(malloc(n), "catalogc");
    snprintf(path, n, "%s/%s", a, b);
    return path;
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Adds a name to the depfile, escaped for make. */
static void depend(struct input *in, const char *path)
{
    fputc(' ', in->deps);
    for (; *path; path++) {
        if (*path == ' ')
            fputc('\\', in->deps);
        fputc(*path, in->deps);
    }
}

static void read_file(struct input *in, char *path)
{
    struct file f = {.path = path};
    FILE *from = must(fopen(path, "rb"), path);
    for (size_t got = 1, room = 0; got; f.n += got) {
        if (room - f.n < 4096)
            f.text = must(realloc(f.text, room = 2 * room + 8192), path);
        got = fread(f.text + f.n, 1, room - f.n, from);
    }
    if (ferror(from))
        must(NULL, path);
    fclose(from);
    in->files = must(realloc(in->files, (in->n + 1) * sizeof f), path);
    in->files[in->n++] = f;
}

/* Reports a file or folder that is not read, and exits: it would have no effect. */
static void refuse(const char *path, const char *why, const char *hint)
{
    fprintf(stderr, "%s: %s [place]\n  hint: %s\n", path, why, hint);
    exit(1);
}

static bool is_page(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".md") == 0;
}

/* Reads a folder of catalogue files. The top folder has only folders and the page about the
 * notation. */
static void read_folder(struct input *in, const char *path, bool top)
{
    struct dirent **entries;
    size_t before = in->n;
    int n = scandir(path, &entries, NULL, alphasort);
    if (n < 0)
        must(NULL, path);
    depend(in, path);
    for (int i = 0; i < n; i++) {
        char *below = join(path, entries[i]->d_name);
        bool hidden = entries[i]->d_name[0] == '.', folder = is_folder(below);
        free(entries[i]);
        if (top && folder && !hidden) {
            read_folder(in, below, false);
        } else if (!top && !folder && !hidden) {
            depend(in, below);
            read_file(in, below);
            continue;
        } else if (top && !hidden && !is_page(below)) {
            refuse(below, "this file is in no CPU's folder", "move it into the folder of its CPU");
        } else if (!top && folder && !hidden) {
            refuse(below, "a folder in a CPU's folder", "move its files up, beside the .cpu file");
        }
        free(below);
    }
    if (!top && in->n == before)
        refuse(path, "a CPU's folder without a file", "write its .cpu file, or delete the folder");
    free(entries);
}

static struct bx_catalog *compile(const struct input *in, const char *folder)
{
    bx_error e = {0};
    bx_cat_file *files = must(calloc(in->n + 1, sizeof *files), "catalogc");
    for (size_t i = 0; i < in->n; i++)
        files[i] = (bx_cat_file){bx_str_of(in->files[i].path + strlen(folder) + 1),
                                 {in->files[i].text, in->files[i].n}};
    struct bx_catalog *c = bx_catalog_parse(files, in->n, &e);
    free(files);
    if (!c)
        fprintf(stderr, "%s/%s\n%s%s%s", folder, e.message, *e.hint ? "  hint: " : "", e.hint,
                *e.hint ? "\n" : "");
    return c;
}

static bool write_c(const struct bx_catalog *c, const char *path)
{
    FILE *to = must(fopen(path, "w"), path);
    fprintf(to, "/* Written by tools/catalogc.c from catalog/: do not edit. */\n"
                "#include \"catalog/builtin.h\"\n\n"
                "const uint64_t bx_builtin_words[] = {");
    for (size_t i = 0; i < c->size / 8; i++) {
        uint64_t word;
        memcpy(&word, (const char *)c + 8 * i, sizeof word);
        fprintf(to, "%s0x%llx,", i % 6 ? " " : "\n    ", (unsigned long long)word);
    }
    fprintf(to, "\n};\n");
    bool fine = !ferror(to);
    return fclose(to) == 0 && fine;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: catalogc FOLDER OUTPUT.c DEPFILE\n");
        return 2;
    }
    struct input in = {.deps = must(fopen(argv[3], "w"), argv[3])};
    fprintf(in.deps, "%s:", argv[2]);
    read_folder(&in, argv[1], true);
    fprintf(in.deps, "\n");
    fclose(in.deps);

    struct bx_catalog *c = compile(&in, argv[1]);
    bool fine = c && write_c(c, argv[2]);
    free(c);
    for (size_t i = 0; i < in.n; i++) {
        free(in.files[i].path);
        free(in.files[i].text);
    }
    free(in.files);
    return fine ? 0 : 1;
}
