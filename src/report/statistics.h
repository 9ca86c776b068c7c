/* Mean and deviation of values that arrive one by one (Welford's recurrence: stable, one pass). */
#ifndef BX_REPORT_STATISTICS_H
#define BX_REPORT_STATISTICS_H

typedef struct bx_running_stats {
    unsigned n;
    double mean;
    double squares; /* sum of the squared distances from the mean */
} bx_running_stats;

void bx_running_stats_add(bx_running_stats *s, double value);

/* Standard deviation of the values; 0 with fewer than two. */
double bx_running_stats_deviation(const bx_running_stats *s);
/* Half the width of the mean's 95 % confidence interval in percent of the mean: its standard
 * deviation times Student's t. Values must be independent and roughly normal. 0 with fewer than two
 * values. */
double bx_running_stats_confidence(const bx_running_stats *s);

/* Standard deviation of the mean in percent of the mean; 0 with fewer than two values. */
double bx_running_stats_percent(const bx_running_stats *s);

#endif
