/* Reads shell scripts of wrmsr, rdmsr (msr-tools) and setpci (pciutils). Loops and conditions are
 * not executed: a register access in one is refused. */
#include "reglog/script.h"

#include <stdio.h>

static const char run_it[] = "boxscore explain -- sh FILE runs the script on a virtual machine";

typedef struct command {
    bx_str line, rest; /* its words that are left */
    bx_script_word name;
    bool conditional; /* whether it runs depends on another command */
    bool tests;       /* its result is a decision: of "[ -e x ] && …" */
} command;

static int refuse_script(const command *c, const bx_script_word *w, bx_error *e, const char *what,
                         const char *hint)
{
    return bx_log_refuse(c->line, w ? w->source : (bx_str){0}, e, what, hint);
}

/* The next word, which must be known. */
static int take_word(const bx_log_reader *r, command *c, bx_script_word *w, const char *what,
                     bx_error *e)
{
    if (!bx_script_next(r, &c->rest, w))
        return bx_log_refuse(c->line, c->name.source, e, what,
                             "wrmsr -p 0 0x186 0x4300c0, or setpci -s 00:00.0 48.l=1");
    if (!w->unknown)
        return BX_OK;
    return bx_log_refuse(c->line, w->part, e, "this has no value that is known here", run_it);
}

static bool is_word(const bx_script_word *w, const char *text)
{
    return bx_str_eq(bx_script_text(w), bx_str_of(text));
}

/* ---- wrmsr, rdmsr ---- */

/* Reads "-p 3", "-p3", "--processor=3", "-a". *w becomes the first word after the options. */
static int options(const bx_log_reader *r, command *c, bx_log_access *a, bx_script_word *w,
                   bx_error *e)
{
    static const char missing[] = "a register and a value are missing";
    int code = take_word(r, c, w, missing, e);
    while (!code && w->n > 1 && w->text[0] == '-') {
        bx_str text = bx_script_text(w);
        bx_str number = bx_str_sub(text, 2, w->n);
        uint64_t cpu = 0;
        bool word = w->text[1] == '-';
        if (word)
            bx_str_cut(&number, '=');
        bool processor = word ? bx_str_starts_fold(text, BX_STR("--processor")) : text.p[1] == 'p';
        bool all = is_word(w, "-a") || is_word(w, "--all");
        if (processor && !number.n) {
            code = take_word(r, c, w, "the number of a CPU is missing", e);
            number = bx_script_text(w);
        }
        if (!code && processor && (!bx_str_u64(number, &cpu) || cpu > UINT16_MAX))
            code =
                refuse_script(c, w, e, "this is no number of a CPU", "wrmsr -p 0 0x186 0x4300c0");
        a->access.at.cpu = (uint16_t)cpu;
        a->every_cpu |= all;
        if (!code)
            code = take_word(r, c, w, missing, e);
    }
    return code;
}

static int write_msr(bx_log_reader *r, command *c, bx_error *e)
{
    bx_log_access a = {.access = {.at = {.space = BX_SPACE_MSR, .width = 64}, .write = true}};
    bx_script_word w;
    int code = options(r, c, &a, &w, e);
    if (!code &&
        (!bx_str_u64(bx_script_text(&w), &a.access.at.offset) || a.access.at.offset > UINT32_MAX))
        return refuse_script(c, &w, e, "this is no MSR's number", "wrmsr -p 0 0x186 0x4300c0");
    if (!code)
        code = take_word(r, c, &w, "a value is missing", e);
    while (!code) { /* several values are written one after another */
        if (!bx_str_u64(bx_script_text(&w), &a.access.value))
            return refuse_script(c, &w, e, "this is no value of a register",
                                 "a number, such as 0x4300c0");
        if (!bx_log_add(r, &a))
            return refuse_script(c, &w, e, "too many accesses in one line",
                                 "write them in several lines");
        bx_str ahead = bx_str_trim(c->rest);
        if (!ahead.n || ahead.p[0] == '>' || (ahead.n > 1 && ahead.p[1] == '>'))
            break;
        code = take_word(r, c, &w, "", e);
    }
    return code;
}

/* ---- setpci ---- */

/* "48.l=1", "48.L=0x1": numbers are hexadecimal. */
static bool setting(bx_str text, bx_log_access *a, bool *write)
{
    bx_str value = text, name = bx_str_cut(&value, '='), width = name;
    bx_str reg = bx_str_cut(&width, '.');
    uint64_t offset;
    *write = value.p != NULL;
    if (bx_str_starts_fold(value, BX_STR("0x")))
        value = bx_str_sub(value, 2, value.n);
    if (bx_str_starts_fold(reg, BX_STR("0x")))
        reg = bx_str_sub(reg, 2, reg.n);
    switch (width.n == 1 ? bx_lower(width.p[0]) : 0) {
    case 'b':
        a->access.at.width = 8;
        break;
    case 'w':
        a->access.at.width = 16;
        break;
    case 'l':
        a->access.at.width = 32;
        break;
    default:
        return false;
    }
    if (!bx_log_hex(reg, &offset) || offset > 0xfff)
        return false;
    a->access.at.offset = (a->access.at.offset & ~UINT64_C(0xfff)) | offset;
    return !*write ||
           (bx_log_hex(value, &a->access.value) && !(a->access.value >> a->access.at.width));
}

