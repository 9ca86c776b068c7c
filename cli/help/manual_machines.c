/* The page about virtual machines: the names that a machine string can begin with, and the parts.
 */
#include "cli/help/topics.h"

#include "topology/machine_names.h"

static const bx_page_columns columns = {.heads = "machine", .text_at = 36};

static void other_names(bx_buf *to, const char *names)
{
    for (bx_str rest = bx_str_of(names); rest.n;) {
        bx_buf_z(to, ", virtual:");
        bx_buf_str(to, bx_str_cut(&rest, ' '));
    }
}

static void part(bx_page *to, const bx_catalog *c, const bx_cat_cpu *cpu, unsigned i)
{
    const bx_cat_preset *preset = &bx_cat_presets(c)[cpu->parts.first + i];
    bx_buf text = {.whole = &to->to->failed};
    bx_buf_f(&text, "%s%s", bx_cat_z(c, preset->title), i == 0 ? "; the default" : "");
    other_names(&text, bx_cat_z(c, preset->called));
    bx_page_item(to, bx_buf_text(&text), "virtual:%s,part=%s", bx_cat_z(c, cpu->name),
                 bx_cat_z(c, preset->name));
    bx_buf_free(&text);
}

static void machine(bx_page *to, const bx_catalog *c, unsigned index)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[index];
    bx_buf text = {.whole = &to->to->failed};
    bx_buf_z(&text, bx_cat_z(c, cpu->title));
    other_names(&text, bx_machine_other_names(c, cpu));
    bx_page_item(to, bx_buf_text(&text), "virtual:%s", bx_cat_z(c, cpu->name));
    bx_buf_free(&text);
    for (unsigned i = 0; i < cpu->parts.n; i++)
        part(to, c, cpu, i);
}

void bx_manual_machines(bx_page *to, const bx_catalog *c)
{
    bx_page_title(to, "Description");
    bx_page_paragraph(to,
                      "The virtual machines, with the real parts that each can be. A part's name "
                      "is a machine, too: virtual:i7-6700k. Capitals, spaces and dashes in these "
                      "names do not count, nor do Intel, Core and Xeon before them. Keys follow: "
                      "virtual:i7-6700k,cores=2. Each CPU has a page with its keys: boxscore help "
                      "skl.");
    bx_page_list(to, &columns, "");
    for (unsigned i = 0; i < bx_catalog_cpus(c); i++)
        if (bx_cat_is_virtual(c, &bx_cat_cpus(c)[i]))
            machine(to, c, i);
    bx_page_title(to, "Examples");
    bx_page_example(to, "boxscore stat --machine virtual:e5-2680v2 -w stream,size=1M",
                    "count a workload on two Xeon E5-2680 v2");
    bx_page_example(to, "boxscore info skl", "the keys of a machine string, and their defaults");
}
