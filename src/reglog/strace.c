/* Reads strace's lines of device files: /dev/cpu/N/msr, /proc/bus/pci/BB/DD.F and the file `config`
 * of a PCI device in /sys. "pwrite64(3, "4\210@\0\0\0\0\0", 8, 1792) = 8". */
#include "reglog/foreign_internal.h"

#include <string.h>

/* A call: its name, what is between its parentheses, and the words after " = ". */
typedef struct call {
    bx_str line, name, arguments, result;
} call;

enum { MOST_BYTES = 8 };

/* ---- the parts of a line ---- */

static bool is_name(char c)
{
    return bx_is_letter(c) || bx_is_digit(c);
}

/* The name before the first parenthesis, after process and time. */
static bool begin_of(bx_str line, call *c)
{
    ptrdiff_t paren = bx_str_find(line, '(', 0);
    size_t from = paren < 0 ? 0 : (size_t)paren;
    while (from > 0 && is_name(line.p[from - 1]))
        from--;
    c->line = line;
    c->name = bx_str_sub(line, from, paren < 0 ? 0 : (size_t)paren - from);
    return c->name.n > 0;
}

/* The length of the quoted text at the begin of s, with its quotes; 0: none. */
static size_t quoted(bx_str s)
{
    for (size_t i = 1; s.n && s.p[0] == '"' && i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == '"')
            return i + 1;
    }
    return 0;
}

/* Finds the closing parenthesis and the result. false: the line has no end of the call. */
static bool split(bx_str line, call *c)
{
    if (!begin_of(line, c))
        return false;
    size_t from = (size_t)(c->name.p - line.p) + c->name.n + 1;
    for (size_t i = from; i < line.n; i++) {
        size_t text = quoted(bx_str_sub(line, i, line.n));
        i += text ? text - 1 : 0;
        if (line.p[i] != ')')
            continue;
        bx_str rest = bx_str_trim(bx_str_sub(line, i + 1, line.n));
        if (!rest.n || rest.p[0] != '=')
            continue;
        c->arguments = bx_str_sub(line, from, i - from);
        c->result = bx_str_trim(bx_str_sub(rest, 1, rest.n));
        return true;
    }
    return false;
}

/* Cuts the next argument: up to a comma outside of quotes. */
static bx_str argument(bx_str *rest)
{
    size_t i = 0;
    for (; i < rest->n && rest->p[i] != ','; i++) {
        size_t text = quoted(bx_str_sub(*rest, i, rest->n));
        i += text ? text - 1 : 0;
    }
    bx_str word = bx_str_trim(bx_str_sub(*rest, 0, i));
    *rest = bx_str_sub(*rest, i + 1, rest->n);
    return word;
}

/* The value of "\x34" or "\377" after the backslash at s[*i]; moves *i to its last character. */
static unsigned escaped(bx_str s, size_t *i)
{
    static const char letters[] = "n\nt\tr\rf\fv\va\ab\b";
    unsigned value = 0, digits = 0;
    char c = s.p[*i];
    if (c == 'x') {
        for (; digits < 2 && *i + 1 < s.n && bx_digit_value(s.p[*i + 1]) < 16; digits++)
            value = value * 16 + bx_digit_value(s.p[++*i]);
        return value;
    }
    for (; digits < 3 && *i < s.n && bx_digit_value(s.p[*i]) < 8; digits++)
        value = value * 8 + bx_digit_value(s.p[(*i)++]);
    if (digits) {
        --*i;
        return value & 0xff;
    }
    for (size_t k = 0; k + 1 < sizeof letters; k += 2)
        if (letters[k] == c)
            return (unsigned char)letters[k + 1];
    return (unsigned char)c;
}

/* Reads a quoted text as a number, its first byte lowest. Returns the number of bytes; MOST_BYTES +
 * 1: too many, or no such text. */
static unsigned bytes_of(bx_str text, uint64_t *value)
{
    unsigned n = 0;
    *value = 0;
    if (quoted(text) != text.n || !text.n)
        return MOST_BYTES + 1;
    for (size_t i = 1; i + 1 < text.n && n <= MOST_BYTES; i++) {
        unsigned byte = (unsigned char)text.p[i];
        if (text.p[i] == '\\' && i + 2 < text.n) {
            i++;
            byte = escaped(text, &i);
        }
        if (n < MOST_BYTES)
            *value |= (uint64_t)byte << 8 * n;
        n++;
    }
    return n;
}

/* ---- device files ---- */

static bool take_prefix(bx_str *s, const char *prefix)
{
    bx_str p = bx_str_of(prefix);
    if (!bx_str_starts_fold(*s, p))
        return false;
    *s = bx_str_sub(*s, p.n, s->n);
    return true;
}

