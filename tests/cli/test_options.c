/* The option parser with a table of its own: every kind of option, every form of a value, every
 * mistake. */
#include "../cmocked.h"

#include "cli/commands/commands.h"
#include "cli/common/options.h"

#include "base/nearest.h"

#include <string.h>

typedef struct values {
    bool flag, other;
    const char *text;
    bx_texts texts;
    uint64_t number, size, time;
    unsigned choice;
} values;

static const values defaults = {.number = 7, .choice = 1};

static const bx_option table[] = {
    {.name = "flag", .letter = 'f', .kind = BX_OPTION_FLAG, .offset = offsetof(values, flag)},
    {.name = "other", .letter = 'o', .kind = BX_OPTION_FLAG, .offset = offsetof(values, other)},
    {.name = "text",
     .letter = 'x',
     .kind = BX_OPTION_TEXT,
     .metavar = "TEXT",
     .help = "any text",
     .offset = offsetof(values, text)},
    {.name = "event",
     .letter = 'e',
     .kind = BX_OPTION_TEXTS,
     .metavar = "EVENTS",
     .offset = offsetof(values, texts)},
    {.name = "number",
     .letter = 'n',
     .kind = BX_OPTION_NUMBER,
     .metavar = "N",
     .help = "how many",
     .lo = 2,
     .hi = 100,
     .offset = offsetof(values, number)},
    {.name = "size", .kind = BX_OPTION_SIZE, .metavar = "SIZE", .offset = offsetof(values, size)},
    {.name = "time",
     .letter = 'I',
     .kind = BX_OPTION_TIME,
     .metavar = "TIME",
     .offset = offsetof(values, time)},
    {.name = "choice",
     .kind = BX_OPTION_CHOICE,
     .metavar = "one|two|three",
     .offset = offsetof(values, choice)},
};

static const bx_habit habits[] = {
    {"all", 'a', "do without"}, {"", 'g', "leave it out"}, {"nunbers", 0, "-n"}, {.hint = NULL}};

static const bx_exclusion exclusions[] = {
    {"flag", "other", NULL, "a flag and another one", "give one of them"},
    {"event+", NULL, NULL, "two lists", "join them"},
    {"text=", NULL, NULL, "no text", "some"},
    {"choice=three", "number time", "size PROGRAM", "three needs a size", "--size"},
    {.why = NULL},
};

static const bx_command command = {
    .name = "thing",
    .operands = "[WORD...]",
    .options = table,
    .options_n = sizeof table / sizeof table[0],
    .habits = habits,
    .operands_most = 3,
    .defaults = &defaults,
    .values_size = sizeof(values),
};

typedef struct parsed {
    int code;
    values v;
    bx_arguments a;
    bx_error e;
    bx_arena arena;
} parsed;

static parsed parse_by(const bx_command *c, const char *const words[])
{
    parsed p = {0};
    p.code = bx_options_parse(c, (char *const *)(uintptr_t)words, &p.v, &p.a, &p.arena, &p.e);
    return p;
}

#define PARSE(...) parse_by(&command, (const char *const[]){__VA_ARGS__, NULL})

static void done(parsed *p)
{
    bx_arena_free(&p->arena);
}

static void defaults_hold(void **state)
{
    (void)state;
    parsed p = parse_by(&command, (const char *const[]){NULL});
    assert_int_equal(p.code, BX_OK);
    assert_int_equal(p.v.number, 7);
    assert_int_equal(p.v.choice, 1);
    assert_false(p.v.flag);
    assert_null(p.v.text);
    assert_int_equal(p.a.operands.n, 0);
    assert_false(p.a.help);
    done(&p);
}

static void every_way_of_writing(void **state)
{
    (void)state;
    parsed p = PARSE("--flag", "--text=a=b", "-n", "0x10", "--size", "64K", "--choice", "three");
    assert_int_equal(p.code, BX_OK);
    assert_true(p.v.flag);
    assert_string_equal(p.v.text, "a=b");
    assert_int_equal(p.v.number, 16);
    assert_int_equal(p.v.size, 65536);
    assert_int_equal(p.v.choice, 2);
    done(&p);

    p = PARSE("-fo", "-x,", "-n12", "--number=3", "--text=");
    assert_int_equal(p.code, BX_OK);
    assert_true(p.v.flag && p.v.other);
    assert_string_equal(p.v.text, "");
    assert_int_equal(p.v.number, 3);
    done(&p);

    p = PARSE("-x,", "-fx", "-");
    assert_int_equal(p.code, BX_OK);
    assert_string_equal(p.v.text, "-");
    done(&p);
}

static void times_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {{"100", 100000000},
                 {"100ms", 100000000},
                 {"250us", 250000},
                 {"7ns", 7},
                 {"2s", 2000000000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        parsed p = PARSE("-I", cases[i].text);
        assert_int_equal(p.code, BX_OK);
        assert_int_equal(p.v.time, cases[i].ns);
        done(&p);
    }
}

