/* Writes the page of a topic. */
#include "cli/help/topics.h"

void bx_topic_write(const bx_subjects *s, const bx_topic *topic, bx_page *to)
{
    bx_page_begin(to, topic->page.text, topic->section, topic->title.text);
    switch (topic->kind) {
    case BX_TOPIC_COMMAND:
        bx_manual_command(to, topic->command);
        break;
    case BX_TOPIC_WORKLOADS:
        bx_manual_workloads(to);
        break;
    case BX_TOPIC_MACHINES:
        bx_manual_machines(to, s->c);
        break;
    case BX_TOPIC_CPU:
        bx_manual_cpu(to, s->c, topic->index);
        break;
    case BX_TOPIC_METRICS:
        bx_manual_metrics(to, s, topic->index);
        break;
    case BX_TOPIC_PMU:
        bx_manual_pmu(to, s, topic->index);
        break;
    default:
        bx_manual_all(to, s);
        break;
    }
}
