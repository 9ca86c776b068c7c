/* The tables of the notation (catalog/NOTATION.md) and the forms of its arguments. */
#include "compile/read/notation.h"

#include "catalog/policies.h"

#include <string.h>

#define UMASK_CLAUSES                                                                              \
    "title! source note* counts counters confidence sets needs takes one hides likwid libpfm "     \
    "alias- unlike"

const bx_item_kind bx_item_kinds[] = {
    {"cpu", ".cpu", "M",
     "title! source! note* model! id! relatives features also clock first boxes freeze clears "
     "wake pmi overflow"},
    {"shape", ".cpu", "M", "title! preset! range!"},
    {"part", ".cpu", "X", "title! source! note* also fits sets*"},
    {"memory", ".cpu", "X", "title! source! note* sets*"},
    {"pick", ".cpu", "W", ""},
    {"pmu", ".pmu", "M",
     "title! source! note* scope! units count stride label! kernel likwid libpfm "
     "select like without architectural virtual"},
    {"reg", ".pmu", "M",
     "title! source note* msr pci mmio stride width reset like shared extends "
     "precondition kernel config former shows step also"},
    {"field", "reg", "MBK", "title! note* resets clears gathers* kernel runs"},
    {"counters", ".pmu", "R",
     "width! fixed control value! when edge invert threshold levels overflow enable pmi modes "
     "tally erratum likwid"},
    {"slot", ".pmu", "M", "title!"},
    {"place", "slot", "E+", "port code at"},
    {"modifier", ".pmu", "M",
     "title! flag range field! kernel likwid libpfm hidden bits nodes needs sets "
     "preset masked twin unmodelled keeps on"},
    {"value", "modifier", "MN", "title! sets"},
    {"perf", ".pmu", "WW", ""},
    {"generic", ".pmu", "WW", ""},
    {"likwid", ".pmu", "WW", ""},
    {"event", ".pmu", "M",
     "title! source note* caution code! counters alias libpfm likwid kernel counts! max "
     "confidence default takes in scale tally- follows sets minds topics each "
     "unlike implies"},
    {"group", "event", "M", "title! one required default"},
    {"names", "event", "", "rank! source!"},
    {"umask", "event", "DN", UMASK_CLAUSES},
    {"bit", "event", "DN", UMASK_CLAUSES},
    {"metric", ".metric", "M",
     "title! also note* unit! beside formula! topics means caution source"},
    {"group", ".metric", "M", "title! topics metrics!"},
    {"passive", "passive", "R", "title! scope! preset prefetchers"},
    {"function", "passive", "F", "title! source! device! class! stride"},
    {"passive", "function", "R", "title! preset stride"},
};
const size_t bx_item_kinds_n = sizeof bx_item_kinds / sizeof *bx_item_kinds;

const bx_clause_kind bx_clause_kinds[] = {
    {"alias", "D+"},     {"also", "W+"},      {"architectural", "N"},
    {"at", "M+B?"},      {"beside", "W"},     {"bits", ""},
    {"boxes", "M+"},     {"caution", "T"}, /* see NOTATION.md */
    {"class", "N"},      {"clears", "W"},     {"clock", "T"},
    {"code", "N"},       {"confidence", "W"}, {"config", "NR"},
    {"control", "W"},    {"count", "WS?"},    {"counters", "R+"},
    {"counts", "T"},     {"default", "D"},    {"device", "I"},
    {"each", "E+"},      {"edge", "M"},       {"enable", "M"},
    {"erratum", "N"},    {"extends", "N"},    {"features", "T"},
    {"field", "W"},      {"first", "N?"},     {"fits", "X"},
    {"fixed", ""},       {"flag", ""},        {"follows", "N"},
    {"former", "N"},     {"formula", "L"},    {"freeze", "W"},
    {"gathers", "MN+"},  {"hidden", ""},      {"hides", ""},
    {"id", "I+"},        {"implies", "E+"},   {"in", "MN?"},
    {"invert", "M"},     {"keeps", "N"},      {"kernel", "W"},
    {"label", "T"},      {"levels", "WW"},    {"libpfm", "P"},
    {"like", "W"},       {"likwid", "W"},     {"masked", "M"},
    {"max", "N"},        {"means", "T"},      {"metrics", "M+"},
    {"minds", "M+"},     {"mmio", "WA+"},     {"model", "M"},
    {"modes", "MMM"},    {"msr", "A+"},       {"needs", "M+"},
    {"nodes", ""},       {"note", "T"},       {"on", "R+"},
    {"one", ""},         {"overflow", "W"},   {"pci", "A+"},
    {"pmi", "WW?"},      {"port", "N"},       {"precondition", "EM?"},
    {"prefetchers", ""}, {"preset", "N"},     {"range", "R"},
    {"rank", "N"},       {"relatives", "I+"}, {"required", ""},
    {"reset", "N"},      {"resets", "W"},     {"runs", ""},
    {"scale", "N"},      {"scope", "W"},      {"select", "M+"},
    {"sets", "E+"},      {"shared", ""},      {"shows", "W"},
    {"source", "L"},     {"step", "N"},       {"stride", "N"},
    {"takes", "M+"},     {"tally", "MN"},     {"threshold", "M"},
    {"title", "T"},      {"topics", "T"},     {"twin", "M"},
    {"unit", "T"},       {"units", "RM?"},    {"unlike", "T"},
    {"unmodelled", ""},  {"value", "W"},      {"virtual", ""},
    {"wake", "W"},       {"when", "E+"},      {"width", "N"},
    {"without", "M+"},
};
const size_t bx_clause_kinds_n = sizeof bx_clause_kinds / sizeof *bx_clause_kinds;