static int write_pci(bx_log_reader *r, command *c, bx_error *e)
{
    static const char hint[] = "setpci -s 00:00.0 48.l=1";
    bx_log_access a = {.access = {.at = {.space = BX_SPACE_PCI}, .write = true}};
    bx_script_word w;
    bool chosen = false;
    int code = BX_OK;
    while (!code && bx_str_trim(c->rest).n) {
        bool write;
        code = take_word(r, c, &w, "", e);
        if (!code && is_word(&w, "-s")) {
            code = take_word(r, c, &w, "the device is missing", e);
            bx_str device = bx_script_text(&w);
            if (bx_str_starts_fold(device, BX_STR("0000:")))
                device = bx_str_sub(device, 5, device.n);
            chosen = !code && bx_pci_bdf_parse(device, &a.access.at.offset);
            if (!code && !chosen)
                code = refuse_script(c, &w, e, "this is not a function of a PCI device", hint);
        } else if (!code && w.n && w.text[0] != '-') {
            if (!chosen)
                return refuse_script(c, &w, e, "the device is missing", hint);
            if (!setting(bx_script_text(&w), &a, &write))
                return refuse_script(c, &w, e, "this is no register with a width and a value",
                                     hint);
            r->untold += !write;
            if (write && !bx_log_add(r, &a))
                return refuse_script(c, &w, e, "too many accesses in one line", hint);
        }
    }
    return code;
}

/* ---- commands ---- */

/* "NAME=value" or "NAME+=value". */
static bool is_assignment(bx_str source, bx_str *name)
{
    ptrdiff_t equals = bx_str_find(source, '=', 0);
    size_t n = equals < 0 ? 0 : (size_t)equals;
    n -= n > 1 && source.p[n - 1] == '+';
    *name = bx_str_sub(source, 0, n);
    for (size_t i = 0; i < n; i++)
        if (!bx_is_letter(source.p[i]) && !(i && bx_is_digit(source.p[i])))
            return false;
    return n > 0;
}

static void assign(bx_log_reader *r, bx_str source, bx_str name, bool conditional)
{
    bool adds = source.p[name.n] == '+';
    bx_str value = bx_str_sub(source, name.n + adds + 1, source.n);
    if (value.n > 1 && (value.p[0] == '"' || value.p[0] == '\'') &&
        value.p[value.n - 1] == value.p[0])
        value = bx_str_sub(value, 1, value.n - 2);
    bool plain = !adds && !conditional && r->depth == 0;
    for (size_t i = 0; i < value.n; i++)
        plain &= value.p[i] != '$' && value.p[i] != '`' && value.p[i] != '"' && value.p[i] != '\'';
    bx_script_set(r, name, value, !plain);
}

/* Takes the words "NAME=value" before a command, which the command alone has. Without a command
 * they set variables. false: there is no command. */
static bool find_command(bx_log_reader *r, command *c)
{
    bx_str name, words = c->rest;
    bx_script_word first = c->name;
    while (is_assignment(c->name.source, &name))
        if (!bx_script_next(r, &c->rest, &c->name)) {
            do {
                (void)is_assignment(first.source, &name);
                assign(r, first.source, name, c->conditional);
            } while (bx_script_next(r, &words, &first));
            return false;
        }
    return true;
}

/* Whether a command's result is a decision, not a success. */
static bool decides(const bx_script_word *w)
{
    static const char *const words[] = {"[", "[[", "test", "false", "grep", "!", NULL};
    unsigned i = 0;
    while (words[i] && !is_word(w, words[i]))
        i++;
    return words[i];
}

/* Another command may set the variables that it names (read, unset, let), or all (eval, source). */
static void forget_named(bx_log_reader *r, command *c)
{
    bx_script_word w;
    if (is_word(&c->name, "eval") || is_word(&c->name, "source") || is_word(&c->name, "."))
        for (unsigned i = 0; i < r->variables; i++)
            r->variable[i].unknown = true;
    while (bx_script_next(r, &c->rest, &w)) {
        bx_str word = w.source;
        if (word.n && (word.p[0] == '"' || word.p[0] == '\''))
            word = bx_str_sub(word, 1, word.n - 1);
        for (unsigned i = 0; i < r->variables; i++) {
            bx_log_variable *v = &r->variable[i];
            char next = word.n > v->name.n ? word.p[v->name.n] : ' ';
            v->unknown |= bx_str_eq(bx_str_sub(word, 0, v->name.n), v->name) &&
                          !bx_is_letter(next) && !bx_is_digit(next);
        }
    }
}

