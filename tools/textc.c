/* A text as a C object: textc FILE NAME OUTPUT.c
 *
 * Writes `const unsigned char NAME[]` with the file's bytes and a NUL at the end. A string would be
 * longer than C promises. */
#include <stdio.h>

static int fail(const char *path)
{
    perror(path);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: textc FILE NAME OUTPUT.c\n");
        return 2;
    }
    FILE *in = fopen(argv[1], "rb");
    if (!in)
        return fail(argv[1]);
    FILE *out = fopen(argv[3], "wb");
    if (!out)
        return fail(argv[3]);
    fprintf(out, "extern const unsigned char %s[];\nconst unsigned char %s[] = {", argv[2],
            argv[2]);
    for (int c; (c = getc(in)) != EOF;)
        fprintf(out, "%d,", c);
    fprintf(out, "0};\n");
    if (ferror(in) || fclose(in))
        return fail(argv[1]);
    return fclose(out) ? fail(argv[3]) : 0;
}