/* Letters, digits and `_`. The builder replaces what is in braces. */
static bool fits_word(bx_str s)
{
    bool braces = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '{' || c == '}') {
            if (braces == (c == '{'))
                return false;
            braces = !braces;
        } else if (!bx_is_letter(c) && !bx_is_digit(c) && !(braces && (c == '.' || c == '+'))) {
            return false;
        }
    }
    return s.n > 0 && s.p[0] != '{' && !braces;
}

static bool fits_name(bx_str s)
{
    return fits_word(s) && bx_is_letter(s.p[0]);
}

/* The name of a product: "i7-6700k". */
static bool fits_product(bx_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!bx_is_letter(s.p[i]) && !bx_is_digit(s.p[i]) && s.p[i] != '-' && s.p[i] != '.')
            return false;
    return s.n > 0 && bx_is_letter(s.p[0]);
}

/* A number in C notation, or a decimal number with K, M or G. */
static bool fits_number(bx_str s)
{
    uint64_t n;
    bool hex = s.n > 1 && (s.p[1] == 'x' || s.p[1] == 'X');
    return hex ? bx_str_u64(s, &n) : bx_str_size(s, &n);
}

/* Words with dots between them. A word may begin with a digit ("3CMD"), but must not be a number.
 */
static bool fits_dotted(bx_str s)
{
    if (fits_number(s))
        return false;
    while (s.p)
        if (!fits_word(bx_str_cut(&s, '.')))
            return false;
    return true;
}

static bx_str without_sign(bx_str s)
{
    return s.n && s.p[0] == '-' ? bx_str_sub(s, 1, s.n) : s;
}

static bool fits_signed(bx_str s)
{
    s = without_sign(s);
    return fits_number(s) && bx_form_number(s) <= INT64_MAX;
}

/* Splits at the first of "..", ":" or "/". */
static bool split(bx_str s, bx_str *a, bx_str *b)
{
    for (size_t i = 0; i < s.n; i++) {
        size_t gap = s.p[i] == ':' || s.p[i] == '/' ? 1 : 0;
        if (i + 1 < s.n && s.p[i] == '.' && s.p[i + 1] == '.')
            gap = 2;
        if (gap) {
            *a = bx_str_sub(s, 0, i);
            *b = bx_str_sub(s, i + gap, s.n);
            return true;
        }
    }
    return false;
}

static bool has(bx_str s, char c)
{
    return bx_str_find(s, c, 0) >= 0;
}

static bool fits_pair(bx_str s)
{
    bx_str a, b;
    return split(s, &a, &b) && fits_number(a) && fits_number(b);
}

static bool fits_range(bx_str s)
{
    return fits_number(s) || (fits_pair(s) && has(s, '.'));
}

static bool fits_name_or_range(bx_str s)
{
    return fits_name(s) || fits_range(s);
}

