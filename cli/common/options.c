/* Parses a command line by a command's table of options. */
#include "cli/common/options.h"

#include "event/hint.h"
#include "measure/window.h"

#include "base/nearest.h"

#include <string.h>

static const bx_option help_option = {
    .name = "help", .letter = 'h', .kind = BX_OPTION_FLAG, .help = "show this help"};

const bx_option *bx_command_option(const bx_command *command, size_t i)
{
    if (i < command->options_n)
        return &command->options[i];
    return i == command->options_n ? &help_option : NULL;
}

/* The state of parsing a command line. */
struct walk {
    const bx_command *command;
    char *const *next; /* next argument */
    char *values;
    bx_arguments *arguments;
    bx_arena *arena;
    size_t words; /* most texts of a list */
    bx_error *e;
};

static const bx_option *find_long(const bx_command *command, bx_str name)
{
    const bx_option *o;
    for (size_t i = 0; (o = bx_command_option(command, i)); i++)
        if (bx_str_eq(bx_str_of(o->name), name) ||
            (o->old_name && bx_str_eq(bx_str_of(o->old_name), name)))
            return o;
    return NULL;
}

static const bx_option *find_letter(const bx_command *command, char letter)
{
    const bx_option *o;
    for (size_t i = 0; (o = bx_command_option(command, i)); i++)
        if (o->letter == letter)
            return o;
    return NULL;
}

/* The replacement for another tool's option; NULL: no tool has this option. */
static const char *habit(const bx_command *command, bx_str name, char letter)
{
    for (const bx_habit *h = command->habits; h && h->hint; h++)
        if (letter ? h->letter == letter : *h->name && bx_str_eq(bx_str_of(h->name), name))
            return h->hint;
    return NULL;
}

static int unknown_long(const struct walk *w, bx_str name)
{
    bx_nearest nearest = bx_nearest_to(name);
    const bx_option *o;
    for (size_t i = 0; (o = bx_command_option(w->command, i)); i++)
        bx_nearest_offer(&nearest, o->name);
    const char *instead = habit(w->command, name, 0);
    bx_fail(w->e, BX_BAD_INPUT, 0, 0, "'%s' has no option '--%s'", w->command->name,
            bx_quote(name).text);
    if (instead)
        bx_hint(w->e, "%s", instead);
    else if (nearest.name[0])
        bx_hint(w->e, BX_DID_YOU_MEAN_NAME("--%s"), nearest.name);
    else
        bx_hint(w->e, "boxscore %s --help", w->command->name);
    return BX_BAD_INPUT;
}

static int unknown_letter(const struct walk *w, char letter)
{
    bx_fail(w->e, BX_BAD_INPUT, 0, 0, "'%s' has no option '-%s'", w->command->name,
            bx_quote((bx_str){&letter, 1}).text);
    const char *instead = habit(w->command, (bx_str){0}, letter);
    if (instead)
        bx_hint(w->e, "%s", instead);
    else
        bx_hint(w->e, "boxscore %s --help", w->command->name);
    return BX_BAD_INPUT;
}

static bool choice_of(bx_str words, bx_str wanted, unsigned *index)
{
    for (unsigned i = 0; words.p; i++) {
        if (bx_str_eq(bx_str_cut(&words, '|'), wanted)) {
            *index = i;
            return true;
        }
    }
    return false;
}

/* Sets the hint for a text that is no time, or a time out of range. */
static void bad_time(const struct walk *w, const bx_option *o, const char *text)
{
    uint64_t ns;
    if (bx_time_read(bx_str_of(text), &ns) && ns < o->lo)
        bx_hint(w->e, "%llu ns or more", (unsigned long long)o->lo);
    else if (bx_time_read(bx_str_of(text), &ns) && o->hi)
        bx_hint(w->e, "%llu s or less", (unsigned long long)(o->hi / 1000000000));
    else
        bx_hint(w->e, "whole milliseconds, or a whole number with ns, us, ms or s: 500us");
}

static int bad_value(const struct walk *w, const bx_option *o, const char *text)
{
    bx_fail(w->e, BX_BAD_INPUT, 0, 0, "option '--%s' cannot be '%s'", o->name,
            bx_quote(bx_str_of(text)).text);
    switch (o->kind) {
    case BX_OPTION_NUMBER:
    case BX_OPTION_SIZE:
        if (o->hi)
            bx_hint(w->e, "a number from %llu to %llu", (unsigned long long)o->lo,
                    (unsigned long long)o->hi);
        else if (o->kind == BX_OPTION_NUMBER)
            bx_hint(w->e, "a number, decimal or 0x…");
        else if (!bx_hint_at_size(w->e, bx_str_of(text)))
            bx_hint(w->e, "a number, or one with K, M or G: 64K");
        break;
    case BX_OPTION_TIME:
        bad_time(w, o, text);
        break;
    default:
        bx_hint(w->e, "one of: %s", o->metavar);
        break;
    }
    return BX_BAD_INPUT;
}

