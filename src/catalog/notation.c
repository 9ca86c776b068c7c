/* The tables of the notation (catalog/NOTATION.md) and the forms of its arguments. */
#include "catalog/notation.h"

#include <string.h>

#define UMASK_CLAUSES                                                                              \
    "title! source note* counts confidence sets needs takes alone hides likwid libpfm alias"

const bx_kind bx_notation_kinds[] = {
    {"cpu", ".cpu", "M", "title! source! note* model! id! first boxes freeze clears wake pmi"},
    {"shape", ".cpu", "M", "title! preset! range!"},
    {"pick", ".cpu", "W", ""},
    {"pmu", ".pmu", "M",
     "title! source! note* scope! units key count bias label! kernel likwid libpfm select like "
     "without"},
    {"reg", ".pmu", "M",
     "title! source note* msr pci mmio base stride width reset like shared extends"},
    {"field", "reg", "MBW", "title! note* reads resets"},
    {"counters", ".pmu", "R",
     "width! fixed free control value! when edge invert threshold user os overflow enable likwid"},
    {"modifier", ".pmu", "M",
     "title! flag range field! kernel likwid libpfm_range hidden bits level needs sets"},
    {"event", ".pmu", "M",
     "title! source note* code! counters also libpfm likwid kernel counts! max confidence default "
     "takes"},
    {"group", "event", "M", "title! one required default"},
    {"names", "event", "", "rank! source!"},
    {"umask", "event", "MN", UMASK_CLAUSES},
    {"bit", "event", "MN", UMASK_CLAUSES},
    {"metric", ".metric", "M", "title! unit! beside formula!"},
    {"passive", "passive", "R", "title! scope! preset"},
};
const size_t bx_notation_kinds_n = sizeof bx_notation_kinds / sizeof *bx_notation_kinds;

const bx_word bx_notation_words[] = {
    {"alias", ""},     {"alone", ""},     {"also", "M+"},      {"base", "W"},
    {"beside", "W"},   {"bias", "S"},     {"bits", ""},        {"boxes", "M+"},
    {"clears", "W"},   {"code", "N"},     {"confidence", "W"}, {"control", "W"},
    {"count", "W"},    {"counters", "R"}, {"counts", "T"},     {"default", "M"},
    {"edge", "M"},     {"enable", "M"},   {"extends", "N"},    {"field", "W"},
    {"first", ""},     {"fixed", ""},     {"flag", ""},        {"formula", "L"},
    {"free", ""},      {"freeze", "W"},   {"hidden", ""},      {"hides", ""},
    {"id", "I+"},      {"invert", "M"},   {"kernel", "W"},     {"key", "M"},
    {"label", "T"},    {"level", ""},     {"libpfm", "M"},     {"libpfm_range", "R"},
    {"like", "W"},     {"likwid", "W"},   {"max", "N"},        {"mmio", "A+"},
    {"model", "M"},    {"msr", "A+"},     {"needs", "M+"},     {"note", "T"},
    {"one", ""},       {"os", "M"},       {"overflow", "W"},   {"pci", "A+"},
    {"pmi", "W"},      {"preset", "N"},   {"range", "R"},      {"rank", "N"},
    {"reads", "N"},    {"required", ""},  {"reset", "N"},      {"resets", "W"},
    {"scope", "W"},    {"select", "MM"},  {"sets", "E+"},      {"shared", ""},
    {"source", "L"},   {"stride", "N"},   {"takes", "M+"},     {"threshold", "M"},
    {"title", "T"},    {"unit", "T"},     {"units", "R"},      {"user", "M"},
    {"value", "W"},    {"wake", "W"},     {"when", "E+"},      {"width", "N"},
    {"without", "M+"},
};
const size_t bx_notation_words_n = sizeof bx_notation_words / sizeof *bx_notation_words;

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Letters, digits and `_`; what stands in braces is filled in by the builder. */
static bool fits_name(bx_str s)
{
    bool braces = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '{' || c == '}') {
            if (braces == (c == '{'))
                return false;
            braces = !braces;
        } else if (!letter(c) && !digit(c) && !(braces && c == '.')) {
            return false;
        }
    }
    return s.n > 0 && letter(s.p[0]) && !braces;
}

/* C notation, or a decimal number of K, M or G. */
static bool fits_number(bx_str s)
{
    uint64_t n;
    bool hex = s.n > 1 && (s.p[1] == 'x' || s.p[1] == 'X');
    return hex ? bx_str_u64(s, &n) : bx_str_size(s, &n);
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

/* bus:device.function+offset, cut into its numbers. */
static bool pci_parts(bx_str s, uint64_t part[4])
{
    static const char separators[] = {':', '.', '+', 0};
    for (size_t i = 0; i < 4; i++) {
        bx_str number = bx_str_cut(&s, separators[i]);
        if (!bx_str_u64(number, &part[i]) || (i < 3 && !s.p))
            return false;
    }
    return part[0] < 256 && part[1] < 32 && part[2] < 8 && part[3] < 4096;
}

static bool fits_address(bx_str s)
{
    uint64_t part[4];
    return pci_parts(s, part) || (fits_number(s) && bx_form_number(s) <= UINT32_MAX);
}

/* FIELD=1, REGISTER.FIELD=1, modifier=1 */
static bool fits_setting(bx_str s)
{
    bx_str value = s, name = bx_str_cut(&value, '=');
    bx_str field = name, reg = bx_str_cut(&field, '.');
    return fits_name(reg) && (!field.p || fits_name(field)) && value.p && fits_number(value);
}

static bool fits_anything(bx_str s)
{
    return s.n > 0;
}

static const struct form {
    char letter;
    const char *what;
    bool (*fits)(bx_str);
} forms[] = {
    {'M', "a name", fits_name},
    {'W', "a word", fits_anything},
    {'N', "a number", fits_number},
    {'S', "a number", fits_signed},
    {'R', "a range such as 0..3", fits_range},
    {'B', "bits such as 7:0", fits_bits},
    {'A', "an address", fits_address},
    {'I', "family/model such as 6/0x5e", fits_id},
    {'E', "a setting such as EN=1", fits_setting},
    {'T', "a text in quotes", fits_anything},
    {'L', "the rest of the line", fits_anything},
};

static const struct form *form_of(char which)
{
    size_t i = 0;
    while (forms[i].letter != which)
        i++;
    return &forms[i];
}

bool bx_form_fits(char form, bx_str s)
{
    return form_of(form)->fits(s);
}

bool bx_form_begins(char form, bx_str s)
{
    if (form == 'E')
        return has(s, '=');
    if (strchr("NRBAI", form))
        return s.n && digit(s.p[0]);
    return true;
}

const char *bx_form_what(char form)
{
    return form_of(form)->what;
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
    uint64_t part[4];
    if (pci_parts(s, part))
        return (uint32_t)(part[0] << 20 | part[1] << 15 | part[2] << 12 | part[3]);
    return (uint32_t)bx_form_number(s);
}
