/* Command lines for a shell. */
#include "host/system/shell.h"

#include <stdio.h>
#include <sys/wait.h>

/* A quote ends them for itself: 'it'\''s'. */
void bx_shell_word(bx_buf *to, const char *word)
{
    bx_buf_z(to, "'");
    for (; *word; word++)
        if (*word == '\'')
            bx_buf_z(to, "'\\''");
        else
            bx_buf_add(to, word, 1);
    bx_buf_z(to, "'");
}

int bx_shell_read(const char *line, bx_buf *to)
{
    char piece[512];
    FILE *from = popen(line, "r");
    for (size_t n; from && (n = fread(piece, 1, sizeof piece, from)) > 0;)
        bx_buf_add(to, piece, n);
    int status = from ? pclose(from) : -1;
    return from && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