static int add_text(const struct walk *w, bx_texts *texts, char *text)
{
    if (!texts->text) {
        texts->text = bx_arena_get(w->arena, (w->words + 1) * sizeof *texts->text);
        if (!texts->text)
            return bx_out_of_memory(w->e);
    }
    texts->text[texts->n++] = text;
    return BX_OK;
}

static int store(const struct walk *w, const bx_option *o, char *text)
{
    void *member = w->values + o->offset;
    uint64_t *number = member;
    bx_str s = bx_str_of(text);
    bool good = true;
    switch (o->kind) {
    case BX_OPTION_FLAG:
        *(bool *)member = true;
        break;
    case BX_OPTION_COUNT:
        ++*(unsigned *)member;
        break;
    case BX_OPTION_TEXT:
        *(const char **)member = text;
        break;
    case BX_OPTION_TEXTS:
        return add_text(w, member, text);
    case BX_OPTION_NUMBER:
        good = bx_str_u64(s, number);
        break;
    case BX_OPTION_SIZE:
        good = bx_str_size(s, number);
        break;
    case BX_OPTION_TIME:
        good = bx_time_read(s, number);
        break;
    case BX_OPTION_CHOICE:
        good = choice_of(bx_str_of(o->metavar), s, member);
        break;
    default:
        good = false;
        break;
    }
    if (good && o->hi)
        good = o->lo <= *number && *number <= o->hi;
    return good ? BX_OK : bad_value(w, o, text);
}

/* Whether an argument is an option of the command. Then it cannot be the value of the option before
 * it. */
static bool is_option(const bx_command *command, const char *argument)
{
    bx_str name = bx_str_of(argument);
    if (name.n == 2 && argument[0] == '-' && argument[1] != '-')
        return find_letter(command, argument[1]);
    if (!bx_str_starts_fold(name, BX_STR("--")))
        return false;
    name = bx_str_sub(name, 2, name.n);
    return find_long(command, bx_str_cut(&name, '='));
}

static int no_value(const struct walk *w, const bx_option *o)
{
    if (*w->next)
        bx_fail(w->e, BX_BAD_INPUT, 0, 0,
                "option '--%s' has no value: the next word, '%s', is an option", o->name,
                bx_quote(bx_str_of(*w->next)).text);
    else
        bx_fail(w->e, BX_BAD_INPUT, 0, 0, "option '--%s' has no value", o->name);
    bx_hint(w->e, "--%s %s: %s", o->name, o->metavar, o->help);
    return BX_BAD_INPUT;
}

/* Stores an option's value: `attached`, or if that is NULL the next argument. */
static int take_option(struct walk *w, const bx_option *o, char *attached)
{
    if (!attached && *w->next && !is_option(w->command, *w->next))
        attached = *w->next;
    if (!attached)
        return no_value(w, o);
    if (attached == *w->next)
        w->next++;
    return store(w, o, attached);
}

static int flag(struct walk *w, const bx_option *o)
{
    if (o == &help_option) {
        w->arguments->help = true;
        return BX_OK;
    }
    return store(w, o, NULL);
}

/* "--name", "--name=value" or "--name value" */
static int long_option(struct walk *w, char *argument)
{
    bx_str rest = bx_str_of(argument + 2);
    bx_str name = bx_str_cut(&rest, '=');
    const bx_option *o = find_long(w->command, name);
    if (!o)
        return unknown_long(w, name);
    if (!bx_option_takes_nothing(o->kind))
        return take_option(w, o, rest.p ? argument + 2 + name.n + 1 : NULL);
    if (rest.p)
        return bx_fail(w->e, BX_BAD_INPUT, 0, 0, "option '--%s' takes no value", o->name);
    return flag(w, o);
}

/* "-x=value" is an error: only long names take "=value". */
static int equals_sign(const struct walk *w, const bx_option *o, const char *value)
{
    bx_fail(w->e, BX_BAD_INPUT, 0, 0, "option '-%c' takes its value without '='", o->letter);
    bx_hint(w->e, "-%c %s, or --%s=%s", o->letter, bx_quote(bx_str_of(value)).text, o->name,
            bx_quote(bx_str_of(value)).text);
    return BX_BAD_INPUT;
}

/* "-x", "-xvalue", "-x value", or several flags at once */
static int short_options(struct walk *w, char *argument)
{
    for (char *letter = argument + 1; *letter && !w->arguments->help; letter++) {
        const bx_option *o = find_letter(w->command, *letter);
        if (!o)
            return unknown_letter(w, *letter);
        if (!bx_option_takes_nothing(o->kind) && letter[1] == '=' && letter[2])
            return equals_sign(w, o, letter + 2);
        if (!bx_option_takes_nothing(o->kind))
            return take_option(w, o, letter[1] ? letter + 1 : NULL);
        int code = flag(w, o);
        if (code)
            return code;
    }
    return BX_OK;
}

