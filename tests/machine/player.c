/* Implements player.h. */
#include "../cmocked.h"

#include "player.h"

#include <string.h>

void player_open(struct player *p, const char *spec)
{
    bx_error e = {0};
    *p = (struct player){0};
    assert_int_equal(bx_machine_open(bx_catalog_builtin(), spec, &p->m, &e), BX_OK);
    p->d = bx_dialogue_new(p->m, &e);
    assert_non_null(p->d);
}

void player_close(struct player *p)
{
    bx_buf_free(&p->out);
    bx_dialogue_free(p->d);
    bx_machine_close(p->m);
}

const char *player_says(struct player *p, const char *text)
{
    bx_str rest = bx_str_of(text);
    bx_buf_free(&p->out);
    while (rest.p) {
        bx_error e = {0};
        int code = bx_dialogue_line(p->d, bx_str_cut(&rest, '\n'), &p->out, &e);
        if (code)
            print_message("%s\n", e.message);
        assert_int_equal(code, BX_OK);
    }
    return p->out.p ? p->out.p : "";
}

void player_refuses(struct player *p, const struct bad_line *bad)
{
    bx_error e = {0};
    bx_buf_free(&p->out);
    int code = bx_dialogue_line(p->d, bx_str_of(bad->line), &p->out, &e);
    if (!strstr(e.message, bad->message) || !strstr(e.hint, bad->hint) || e.at != bad->at ||
        e.len != bad->len)
        print_message("%s\n%zu+%zu %s (%s)\n", bad->line, e.at, e.len, e.message, e.hint);
    assert_true(code == BX_BAD_INPUT || code == BX_NOT_FOUND);
    assert_non_null(strstr(e.message, bad->message));
    assert_non_null(strstr(e.hint, bad->hint));
    assert_int_equal(e.at, bad->at);
    assert_int_equal(e.len, bad->len);
    assert_int_equal(p->out.n, 0);
}