/* "/proc/bus/pci/00/00.0" or "/sys/bus/pci/devices/0000:00:00.0/config" */
static bool pci_of(bx_str path, bx_address *at)
{
    char word[16];
    if (take_prefix(&path, "/proc/bus/pci/") && path.n == 7 && path.p[2] == '/') {
        memcpy(word, path.p, 7);
        word[2] = ':';
        return bx_pci_bdf_parse((bx_str){word, 7}, &at->offset);
    }
    ptrdiff_t slash = bx_str_find(path, '/', 0);
    return take_prefix(&path, "/sys/bus/pci/devices/0000:") &&
           (slash = bx_str_find(path, '/', 0)) > 0 &&
           bx_str_eq(bx_str_sub(path, (size_t)slash, path.n), BX_STR("/config")) &&
           bx_pci_bdf_parse(bx_str_sub(path, 0, (size_t)slash), &at->offset);
}

static bool device_of(bx_str path, bx_address *at)
{
    uint64_t cpu;
    bx_str rest = path;
    *at = (bx_address){.space = BX_SPACE_PCI};
    if (pci_of(path, at))
        return true;
    *at = (bx_address){.space = BX_SPACE_MSR, .width = 64};
    if (!take_prefix(&rest, "/dev/cpu/"))
        return false;
    bx_str number = bx_str_cut(&rest, '/');
    bool fits = bx_str_eq(rest, BX_STR("msr")) && bx_str_u64(number, &cpu) && cpu <= UINT16_MAX;
    at->cpu = fits ? (uint16_t)cpu : 0;
    return fits;
}

static bx_log_file *file_of(bx_log_reader *r, uint64_t fd)
{
    for (unsigned i = 0; i < r->files; i++)
        if (r->file[i].fd == fd)
            return &r->file[i];
    return NULL;
}

static void forget(bx_log_reader *r, uint64_t fd)
{
    bx_log_file *f = file_of(r, fd);
    if (f)
        *f = r->file[--r->files];
}

/* The descriptor at the begin of a word: "3" or "3</dev/cpu/0/msr>". */
static bool descriptor(bx_str word, uint64_t *fd, bx_str *path)
{
    ptrdiff_t open = bx_str_find(word, '<', 0);
    bool shown = open > 0 && word.p[word.n - 1] == '>';
    *path = shown ? bx_str_sub(word, (size_t)open + 1, word.n - (size_t)open - 2) : (bx_str){0};
    return bx_str_u64(shown ? bx_str_sub(word, 0, (size_t)open) : word, fd);
}

static void note_open(bx_log_reader *r, const call *c)
{
    bx_str rest = c->arguments, result = c->result, unused;
    bx_str path = argument(&rest);
    uint64_t fd;
    bx_address at;
    if (bx_str_starts_fold(c->name, BX_STR("openat")))
        path = argument(&rest);
    if (!descriptor(bx_log_word(&result), &fd, &unused))
        return;
    forget(r, fd);
    bool known = quoted(path) == path.n && path.n > 2 &&
                 device_of(bx_str_sub(path, 1, path.n - 2), &at) && r->files < BX_LOG_FILES;
    if (known)
        r->file[r->files++] = (bx_log_file){.fd = fd, .at = at};
}

/* ---- accesses ---- */

/* The outcome of a call: the number of bytes, or an errno. false: neither. */
static bool outcome(const call *c, uint64_t *bytes, int *err)
{
    bx_str rest = c->result;
    bx_str word = bx_log_word(&rest);
    *err = 0;
    if (bx_str_u64(word, bytes))
        return true;
    bx_str name = bx_log_word(&rest);
    *err = bx_reglog_find_errno(bx_str_eq(name, BX_STR("EIO")) ? BX_STR("fault") : name);
    *bytes = 0;
    return bx_str_eq(word, BX_STR("-1")) && *err;
}

