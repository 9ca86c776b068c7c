/* Names addresses of a binary by its debug information, as a recording does: N of them, at equal
 * distances in its code. Prints the addresses that have a source line, and the seconds, with the
 * binary's opening. usage: bench_symbols BINARY N */
#include "symbols/binary_names.h"
#include "symbols/libdw.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The segment with code. */
static bool find_code(const char *path, Elf64_Phdr *to)
{
    Elf64_Ehdr head;
    bool found = false;
    FILE *f = fopen(path, "rb");
    if (f && fread(&head, sizeof head, 1, f) == 1 && fseek(f, (long)head.e_phoff, SEEK_SET) == 0)
        for (unsigned i = 0; !found && i < head.e_phnum && fread(to, sizeof *to, 1, f) == 1; i++)
            found = to->p_type == PT_LOAD && to->p_flags & PF_X;
    if (f)
        fclose(f);
    return found;
}

int main(int argc, char **argv)
{
    enum { DEEPEST = 64 };
    const char *why = "";
    Elf64_Phdr code;
    bx_buf refused = {0};
    uint64_t n = argc == 3 ? strtoull(argv[2], NULL, 10) : 0, lines = 0, address;
    if (!n || !find_code(argv[1], &code)) {
        fprintf(stderr, "usage: bench_symbols BINARY N\n");
        return 2;
    }
    double begin = seconds();
    bx_libdw *libdw = bx_libdw_load(&why);
    bx_binary_names *names =
        bx_binary_names_open(&(bx_names_from){.libdw = libdw}, argv[1], "", &refused);
    for (uint64_t i = 0; names && i < n; i++) {
        bx_source_frame frame[DEEPEST];
        if (bx_binary_names_address(names, code.p_offset + i * code.p_filesz / n, &address) &&
            bx_binary_names_at(names, address, frame, DEEPEST))
            lines += frame[0].line > 0;
    }
    printf("%llu %.3f\n", (unsigned long long)lines, seconds() - begin);
    bx_binary_names_close(names);
    free(libdw);
    bx_buf_free(&refused);
    return !names;
}
