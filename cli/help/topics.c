/* Enumerates the topics, finds one by name, and writes its page. */
#include "cli/help/topics.h"

#include <stdio.h>
#include <string.h>

static void set(bx_topic *topic, unsigned kind, unsigned section, const char *title)
{
    topic->kind = (unsigned char)kind;
    topic->section = (unsigned char)section;
    snprintf(topic->title.text, sizeof topic->title.text, "%s", title);
}

static void of_command(bx_topic *topic, const bx_command *command)
{
    topic->command = command;
    set(topic, BX_TOPIC_COMMAND, 1, command->help);
    snprintf(topic->page.text, sizeof topic->page.text, "boxscore-%s", command->name);
}

/* The topics of a CPU: itself, its metrics if it has some, its PMUs. */
static size_t topics_of_cpu(const bx_cat_cpu *cpu)
{
    return 1 + (size_t)(cpu->metrics.n > 0) + cpu->pmus.n;
}

static void of_cpu(const bx_catalog *c, unsigned index, size_t i, bx_topic *topic)
{
    const bx_cat_cpu *cpu = &bx_cat_cpus(c)[index];
    i += i > 0 && !cpu->metrics.n;
    topic->index = i < 2 ? index : cpu->pmus.first + (unsigned)i - 2;
    if (i == 0) {
        set(topic, BX_TOPIC_CPU, 7, bx_cat_z(c, cpu->title));
        topic->page = bx_cpu_page_word(c, index);
    } else if (i == 1) {
        set(topic, BX_TOPIC_METRICS, 7, "metrics of the ");
        snprintf(topic->title.text + strlen(topic->title.text),
                 sizeof topic->title.text - strlen(topic->title.text), "%s",
                 bx_cat_z(c, cpu->title));
        topic->page = bx_metrics_page_word(c, index);
    } else {
        set(topic, BX_TOPIC_PMU, 7, bx_cat_z(c, bx_cat_pmus(c)[topic->index].title));
        topic->page = bx_pmu_page_word(c, topic->index);
    }
}

bool bx_topic_at(const bx_subjects *s, size_t i, bx_topic *topic)
{
    *topic = (bx_topic){.page = {"boxscore"}};
    if (i == 0) {
        set(topic, BX_TOPIC_ALL, 1,
            "Intel hardware performance counters, above all those outside the core");
        return true;
    }
    i--;
    for (size_t n = 0; s->commands[n]; n++, i--)
        if (i == 0) {
            of_command(topic, s->commands[n]);
            return true;
        }
    if (i == 0) {
        set(topic, BX_TOPIC_WORKLOADS, 7, "what a virtual machine can run without a program");
        topic->page = (bx_word){"boxscore-workloads"};
        return true;
    }
    i--;
    if (i == 0) {
        set(topic, BX_TOPIC_MACHINES, 7, "virtual machines, and the parts that they can be");
        topic->page = (bx_word){"boxscore-machines"};
        return true;
    }
    i--;
    for (unsigned cpu = 0; cpu < bx_catalog_cpus(s->c); cpu++) {
        size_t own = topics_of_cpu(&bx_cat_cpus(s->c)[cpu]);
        if (i < own) {
            of_cpu(s->c, cpu, i, topic);
            return true;
        }
        i -= own;
    }
    return false;
}

const char *bx_topic_name(const bx_topic *topic)
{
    const char *dash = strchr(topic->page.text, '-');
    return dash ? dash + 1 : topic->page.text;
}

static bool is_called(const bx_subjects *s, const bx_topic *topic, const char *name)
{
    return strcmp(bx_topic_name(topic), name) == 0 || strcmp(topic->page.text, name) == 0 ||
           (topic->kind == BX_TOPIC_PMU &&
            strcmp(bx_cat_z(s->c, bx_cat_pmus(s->c)[topic->index].name), name) == 0);
}

bool bx_topic_find(const bx_subjects *s, const char *name, bx_topic *topic, bx_nearest *nearest)
{
    for (size_t i = 0; bx_topic_at(s, i, topic); i++) {
        if (is_called(s, topic, name))
            return true;
        bx_nearest_offer(nearest, bx_topic_name(topic));
    }
    return false;
}

/* ---- all names ---- */

static void event_names(const bx_catalog *c, unsigned index, bx_buf *to)
{
    const bx_cat_event *event = &bx_cat_events(c)[index];
    bx_word name = bx_event_name_word(c, index);
    bx_buf_f(to, "%s\n%s\n", bx_cat_z(c, event->name), name.text);
    for (unsigned i = 0; i < event->umasks.n; i++) {
        unsigned umask = event->umasks.first + i;
        if (!(bx_cat_umasks(c)[umask].flags & BX_UMASK_ALIAS))
            bx_buf_f(to, "%s\n", bx_umask_name_word(c, umask).text);
    }
}

void bx_topic_names(const bx_subjects *s, bx_buf *to)
{
    const bx_catalog *c = s->c;
    bx_topic topic;
    for (size_t i = 0; bx_topic_at(s, i, &topic); i++)
        bx_buf_f(to, "%s\n", bx_topic_name(&topic));
    for (unsigned i = 0; i < c->events.n; i++)
        event_names(c, i, to);
    for (unsigned i = 0; i < c->regs.n; i++)
        bx_buf_f(to, "%s\n", bx_register_word(c, (uint16_t)i, 0).text);
    for (unsigned i = 0; i < c->metrics.n; i++)
        bx_buf_f(to, "%s\n", bx_cat_z(c, bx_cat_metrics(c)[i].name));
    for (unsigned i = 0; i < c->metric_groups.n; i++)
        bx_buf_f(to, "%s\n", bx_cat_z(c, bx_cat_metric_groups(c)[i].name));
}
