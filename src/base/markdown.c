/* Writes foreign text as Markdown. */
#include "base/markdown.h"

#include "base/printable.h"

#include <string.h>

void bx_markdown_text(bx_buf *to, bx_str text)
{
    while (text.n) {
        bx_str character = bx_next_printable(&text);
        if (strchr("\\`*_[]{}<>#|~$&@!", *character.p))
            bx_buf_z(to, "\\");
        bx_buf_str(to, character);
    }
}

/* The longest run of backticks. */
static size_t longest_run(bx_str text)
{
    size_t longest = 0, n = 0;
    for (size_t i = 0; i < text.n; i++) {
        n = text.p[i] == '`' ? n + 1 : 0;
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* A longer run of backticks encloses it: CommonMark 0.30, 6.1. */
void bx_markdown_code(bx_buf *to, bx_str text)
{
    size_t n = longest_run(text);
    for (size_t i = 0; i <= n; i++)
        bx_buf_z(to, "`");
    bx_buf_z(to, n ? " " : "");
    bx_buf_printable(to, text);
    bx_buf_z(to, n ? " " : "");
    for (size_t i = 0; i <= n; i++)
        bx_buf_z(to, "`");
}