/* Notes the word that ends a here-document, which the next line begins: "<<EOF", "<<- 'EOF'". */
static void find_document(bx_log_reader *r, bx_str words)
{
    bx_script_word w;
    while (bx_script_next(NULL, &words, &w)) {
        ptrdiff_t at = bx_log_behind(w.source, 0, "<<");
        if (at < 0 || bx_str_find(w.source, '(', 0) >= 0 || w.source.p[0] == '"' ||
            w.source.p[0] == '\'' || bx_log_behind(w.source, 0, "<<<") >= 0)
            continue;
        bx_str end = bx_str_sub(w.source, (size_t)at, w.source.n);
        if (end.n && end.p[0] == '-')
            end = bx_str_sub(end, 1, end.n);
        if (!end.n && bx_script_next(NULL, &words, &w))
            end = w.source;
        if (end.n > 1 && (end.p[0] == '"' || end.p[0] == '\''))
            end = bx_str_sub(end, 1, end.n - 2);
        r->until = end;
    }
}

/* Whether the word is one before a command: "sudo", "then". */
static bool is_before(const bx_script_word *w)
{
    static const char *const words[] = {"sudo", "then", "else", "do",       "export", "local",
                                        "time", "exec", "!",    "readonly", "command"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(w, words[i]))
            return true;
    return false;
}

/* The name without its folder. */
static bool is_tool(const bx_script_word *w, const char *tool)
{
    bx_str name = bx_script_text(w);
    ptrdiff_t slash;
    while ((slash = bx_str_find(name, '/', 0)) >= 0)
        name = bx_str_sub(name, (size_t)slash + 1, name.n);
    return bx_str_eq(name, bx_str_of(tool));
}

static void count_depth(bx_log_reader *r, const bx_script_word *w)
{
    bool opens = is_word(w, "if") || is_word(w, "for") || is_word(w, "while") ||
                 is_word(w, "until") || is_word(w, "case") || is_word(w, "{");
    bool closes = is_word(w, "fi") || is_word(w, "done") || is_word(w, "esac") || is_word(w, "}");
    if (w->n > 2 && w->text[w->n - 2] == '(' && w->text[w->n - 1] == ')') /* "name() {" */
        r->depth++;
    else
        r->depth += opens;
    r->depth -= closes && r->depth;
}

static int one_command(bx_log_reader *r, command *c, bx_error *e)
{
    bool found = false;
    find_document(r, c->rest);
    while ((found = bx_script_next(r, &c->rest, &c->name)) && is_before(&c->name))
        c->tests |= is_word(&c->name, "!");
    if (!found || r->exited || !find_command(r, c))
        return BX_OK;
    c->tests |= decides(&c->name);
    bool writes = is_tool(&c->name, "wrmsr"), pci = is_tool(&c->name, "setpci");
    bool reads = is_tool(&c->name, "rdmsr");
    count_depth(r, &c->name);
    if (!writes && !pci && !reads) {
        bool exits = is_word(&c->name, "exit") || is_word(&c->name, "return");
        r->exited = exits && !c->conditional && !r->depth;
        r->others++;
        forget_named(r, c);
        return BX_OK;
    }
    if ((r->depth || c->conditional) && !reads)
        return refuse_script(c, &c->name, e,
                             "this is in a loop or a condition, which is not executed", run_it);
    r->untold += reads;
    return reads ? BX_OK : writes ? write_msr(r, c, e) : write_pci(r, c, e);
}

bool bx_log_is_script(bx_str line)
{
    bx_str rest = line;
    while (rest.p) {
        command c = {.line = line, .rest = bx_script_command(&rest)};
        while (bx_script_next(NULL, &c.rest, &c.name) && is_before(&c.name))
            continue;
        if (is_tool(&c.name, "wrmsr") || is_tool(&c.name, "rdmsr") || is_tool(&c.name, "setpci"))
            return true;
    }
    return false;
}

int bx_log_script(bx_log_reader *r, bx_str line, bx_error *e)
{
    bx_str rest = line;
    int code = BX_OK;
    command c = {.line = line};
    if (r->until.n || r->exited) {
        r->others++;
        if (bx_str_eq(bx_str_trim(line), r->until))
            r->until = (bx_str){0};
        return BX_OK;
    }
    while (!code && rest.p) {
        c.rest = bx_script_command(&rest);
        code = one_command(r, &c, e);
        /* "A || B": whether B runs depends on A. "A && B": A is taken to succeed, unless it is a
         * test. */
        bool twice = rest.p && rest.p - line.p > 1 && rest.p[-1] == rest.p[-2];
        c.conditional =
            twice && (rest.p[-1] == '|' || (rest.p[-1] == '&' && (c.tests || c.conditional)));
        c.tests = false;
    }
    return code;
}
