/* Finds machines by the names that people have for them. */
#include "topology/machine_names.h"

#include "base/error.h"
#include "base/nearest.h"

#include <string.h>

static bool is_compared(char c)
{
    return bx_is_digit(c) || (bx_is_letter(c) && c != '_');
}

static bool is_same_name(bx_str a, bx_str b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a.n && !is_compared(a.p[i]))
            i++;
        while (k < b.n && !is_compared(b.p[k]))
            k++;
        if (i == a.n || k == b.n)
            return i == a.n && k == b.n && i > 0;
        if (bx_lower(a.p[i]) != bx_lower(b.p[k]))
            return false;
    }
}

const char *bx_machine_other_names(const struct bx_catalog *c, const bx_cat_cpu *cpu)
{
    return bx_cat_z(c, cpu->called);
}

static bool is_called(const struct bx_catalog *c, bx_cat_text own, bx_cat_text others, bx_str name)
{
    if (is_same_name(name, bx_cat_str(c, own)))
        return true;
    for (bx_str rest = bx_cat_str(c, others); rest.n;)
        if (is_same_name(name, bx_str_cut(&rest, ' ')))
            return true;
    return false;
}

static bool is_of_cpu(const struct bx_catalog *c, const bx_cat_cpu *cpu, bx_str name)
{
    return is_called(c, cpu->name, cpu->called, name);
}

/* "Intel Core i7-6700K", "Xeon E5-2680 v2": without the maker's and the family's names. */
static bx_str without_family(bx_str name)
{
    static const char *const words[] = {"intel", "core", "xeon"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        while (name.n && !is_compared(*name.p))
            name = bx_str_sub(name, 1, name.n);
        if (bx_str_starts_fold(name, bx_str_of(words[i])))
            name = bx_str_sub(name, strlen(words[i]), name.n);
    }
    return name;
}

static bool find_exactly(bx_topology *t, bx_str name)
{
    t->part = BX_NONE;
    for (t->cpu = 0; t->cpu < t->catalog->cpus.n; t->cpu++)
        if (is_of_cpu(t->catalog, &bx_cat_cpus(t->catalog)[t->cpu], name))
            return true;
    for (t->cpu = 0; t->cpu < t->catalog->cpus.n; t->cpu++) {
        bx_span parts = bx_cat_cpus(t->catalog)[t->cpu].parts;
        for (unsigned i = 0; i < parts.n; i++) {
            t->part = (uint16_t)(parts.first + i);
            const bx_cat_preset *part = &bx_cat_presets(t->catalog)[t->part];
            if (is_called(t->catalog, part->name, part->called, name))
                return true;
        }
    }
    t->part = BX_NONE;
    t->cpu = BX_NONE;
    return false;
}

bool bx_machine_name_find(bx_topology *t, bx_str name)
{
    return find_exactly(t, name) || find_exactly(t, without_family(name));
}

static void offer_words(bx_nearest *nearest, bx_str words)
{
    char word[48];
    while (words.n) {
        bx_str one = bx_str_cut(&words, ' ');
        if (one.n >= sizeof word)
            continue;
        memcpy(word, one.p, one.n);
        word[one.n] = '\0';
        bx_nearest_offer(nearest, word);
    }
}

int bx_machine_name_unknown(const struct bx_catalog *c, size_t at, bx_str name, bx_error *e)
{
    bx_nearest nearest = bx_nearest_to(name);
    bx_fail(e, BX_NOT_FOUND, at, name.n, "no CPU model or part '%.*s'", (int)name.n, name.p);
    for (unsigned i = 0; i < c->cpus.n; i++) {
        const bx_cat_cpu *cpu = &bx_cat_cpus(c)[i];
        if (!bx_cat_is_virtual(c, cpu))
            continue;
        bx_nearest_offer(&nearest, bx_cat_z(c, cpu->name));
        offer_words(&nearest, bx_str_of(bx_machine_other_names(c, cpu)));
        for (unsigned k = 0; k < cpu->parts.n; k++) {
            const bx_cat_preset *part = &bx_cat_presets(c)[cpu->parts.first + k];
            bx_nearest_offer(&nearest, bx_cat_z(c, part->name));
            offer_words(&nearest, bx_cat_str(c, part->called));
        }
    }
    bx_hint(e, "boxscore help machines lists all");
    bx_nearest_hint(e, &nearest);
    return BX_NOT_FOUND;
}
