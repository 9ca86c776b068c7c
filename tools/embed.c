/* A file as a C object: embed FILE NAME OUTPUT.c
 *
 * Writes `const unsigned char NAME[]` with the file's bytes and a NUL after them, and `const
 * size_t NAME_size`, which does not count the NUL. A string would be longer than C promises. */
#include <stdio.h>

static int fail(const char *path)
{
    perror(path);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: embed FILE NAME OUTPUT.c\n");
        return 2;
    }
    FILE *in = fopen(argv[1], "rb");
    if (!in)
        return fail(argv[1]);
    FILE *out = fopen(argv[3], "wb");
    if (!out)
        return fail(argv[3]);
    fprintf(out,
            "#include <stddef.h>\nextern const unsigned char %s[];\nextern const size_t %s_size;\n"
            "const unsigned char %s[] = {",
            argv[2], argv[2], argv[2]);
    for (int c; (c = getc(in)) != EOF;)
        fprintf(out, "%d,", c);
    fprintf(out, "0};\nconst size_t %s_size = sizeof %s - 1;\n", argv[2], argv[2]);
    if (ferror(in) || fclose(in))
        return fail(argv[1]);
    return fclose(out) ? fail(argv[3]) : 0;
}