static int access_of(bx_log_reader *r, const call *c, const bx_log_file *f, bx_str rest,
                     uint64_t offset, bx_error *e)
{
    static const char hint[] = "pwrite64(3, \"4\\210@\\0\\0\\0\\0\\0\", 8, 1792) = 8";
    bx_str text = argument(&rest), size_word = argument(&rest);
    bx_log_access a = {
        .access = {.at = f->at, .write = c->name.p[0] == 'w' || c->name.p[1] == 'w'}};
    uint64_t size, done;
    if (!bx_str_u64(size_word, &size) || size == 0 || size > MOST_BYTES || (size & (size - 1)))
        return bx_log_refuse(c->line, size_word, e, "a register has 1, 2, 4 or 8 bytes", hint);
    if (!outcome(c, &done, &a.access.err))
        return bx_log_refuse(c->line, c->result, e, "this is no result of the call", hint);
    if (!a.access.err && done != size) { /* only a part of the register */
        r->untold++;
        return BX_OK;
    }
    a.access.faulted = a.access.err != 0;
    bool shown = a.access.write || !a.access.faulted;
    if (shown && bytes_of(text, &a.access.value) != size)
        return bx_log_refuse(c->line, text, e, "these are not the bytes of a register", hint);
    uint64_t most = f->at.space == BX_SPACE_PCI ? 0xfff : UINT32_MAX;
    if (offset > most)
        return bx_log_refuse(c->line, c->arguments, e, "this is no address of a register", hint);
    a.access.at.offset |= offset;
    a.access.at.width = (uint8_t)(8 * size);
    bx_log_add(r, &a);
    return BX_OK;
}

/* Reads pread64(), pwrite64(), read() or write(). */
static int transfer(bx_log_reader *r, const call *c, bool positioned, bx_error *e)
{
    bx_str rest = c->arguments, path;
    uint64_t fd, offset = 0;
    bool known = descriptor(argument(&rest), &fd, &path);
    bx_log_file shown = {.fd = fd}, *f = known ? file_of(r, fd) : NULL;
    if (known && path.n && device_of(path, &shown.at) && !f)
        f = &shown;
    bx_str last = rest;
    if (!f) { /* an open that the log does not show, or another file */
        (void)argument(&last);
        bool hidden = known && positioned && !path.n && bx_str_eq(argument(&last), BX_STR("8"));
        r->untold += hidden;
        r->others += !hidden;
        return BX_OK;
    }
    (void)argument(&last);
    (void)argument(&last);
    if (positioned && !bx_str_u64(argument(&last), &offset))
        return bx_log_refuse(c->line, last.n ? last : c->arguments, e, "the call has no offset",
                             "strace prints offsets in decimal or with 0x");
    return access_of(r, c, f, rest, positioned ? offset : f->position, e);
}

static void seek(bx_log_reader *r, const call *c)
{
    bx_str rest = c->result, arguments = c->arguments, path;
    uint64_t fd, position;
    bx_log_file *f = descriptor(argument(&arguments), &fd, &path) ? file_of(r, fd) : NULL;
    if (f && bx_str_u64(bx_log_word(&rest), &position))
        f->position = position;
    else
        r->others++;
}

static bool is_one_of(bx_str name, const char *const *names)
{
    for (; *names; names++)
        if (bx_str_eq(name, bx_str_of(*names)))
            return true;
    return false;
}

static const char *const opens[] = {"open", "openat", "openat2", NULL};
static const char *const positioned[] = {"pread64", "pwrite64", "pread", "pwrite", NULL};
static const char *const plain[] = {"read", "write", NULL};

bool bx_log_is_strace(bx_str line)
{
    call c;
    bx_str path, rest;
    uint64_t fd;
    bx_address at;
    if (!split(line, &c))
        return false;
    rest = c.arguments;
    if (is_one_of(c.name, opens))
        return bx_log_behind(rest, 0, "\"/dev/cpu/") >= 0 || bx_log_behind(rest, 0, "/pci/") >= 0;
    return bx_str_eq(c.name, BX_STR("perf_event_open")) || is_one_of(c.name, positioned) ||
           (is_one_of(c.name, plain) && descriptor(argument(&rest), &fd, &path) && path.n &&
            device_of(path, &at));
}

int bx_log_strace(bx_log_reader *r, bx_str line, bx_error *e)
{
    call c;
    if (!split(line, &c)) {
        bool cut = begin_of(line, &c) && bx_log_behind(line, 0, "<unfinished") >= 0 &&
                   (is_one_of(c.name, positioned) || is_one_of(c.name, plain));
        r->untold += cut;
        r->others += !cut;
    } else if (is_one_of(c.name, positioned) || is_one_of(c.name, plain)) {
        return transfer(r, &c, is_one_of(c.name, positioned), e);
    } else if (is_one_of(c.name, opens)) {
        note_open(r, &c);
    } else if (bx_str_eq(c.name, BX_STR("lseek"))) {
        seek(r, &c);
    } else if (bx_str_eq(c.name, BX_STR("close"))) {
        bx_str rest = c.arguments, path;
        uint64_t fd;
        if (descriptor(argument(&rest), &fd, &path))
            forget(r, fd);
    } else if (bx_str_eq(c.name, BX_STR("perf_event_open"))) {
        r->kernel_calls++;
    } else {
        r->others++;
    }
    return BX_OK;
}