static bool fits_bits(bx_str s)
{
    uint64_t hi, lo;
    if (!fits_number(s) && !(fits_pair(s) && has(s, ':')))
        return false;
    bx_form_pair(s, &hi, &lo);
    return hi < 64 && lo <= hi;
}

static bool fits_id(bx_str s)
{
    uint64_t family, model;
    if (!fits_pair(s) || !has(s, '/'))
        return false;
    bx_form_pair(s, &family, &model);
    return family <= UINT16_MAX && model <= UINT16_MAX;
}

/* Cuts bus:device.function+offset into its numbers; without the offset, 3 numbers. */
static bool pci_parts(bx_str s, uint64_t *part, unsigned numbers)
{
    static const char separators[] = {':', '.', '+', 0};
    static const uint64_t ends[] = {256, 32, 8, 4096};
    for (unsigned i = 0; i < numbers; i++) {
        bx_str number = bx_str_cut(&s, i + 1 < numbers ? separators[i] : 0);
        if (!bx_str_u64(number, &part[i]) || part[i] >= ends[i] || (i + 1 < numbers && !s.p))
            return false;
    }
    return true;
}

static bool fits_address(bx_str s)
{
    uint64_t part[4];
    return pci_parts(s, part, 4) || (fits_number(s) && bx_form_number(s) <= UINT32_MAX);
}

static bool fits_function(bx_str s)
{
    uint64_t part[3];
    return pci_parts(s, part, 3);
}

/* One of FIELD=1, REGISTER.FIELD=1, modifier=1. */
static bool fits_setting(bx_str s)
{
    bx_str value = s, name = bx_str_cut(&value, '=');
    bx_str field = name, reg = bx_str_cut(&field, '.');
    uint64_t number;
    return fits_name(reg) && (!field.p || fits_name(field)) && value.p &&
           (bx_is_named_key(name) ? bx_named_number(name, value, &number) : fits_number(value));
}

static bool fits_anything(bx_str s)
{
    return s.n > 0;
}

static const struct form {
    char letter;
    const char *what;
    bool (*fits)(bx_str s);
} forms[] = {
    {'M', "a name", fits_name},
    {'D', "a name", fits_dotted},
    {'W', "a word", fits_anything},
    {'K', "a kind of bits such as rw", fits_anything},
    {'X', "a name such as i7-6700k", fits_product},
    {'N', "a number", fits_number},
    {'S', "a number", fits_signed},
    {'R', "a range such as 0..3", fits_range},
    {'P', "a name or a range such as 0..3", fits_name_or_range},
    {'B', "bits such as 7:0", fits_bits},
    {'A', "an address", fits_address},
    {'F', "a PCI function such as 0:5.0", fits_function},
    {'I', "a pair such as 6/0x5e", fits_id},
    {'E', "a setting such as EN=1", fits_setting},
    {'T', "a text in quotes", fits_anything},
    {'L', "the rest of the line", fits_anything},
};

static const struct form *form_of(char letter)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].letter == letter)
            return &forms[i];
    return NULL;
}

bool bx_form_fits(char form, bx_str s)
{
    const struct form *f = form_of(form);
    return f && f->fits(s);
}

bool bx_form_begins(char form, bx_str s)
{
    if (form == 'E')
        return has(s, '=');
    if (form == 'S' && s.n && s.p[0] == '-')
        return true;
    if (strchr("NSRBAFI", form))
        return s.n && bx_is_digit(s.p[0]);
    return true;
}

const char *bx_form_what(char form)
{
    const struct form *f = form_of(form);
    return f ? f->what : "";
}

uint64_t bx_form_number(bx_str s)
{
    uint64_t n = 0;
    bx_str_size(s, &n);
    return n;
}

int64_t bx_form_signed(bx_str s)
{
    int64_t n = (int64_t)bx_form_number(without_sign(s));
    return s.n && s.p[0] == '-' ? -n : n;
}

void bx_form_pair(bx_str s, uint64_t *first, uint64_t *second)
{
    bx_str a = s, b = s;
    split(s, &a, &b);
    *first = bx_form_number(a);
    *second = bx_form_number(b);
}

uint32_t bx_form_address(bx_str s)
{
    uint64_t part[4] = {0};
    if (pci_parts(s, part, 4) || pci_parts(s, part, 3))
        return (uint32_t)(part[0] << 20 | part[1] << 15 | part[2] << 12 | part[3]);
    return (uint32_t)bx_form_number(s);
}