static int operands_fit(const struct walk *w)
{
    const bx_command *command = w->command;
    size_t n = w->arguments->operands.n;
    if (n >= command->operands_least && n <= command->operands_most)
        return BX_OK;
    if (n < command->operands_least && command->operands_least > 1)
        bx_fail(w->e, BX_BAD_INPUT, 0, 0, "'%s' needs %zu operands", command->name,
                command->operands_least);
    else if (n < command->operands_least)
        bx_fail(w->e, BX_BAD_INPUT, 0, 0, "'%s' needs an operand", command->name);
    else
        bx_fail(w->e, BX_BAD_INPUT, 0, 0, "'%s' does not take '%s'", command->name,
                bx_quote(bx_str_of(w->arguments->operands.text[command->operands_most])).text);
    bx_hint(w->e, "boxscore %s [OPTION...]%s%s", command->name, command->operands[0] ? " " : "",
            command->operands);
    return BX_BAD_INPUT;
}

/* ---- options that do not go together ---- */

const bx_option *bx_exclusion_option(const bx_command *command, bx_str word, bx_str *rest)
{
    size_t n = 0;
    while (n < word.n && word.p[n] != '=' && word.p[n] != '+')
        n++;
    *rest = bx_str_sub(word, n, word.n);
    return find_long(command, bx_str_sub(word, 0, n));
}

static bool has_text(const char *text, bx_str rest)
{
    return text && (!rest.n || bx_str_eq(bx_str_of(text), bx_str_sub(rest, 1, rest.n)));
}

static bool texts_match(const bx_texts *texts, bx_str rest)
{
    bool any = false;
    if (!rest.n || rest.p[0] == '+')
        return texts->n > rest.n;
    for (size_t i = 0; i < texts->n; i++)
        any |= has_text(texts->text[i], rest);
    return any;
}

static bool word_applies(const struct walk *w, bx_str word)
{
    unsigned index;
    bx_str rest;
    const bx_option *o = bx_exclusion_option(w->command, word, &rest);
    if (!o)
        return w->arguments->operands.n;
    const void *member = w->values + o->offset;
    const void *preset = (const char *)w->command->defaults + o->offset;
    switch (o->kind) {
    case BX_OPTION_FLAG:
        return *(const bool *)member;
    case BX_OPTION_COUNT:
        return *(const unsigned *)member;
    case BX_OPTION_TEXT:
        return has_text(*(char *const *)member, rest);
    case BX_OPTION_TEXTS:
        return texts_match(member, rest);
    case BX_OPTION_CHOICE:
        if (rest.n && choice_of(bx_str_of(o->metavar), bx_str_sub(rest, 1, rest.n), &index))
            return *(const unsigned *)member == index;
        return *(const unsigned *)member != *(const unsigned *)preset;
    default:
        return *(const uint64_t *)member != *(const uint64_t *)preset;
    }
}

static bool any_applies(const struct walk *w, const char *words)
{
    bool any = false;
    for (bx_str rest = bx_str_of(words); rest.p && !any;)
        any = word_applies(w, bx_str_cut(&rest, ' '));
    return any;
}

static int options_fit(const struct walk *w)
{
    for (const bx_exclusion *x = w->command->exclusions; x && x->why; x++) {
        if ((*x->these && !any_applies(w, x->these)) || (x->with && !any_applies(w, x->with)) ||
            (x->without && any_applies(w, x->without)))
            continue;
        bx_fail(w->e, BX_BAD_INPUT, 0, 0, "%s", x->why);
        bx_hint(w->e, "%s", x->hint);
        return BX_BAD_INPUT;
    }
    return BX_OK;
}

int bx_options_parse(const bx_command *command, char *const argv[], void *values,
                     bx_arguments *arguments, bx_arena *arena, bx_error *e)
{
    struct walk w = {command, argv, values, arguments, arena, 0, e};
    while (argv[w.words])
        w.words++;
    if (command->values_size && command->defaults)
        memcpy(values, command->defaults, command->values_size);
    *arguments = (bx_arguments){0};

    int code = BX_OK;
    bool options = true;
    while (!code && !arguments->help && *w.next) {
        char *argument = *w.next++;
        if (options && strcmp(argument, "--") == 0) {
            options = false;
            arguments->operands.apart = arguments->operands.n == 0;
        } else if (options && argument[0] == '-' && argument[1] == '-') {
            code = long_option(&w, argument);
        } else if (options && argument[0] == '-' && argument[1]) {
            code = short_options(&w, argument);
        } else {
            options = options && !command->stops;
            code = add_text(&w, &arguments->operands, argument);
        }
    }
    if (code || arguments->help)
        return code;
    code = operands_fit(&w);
    return code ? code : options_fit(&w);
}
