/* The terminal. */
#define NCURSES_WIDECHAR 1
#include "top/terminal.h"

#include "base/error.h"
#include "top/view.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bx_terminal {
    int kept[3]; /* the standard streams, as they were; -1: not replaced */
    FILE *in, *out;
    SCREEN *screen;
    bool coloured, many; /* 256 colours */
};

/* A stream of the terminal: the standard one if it is one, else this process's terminal. */
static FILE *open_stream(int fd, const char *mode)
{
    int copy = isatty(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : open("/dev/tty", O_RDWR | O_CLOEXEC);
    FILE *stream = copy >= 0 ? fdopen(copy, mode) : NULL;
    if (!stream && copy >= 0)
        close(copy);
    return stream;
}

static void replace_streams(bx_terminal *t)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd < 3; fd++)
        if (isatty(fd)) {
            t->kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
            if (t->kept[fd] >= 0)
                dup2(null, fd);
        }
    if (null >= 0)
        close(null);
}

int bx_terminal_take(bx_terminal **to, bx_error *e)
{
    bx_terminal *t = calloc(1, sizeof *t);
    if (!t)
        return bx_out_of_memory(e);
    *to = t;
    t->kept[0] = t->kept[1] = t->kept[2] = -1;
    t->out = open_stream(STDOUT_FILENO, "w");
    t->in = open_stream(STDIN_FILENO, "r");
    if (t->in && t->out) {
        replace_streams(t);
        return BX_OK;
    }
    bx_fail(e, BX_NO_ACCESS, 0, 0, "there is no terminal for the screen");
    bx_hint(e, "boxscore top --batch prints text");
    return BX_NO_ACCESS;
}

/* ---- looks ---- */

typedef struct look {
    short many, few;            /* colour of 256, of 8; -1: the terminal's own */
    short ground;               /* of 256 */
    attr_t attributes, without; /* beside colours, and without any */
} look;

static const look looks[BX_STYLES] = {
    [BX_STYLE_PLAIN] = {-1, -1, -1, 0, 0},
    [BX_STYLE_TITLE] = {231, COLOR_WHITE, 24, A_BOLD, A_REVERSE | A_BOLD},
    [BX_STYLE_HEAD] = {110, COLOR_CYAN, -1, A_BOLD, A_BOLD | A_UNDERLINE},
    [BX_STYLE_DIM] = {245, -1, -1, 0, 0},
    [BX_STYLE_STRONG] = {-1, -1, -1, A_BOLD, A_BOLD},
    [BX_STYLE_WARN] = {215, COLOR_YELLOW, -1, A_BOLD, A_BOLD},
    [BX_STYLE_KEY] = {110, COLOR_CYAN, -1, 0, A_BOLD},
    [BX_STYLE_GOOD] = {114, COLOR_GREEN, -1, 0, 0},
    [BX_STYLE_LEVEL] = {67, COLOR_CYAN, -1, 0, 0},
    [BX_STYLE_LEVEL + 1] = {73, COLOR_CYAN, -1, 0, 0},
    [BX_STYLE_LEVEL + 2] = {108, COLOR_GREEN, -1, 0, 0},
    [BX_STYLE_LEVEL + 3] = {179, COLOR_YELLOW, -1, 0, 0},
    [BX_STYLE_LEVEL + 4] = {173, COLOR_RED, -1, 0, 0},
};

enum { SELECTED_GROUND = 238 };

static void define_colours(bx_terminal *t)
{
    const char *no = getenv("NO_COLOR"); /* no-color.org */
    t->coloured = has_colors() && !(no && *no) && start_color() == OK;
    if (!t->coloured)
        return;
    use_default_colors();
    t->many = COLORS >= 256 && COLOR_PAIRS > 2 * BX_STYLES;
    for (short i = 0; i < BX_STYLES; i++) {
        short few_ground = i == BX_STYLE_TITLE ? COLOR_BLUE : -1;
        init_pair(i + 1, t->many ? looks[i].many : looks[i].few,
                  t->many ? looks[i].ground : few_ground);
        if (t->many)
            init_pair(i + 1 + BX_STYLES, looks[i].many, SELECTED_GROUND);
    }
}

