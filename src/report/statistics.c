/* Updates mean and squared distances with each value, and derives the deviations from them. */
#include "report/statistics.h"

#include "metric/student.h"

/* Newton's method: libm is not needed. */
static double square_root(double x)
{
    if (x <= 0)
        return 0;
    double root = x > 1 ? x : 1;
    for (;;) {
        double next = (root + x / root) / 2;
        if (next >= root) /* it decreases until it is as near as a double can be */
            return root;
        root = next;
    }
}

void bx_running_stats_add(bx_running_stats *s, double value)
{
    double distance = value - s->mean;
    s->n++;
    s->mean += distance / s->n;
    s->squares += distance * (value - s->mean);
}

double bx_running_stats_deviation(const bx_running_stats *s)
{
    return s->n < 2 ? 0 : square_root(s->squares / (s->n - 1));
}

double bx_running_stats_percent(const bx_running_stats *s)
{
    if (s->n < 2 || s->mean == 0)
        return 0;
    double variance_of_mean = s->squares / (s->n - 1) / s->n;
    double percent = 100 * square_root(variance_of_mean) / s->mean;
    return percent < 0 ? -percent : percent;
}

double bx_running_stats_confidence(const bx_running_stats *s)
{
    return s->n < 2 ? 0 : bx_student_quantile(0.05, s->n - 1) * bx_running_stats_percent(s);
}
