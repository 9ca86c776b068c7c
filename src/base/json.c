/* Writes JSON (RFC 8259). */
#include "base/json.h"

#include "base/printable.h"

#include <inttypes.h>

static void escape(bx_buf *b, unsigned char c)
{
    switch (c) {
    case '"':
        bx_buf_z(b, "\\\"");
        break;
    case '\\':
        bx_buf_z(b, "\\\\");
        break;
    case '\n':
        bx_buf_z(b, "\\n");
        break;
    case '\t':
        bx_buf_z(b, "\\t");
        break;
    default:
        bx_buf_f(b, "\\u%04x", c);
        break;
    }
}

/* Escapes a code point; those above U+FFFF as a surrogate pair. */
static void escape_code(bx_buf *b, uint32_t code)
{
    if (code >= 0x10000) {
        bx_buf_f(b, "\\u%04x", 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    bx_buf_f(b, "\\u%04x", code);
}

static bool plain(unsigned char c)
{
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

void bx_json_string(bx_buf *b, bx_str s)
{
    bx_buf_add(b, "\"", 1);
    while (s.n) {
        size_t n = 0;
        while (n < s.n && plain((unsigned char)s.p[n]))
            n++;
        size_t length = n ? n : bx_character_length(s);
        if (n || (length > 1 && bx_is_printable(s, length)))
            bx_buf_add(b, s.p, length);
        else if (length == 1)
            escape(b, (unsigned char)s.p[0]);
        else if (length)
            escape_code(b, bx_code_point(s, length));
        else
            bx_buf_z(b, "\\ufffd");
        s = bx_str_sub(s, length ? length : 1, s.n);
    }
    bx_buf_add(b, "\"", 1);
}

static void begin_member(bx_json *j, const char *key)
{
    if (j->more)
        bx_buf_add(j->to, ",", 1);
    j->more = true;
    if (key) {
        bx_json_string(j->to, bx_str_of(key));
        bx_buf_add(j->to, ":", 1);
    }
}

void bx_json_open(bx_json *j, const char *key, char bracket)
{
    begin_member(j, key);
    bx_buf_add(j->to, &bracket, 1);
    j->more = false;
}

void bx_json_close(bx_json *j, char bracket)
{
    bx_buf_add(j->to, &bracket, 1);
    j->more = true;
}

void bx_json_text(bx_json *j, const char *key, const char *value)
{
    begin_member(j, key);
    if (value)
        bx_json_string(j->to, bx_str_of(value));
    else
        bx_buf_z(j->to, "null");
}

void bx_json_number(bx_json *j, const char *key, int64_t value)
{
    begin_member(j, key);
    bx_buf_f(j->to, "%" PRId64, value);
}

void bx_json_raw(bx_json *j, const char *key, const char *value)
{
    begin_member(j, key);
    bx_buf_z(j->to, value);
}

void bx_json_hex(bx_json *j, const char *key, uint64_t value)
{
    begin_member(j, key);
    bx_buf_f(j->to, "\"0x%" PRIx64 "\"", value);
}
