/* Makes text from foreign files safe to print. */
#include "base/printable.h"

#include <string.h>

size_t bx_character_length(bx_str s)
{
    unsigned char first = (unsigned char)s.p[0];
    if (first < 0x80)
        return 1;
    size_t n = first >= 0xc2 && first <= 0xdf   ? 2
               : first >= 0xe0 && first <= 0xef ? 3
               : first >= 0xf0 && first <= 0xf4 ? 4
                                                : 0;
    if (n == 0 || n > s.n)
        return 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s.p[i] & 0xc0) != 0x80)
            return 0;
    /* The second byte shows overlong forms, surrogates and code points above U+10FFFF. */
    unsigned char second = (unsigned char)s.p[1];
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return 0;
    return n;
}

/* Characters that change or hide others: controls; what Unicode ignores when it shows text
 * (DerivedCoreProperties.txt, Default_Ignorable_Code_Point), such as those of zero width and those
 * that turn the direction; separators of lines; fillers that look like blanks; and the two that
 * XML cannot hold. */
static const struct {
    uint32_t first, last;
} unprintable[] = {
    {0x00, 0x1f},       {0x7f, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},     {0x61c, 0x61c},
    {0x115f, 0x1160},   {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x3164, 0x3164}, {0xfdd0, 0xfdef}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
};

uint32_t bx_code_point(bx_str s, size_t length)
{
    uint32_t code = (unsigned char)s.p[0];
    if (length > 1)
        code &= 0x7fu >> length;
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)s.p[i] & 0x3f);
    return code;
}

static bool is_printable_ascii(char c)
{
    return c >= ' ' && c < 0x7f;
}

bool bx_is_printable(bx_str s, size_t length)
{
    if (length == 1)
        return is_printable_ascii(*s.p);
    uint32_t code = bx_code_point(s, length);
    for (size_t i = 0; i < sizeof unprintable / sizeof *unprintable; i++)
        if (code >= unprintable[i].first && code <= unprintable[i].last)
            return false;
    return length > 0;
}

bx_str bx_next_printable(bx_str *rest)
{
    size_t length = bx_character_length(*rest);
    bool good = length && bx_is_printable(*rest, length);
    bx_str character = good ? (bx_str){rest->p, length} : BX_STR("?");
    *rest = bx_str_sub(*rest, character.n, rest->n);
    return character;
}

void bx_buf_printable(bx_buf *to, bx_str text)
{
    while (text.n) {
        size_t n = 0; /* of printable ASCII, which is added at once */
        while (n < text.n && is_printable_ascii(text.p[n]))
            n++;
        bx_buf_add(to, text.p, n);
        text = bx_str_sub(text, n, text.n);
        if (text.n)
            bx_buf_str(to, bx_next_printable(&text));
    }
}

void bx_buf_name(bx_buf *to, const char *name)
{
    bx_buf_printable(to, bx_str_of(name));
}

static void replace(char *text, size_t n, const char *but)
{
    while (n) {
        size_t length = bx_character_length((bx_str){text, n});
        bool bad = !length || !bx_is_printable((bx_str){text, n}, length);
        length = length ? length : 1;
        if (bad && (!*text || !strchr(but, *text)))
            memset(text, '?', length);
        text += length;
        n -= length;
    }
}

void bx_printable(char *text, size_t n)
{
    replace(text, n, "");
}

void bx_printable_lines(char *text, size_t n)
{
    replace(text, n, "\n\t");
}

/* ---- Markdown ---- */

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

/* ---- XML ---- */

void bx_csv_text(bx_buf *to, const char *text, const char *separator)
{
    bool quoted = strchr(text, separator[0]) || strchr(text, '"');
    bx_buf_z(to, quoted ? "\"" : "");
    for (bx_str rest = bx_str_of(text); rest.n;) {
        bx_str character = bx_next_printable(&rest);
        bx_buf_z(to, *character.p == '"' ? "\"" : "");
        bx_buf_str(to, character);
    }
    bx_buf_z(to, quoted ? "\"" : "");
}

void bx_xml_text(bx_buf *to, bx_str text)
{
    static const char bytes[] = "<>&\"'";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    while (text.n) {
        bx_str character = bx_next_printable(&text);
        const char *special = strchr(bytes, *character.p);
        if (special)
            bx_buf_z(to, names[special - bytes]);
        else
            bx_buf_str(to, character);
    }
}
