/* Mean and deviation of values that arrive one by one (Welford's recurrence: stable, one pass). */
#ifndef BX_REPORT_STATISTICS_H
#define BX_REPORT_STATISTICS_H

typedef struct bx_running_stats {
    unsigned n;
    double mean;
    double squares; /* sum of the squared distances from the mean */
} bx_running_stats;

void bx_running_stats_add(bx_running_stats *s, double value);

/* Standard deviation of the mean in percent of the mean; 0 with fewer than two values. */
double bx_running_stats_percent(const bx_running_stats *s);

#endif