static void texts_add_up(void **state)
{
    (void)state;
    parsed p = PARSE("-ea", "-e", "b", "x", "--event=c", "y");
    assert_int_equal(p.code, BX_OK);
    assert_int_equal(p.v.texts.n, 3);
    assert_string_equal(p.v.texts.text[0], "a");
    assert_string_equal(p.v.texts.text[1], "b");
    assert_string_equal(p.v.texts.text[2], "c");
    assert_int_equal(p.a.operands.n, 2);
    assert_string_equal(p.a.operands.text[0], "x");
    assert_string_equal(p.a.operands.text[1], "y");
    assert_null(p.a.operands.text[2]);
    done(&p);
}

static void where_options_end(void **state)
{
    (void)state;
    parsed p = PARSE("-f", "--", "--other", "-");
    assert_int_equal(p.code, BX_OK);
    assert_true(p.v.flag);
    assert_false(p.v.other);
    assert_int_equal(p.a.operands.n, 2);
    assert_string_equal(p.a.operands.text[0], "--other");
    done(&p);

    bx_command stops = command;
    stops.stops = true;
    p = parse_by(&stops, (const char *const[]){"-f", "prog", "-o", "--", NULL});
    assert_int_equal(p.code, BX_OK);
    assert_true(p.v.flag);
    assert_false(p.v.other);
    assert_int_equal(p.a.operands.n, 3);
    assert_string_equal(p.a.operands.text[1], "-o");
    assert_string_equal(p.a.operands.text[2], "--");
    done(&p);

    p = parse_by(&stops, (const char *const[]){"--", "-prog", NULL});
    assert_int_equal(p.code, BX_OK);
    assert_string_equal(p.a.operands.text[0], "-prog");
    done(&p);
}

static void help_ends_it(void **state)
{
    (void)state;
    parsed p = PARSE("--help", "--nonsense");
    assert_int_equal(p.code, BX_OK);
    assert_true(p.a.help);
    done(&p);
    p = PARSE("-fhz");
    assert_int_equal(p.code, BX_OK);
    assert_true(p.a.help);
    done(&p);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *words[5];
        const char *message, *hint;
    } cases[] = {
        {{"--nunber", "3"}, "'thing' has no option '--nunber'", BX_DID_YOU_MEAN_NAME("--number")},
        {{"--zzzzzzzz"}, "'thing' has no option '--zzzzzzzz'", "boxscore thing --help"},
        {{"-fz"}, "'thing' has no option '-z'", "boxscore thing --help"},
        {{"-a"}, "'thing' has no option '-a'", "do without"},
        {{"--all=3"}, "'thing' has no option '--all'", "do without"},
        {{"-g"}, "'thing' has no option '-g'", "leave it out"},
        {{"--nunbers"}, "'thing' has no option '--nunbers'", "-n"},
        {{"--flag=1"}, "option '--flag' takes no value", ""},
        {{"--text"}, "option '--text' has no value", "--text TEXT: any text"},
        {{"-n"}, "option '--number' has no value", "--number N: how many"},
        {{"-n", "--flag"},
         "option '--number' has no value: the next word, '--flag', is an option",
         "--number N: how many"},
        {{"-x", "-n"},
         "option '--text' has no value: the next word, '-n', is an option",
         "--text TEXT: any text"},
        {{"--text", "--size=3"},
         "option '--text' has no value: the next word, '--size=3', is an option",
         "--text TEXT: any text"},
        {{"-n=7"}, "option '-n' takes its value without '='", "-n 7, or --number=7"},
        {{"-fx=a b"}, "option '-x' takes its value without '='", "-x a b, or --text=a b"},
        {{"--size", "8MB"},
         "option '--size' cannot be '8MB'",
         "write 8M for powers of 1024: with a B some mean powers of 1000"},
        {{"-n", "1"}, "option '--number' cannot be '1'", "a number from 2 to 100"},
        {{"-n", "101"}, "option '--number' cannot be '101'", "a number from 2 to 100"},
        {{"-n", "-3"}, "option '--number' cannot be '-3'", "a number from 2 to 100"},
        {{"--size", "3Q"},
         "option '--size' cannot be '3Q'",
         "a number, or one with K, M or G: 64K"},
        {{"-I", "3 weeks"},
         "option '--time' cannot be '3 weeks'",
         "whole milliseconds, or a whole number with ns, us, ms or s: 500us"},
        {{"-I", "0.5"},
         "option '--time' cannot be '0.5'",
         "whole milliseconds, or a whole number with ns, us, ms or s: 500us"},
        {{"-I", "99999999999999s"},
         "option '--time' cannot be '99999999999999s'",
         "whole milliseconds, or a whole number with ns, us, ms or s: 500us"},
        {{"--choice", "four"}, "option '--choice' cannot be 'four'", "one of: one|two|three"},
        {{"--choice", "one|two"}, "option '--choice' cannot be 'one|two'", "one of: one|two|three"},
        {{"a", "b", "c", "d"}, "'thing' does not take 'd'", "boxscore thing [OPTION...] [WORD...]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        parsed p = parse_by(&command, cases[i].words);
        assert_int_equal(p.code, BX_BAD_INPUT);
        assert_string_equal(p.e.message, cases[i].message);
        assert_string_equal(p.e.hint, cases[i].hint);
        done(&p);
    }
}

