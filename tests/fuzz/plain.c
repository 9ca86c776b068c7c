/* Runs a fuzz target without libFuzzer: on its corpus, on every beginning of its short inputs, and
 * on mutations of it, always the same ones.
 *
 *   fuzz_NAME CORPUS DICTIONARY ROUNDS     BX_SEED=N chooses other mutations
 *   fuzz_NAME FILE                         one input, such as one that libFuzzer has found
 *
 * An input that ends the program is kept in crash-fuzz_NAME of the working directory. */
#include "corpus.h"
#include "fuzz.h"

#include "../dice.h"
#include "../rounds.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 1 << 18, SHORT = 120 };

static struct {
    corpus seeds, words;
    uint64_t dice;
    unsigned long tried;
    char input[LONGEST];
    size_t n;
    const char *name;
} run;

/* ---- the input that ends the program ---- */

static void keep_input(void)
{
    char path[64];
    snprintf(path, sizeof path, "crash-%.40s", run.name);
    int fd = creat(path, 0644);
    if (fd >= 0 && write(fd, run.input, run.n) == (ssize_t)run.n)
        fprintf(stderr, "%s: input %lu is in %s\n", run.name, run.tried, path);
    close(fd);
}

static void on_abort(int number)
{
    keep_input();
    signal(number, SIG_DFL);
    raise(number);
}

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void keep_input_of_crash(void)
{
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_input);
    signal(SIGABRT, on_abort);
    if (!__sanitizer_set_death_callback)
        signal(SIGSEGV, on_abort);
}

/* ---- mutations ---- */

static unsigned below(size_t n)
{
    return dice_below(&run.dice, (unsigned)n);
}

static void cut(size_t at, size_t n)
{
    if (n > run.n - at)
        n = run.n - at;
    memmove(run.input + at, run.input + at + n, run.n - at - n);
    run.n -= n;
}

static void insert(size_t at, bx_str s)
{
    if (s.n > LONGEST - run.n)
        return;
    memmove(run.input + at + s.n, run.input + at, run.n - at);
    if (s.n)
        memcpy(run.input + at, s.p, s.n);
    run.n += s.n;
}

/* Numbers at the limits of common types. */
static const char *const numbers[] = {"0",
                                      "1",
                                      "-1",
                                      "31",
                                      "32",
                                      "63",
                                      "64",
                                      "255",
                                      "256",
                                      "0xffff",
                                      "65536",
                                      "0x7fffffff",
                                      "4294967295",
                                      "4294967296",
                                      "0x80000000",
                                      "0x",
                                      "0xffffffff",
                                      "0xffffffffffffffff",
                                      "9223372036854775808",
                                      "18446744073709551616",
                                      "00",
                                      "1e400"};
static const char marks[] = ":.,/=@{}_+-#*?|> \t\n\"\\01x9aefu\x01\xc3\xff";

static bool is_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == 'x';
}

/* Replaces a number by another one. */
static void change_number(size_t at)
{
    const char *number = numbers[below(sizeof numbers / sizeof *numbers)];
    size_t n = 0;
    while (at + n < run.n && is_digit(run.input[at + n]))
        n++;
    cut(at, n);
    insert(at, bx_str_of(number));
}

/* Inserts a part or a line of another input. */
static bx_str piece(bool line)
{
    bx_str from = run.seeds.input[below(run.seeds.n)];
    size_t at = below(from.n + 1), n = 1 + below(24);
    bx_str rest = bx_str_sub(from, at, from.n);
    if (line) {
        bx_str_cut(&rest, '\n');
        from = rest.p ? rest : from;
        rest = from;
        n = bx_str_cut(&rest, '\n').n + 1;
        return (bx_str){from.p, n < from.n ? n : from.n};
    }
    return (bx_str){rest.p, n < rest.n ? n : rest.n};
}

static size_t beginning_of_line(size_t at)
{
    while (at > 0 && run.input[at - 1] != '\n')
        at--;
    return at;
}

static void mutate(void)
{
    size_t at = below(run.n + 1);
    char byte = below(3) ? marks[below(sizeof marks - 1)] : (char)below(256);
    switch (below(9)) {
    case 0:
        if (at < run.n)
            run.input[at] = byte;
        break;
    case 1:
        cut(at, 1 + below(below(4) ? 2 : 40));
        break;
    case 2:
        insert(at, (bx_str){&byte, 1});
        break;
    case 3:
    case 4:
        if (run.words.n)
            insert(at, run.words.input[below(run.words.n)]);
        break;
    case 5:
        change_number(at);
        break;
    case 6:
        insert(at, piece(false));
        break;
    case 7:
        insert(beginning_of_line(at), piece(true));
        break;
    default:
        if (below(8) == 0)
            run.n = at;
        break;
    }
}

/* ---- what is tried ---- */

static void try(void)
{
    run.tried++;
    LLVMFuzzerTestOneInput((const uint8_t *)run.input, run.n);
}

static void take(bx_str input)
{
    FUZZ_MUST(input.n <= LONGEST);
    run.n = 0;
    insert(0, input);
}

static void try_corpus(void)
{
    for (size_t i = 0; i < run.seeds.n; i++)
        for (size_t n = run.seeds.input[i].n, least = n < SHORT ? 0 : n; n + 1 > least; n--) {
            take(bx_str_sub(run.seeds.input[i], 0, n));
            try();
            if (n == 0)
                break;
        }
}

static void try_mutations(unsigned long rounds)
{
    for (unsigned long round = 0; round < rounds; round++) {
        take(run.seeds.input[below(run.seeds.n)]);
        for (unsigned changes = 1 + below(5); changes > 0; changes--)
            mutate();
        try();
    }
}

static int try_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, run.input, sizeof run.input);
    if (n < 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 2;
    }
    close(fd);
    run.n = (size_t)n;
    try();
    return 0;
}

int main(int argc, char *argv[])
{
    const char *slash = strrchr(argv[0], '/'), *seed = getenv("BX_SEED");
    run.name = slash ? slash + 1 : argv[0];
    run.dice = seed ? strtoull(seed, NULL, 0) : 0x5eed;
    if (argc == 2)
        return try_file(argv[1]);
    if (argc != 4) {
        fprintf(stderr, "usage: %s CORPUS DICTIONARY ROUNDS | FILE\n", run.name);
        return 2;
    }
    keep_input_of_crash();
    corpus_read(&run.seeds, argv[1]);
    corpus_read_words(&run.words, argv[2]);
    printf("%s: BX_SEED=%#llx\n", run.name, (unsigned long long)run.dice);
    fflush(stdout);
    unsigned rounds = (unsigned)strtoul(argv[3], NULL, 10);
    try_corpus();
    try_mutations(rounds_of(rounds, 4 * rounds));
    printf("%s: %lu inputs tried, %zu of them in the corpus\n", run.name, run.tried, run.seeds.n);
    corpus_free(&run.seeds);
    corpus_free(&run.words);
    return 0;
}