static attr_t look_of(const bx_terminal *t, unsigned style, short *pair)
{
    bool selected = style & BX_STYLE_SELECTED;
    unsigned plain = style & ~(unsigned)BX_STYLE_SELECTED;
    *pair = 0;
    if (!t->coloured)
        return looks[plain].without | (selected ? A_REVERSE : 0);
    *pair = (short)(plain + 1 + (selected && t->many ? BX_STYLES : 0));
    return looks[plain].attributes | (selected && !t->many ? A_REVERSE : 0);
}

/* ---- the screen ---- */

/* Terminals often send other sequences than their description has. */
static void define_keys(void)
{
    static const struct {
        const char *sequence;
        int key;
    } keys[] = {{"\033OA", KEY_UP},   {"\033[A", KEY_UP},    {"\033OB", KEY_DOWN},
                {"\033[B", KEY_DOWN}, {"\033OC", KEY_RIGHT}, {"\033[C", KEY_RIGHT},
                {"\033OD", KEY_LEFT}, {"\033[D", KEY_LEFT},  {"\033OH", KEY_HOME},
                {"\033[H", KEY_HOME}, {"\033[1~", KEY_HOME}, {"\033OF", KEY_END},
                {"\033[F", KEY_END},  {"\033[4~", KEY_END}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        define_key(keys[i].sequence, keys[i].key);
}

int bx_terminal_begin(bx_terminal *t, bx_error *e)
{
    t->screen = newterm(NULL, t->out, t->in);
    if (!t->screen) {
        const char *term = getenv("TERM");
        bx_fail(e, BX_NOT_FOUND, 0, 0, "the terminal '%.60s' is not known", term ? term : "");
        bx_hint(e, "set TERM, or boxscore top --batch");
        return BX_NOT_FOUND;
    }
    set_term(t->screen);
    set_escdelay(25);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    curs_set(0);
    define_keys();
    define_colours(t);
    return BX_OK;
}

void bx_terminal_size(const bx_terminal *t, int *width, int *height)
{
    (void)t;
    getmaxyx(stdscr, *height, *width);
}

void bx_terminal_show(bx_terminal *t, const bx_canvas *c)
{
    erase();
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            const bx_canvas_cell *cell = &c->cell[(size_t)y * (size_t)c->width + (size_t)x];
            short pair;
            attr_t attributes = look_of(t, cell->style, &pair);
            if (!cell->text[0])
                continue;
            attr_set(attributes, pair, NULL);
            mvaddstr(y, x, cell->text);
        }
    attr_set(A_NORMAL, 0, NULL);
    refresh();
}

int bx_terminal_key(bx_terminal *t, int ms)
{
    static const struct {
        int from, to;
    } keys[] = {{KEY_UP, BX_KEY_UP},         {KEY_DOWN, BX_KEY_DOWN},
                {KEY_LEFT, BX_KEY_LEFT},     {KEY_RIGHT, BX_KEY_RIGHT},
                {KEY_PPAGE, BX_KEY_PAGE_UP}, {KEY_NPAGE, BX_KEY_PAGE_DOWN},
                {KEY_HOME, BX_KEY_HOME},     {KEY_END, BX_KEY_END}};
    enum { REDRAW = 12 /* ^L */ };
    (void)t;
    timeout(ms);
    int key = getch();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (key == keys[i].from)
            return keys[i].to;
    if (key == REDRAW)
        clearok(stdscr, TRUE);
    return key > 0 && key < 128 && key != REDRAW ? key : -1;
}

bool bx_terminal_is_gone(const bx_terminal *t)
{
    struct pollfd in = {.fd = fileno(t->in), .events = POLLIN};
    return poll(&in, 1, 0) > 0 && (in.revents & (POLLHUP | POLLERR | POLLNVAL));
}

void bx_terminal_end(bx_terminal *t)
{
    if (!t)
        return;
    if (t->screen) {
        endwin();
        delscreen(t->screen);
    }
    for (int fd = 0; fd < 3; fd++)
        if (t->kept[fd] >= 0) {
            dup2(t->kept[fd], fd);
            close(t->kept[fd]);
        }
    if (t->in)
        fclose(t->in);
    if (t->out)
        fclose(t->out);
    free(t);
}