/* The defaults count as not given. */
static void options_that_do_not_go_together(void **state)
{
    (void)state;
    static const struct {
        const char *words[8];
        const char *message; /* NULL: they are fine */
    } cases[] = {
        {{"-f"}, NULL},
        {{"-f", "-o"}, "a flag and another one"},
        {{"-e", "a"}, NULL},
        {{"-e", "a", "-e", "b"}, "two lists"},
        {{"-x", "", "-f", "-o"}, "a flag and another one"}, /* the first that applies */
        {{"--text="}, "no text"},
        {{"--text=a"}, NULL},
        {{"--choice=three"}, NULL},
        {{"--choice=three", "-n", "7"}, NULL},
        {{"--choice=two", "-n", "8"}, NULL},
        {{"--choice=three", "-n", "8"}, "three needs a size"},
        {{"--choice=three", "-I", "1s"}, "three needs a size"},
        {{"--choice=three", "-n", "8", "--size=1K"}, NULL},
        {{"--choice=three", "-n", "8", "a"}, NULL},
        {{"-f", "-o", "--help"}, NULL},
    };
    bx_command strict = command;
    strict.exclusions = exclusions;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        parsed p = parse_by(&strict, cases[i].words);
        assert_int_equal(p.code, cases[i].message ? BX_BAD_INPUT : BX_OK);
        assert_string_equal(p.e.message, cases[i].message ? cases[i].message : "");
        done(&p);
    }
}

static void assert_words(const bx_command *of, const char *words)
{
    for (bx_str left = bx_str_of(words ? words : ""), rest; left.n;) {
        bx_str word = bx_str_cut(&left, ' ');
        const bx_option *o = bx_exclusion_option(of, word, &rest);
        if (!o && !bx_str_eq(word, BX_STR("PROGRAM")))
            fail_msg("%s: an exclusion of '%.*s'", of->name, (int)word.n, word.p);
        bool valued = rest.n && rest.p[0] == '=';
        bool listed = rest.n && rest.p[0] == '+';
        if (o && o->kind == BX_OPTION_CHOICE && valued)
            assert_non_null(strstr(o->metavar, rest.p + 1));
        else if (o)
            assert_true(!rest.n || (valued && o->kind == BX_OPTION_TEXT) ||
                        o->kind == BX_OPTION_TEXTS);
        assert_true(!listed || o->kind == BX_OPTION_TEXTS);
    }
}

static void exclusions_name_options(void **state)
{
    (void)state;
    for (const bx_command *const *of = bx_commands; *of; of++)
        for (const bx_exclusion *x = (*of)->exclusions; x && x->why; x++) {
            assert_words(*of, x->these);
            assert_words(*of, x->with);
            assert_words(*of, x->without);
        }
}

static void operands_can_be_needed(void **state)
{
    (void)state;
    bx_command needs = command;
    needs.operands = "NAME";
    needs.operands_least = needs.operands_most = 1;
    parsed p = parse_by(&needs, (const char *const[]){"-f", NULL});
    assert_int_equal(p.code, BX_BAD_INPUT);
    assert_string_equal(p.e.message, "'thing' needs an operand");
    assert_string_equal(p.e.hint, "boxscore thing [OPTION...] NAME");
    done(&p);
    needs.operands_least = needs.operands_most = 2;
    p = parse_by(&needs, (const char *const[]){"one", NULL});
    assert_string_equal(p.e.message, "'thing' needs 2 operands");
    done(&p);
}

static void help_is_one_of_them(void **state)
{
    (void)state;
    size_t n = sizeof table / sizeof table[0];
    assert_ptr_equal(bx_command_option(&command, 0), &table[0]);
    assert_string_equal(bx_command_option(&command, n)->name, "help");
    assert_null(bx_command_option(&command, n + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_hold),
        cmocka_unit_test(every_way_of_writing),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(texts_add_up),
        cmocka_unit_test(where_options_end),
        cmocka_unit_test(help_ends_it),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(options_that_do_not_go_together),
        cmocka_unit_test(exclusions_name_options),
        cmocka_unit_test(operands_can_be_needed),
        cmocka_unit_test(help_is_one_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
