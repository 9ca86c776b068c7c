/* Student's distribution, which shows whether means of few values differ. */
#ifndef BX_METRIC_STUDENT_H
#define BX_METRIC_STUDENT_H

/* The probability that |T| exceeds t >= 0. freedom: degrees of freedom, above 0; it need not be a
 * whole number. */
double bx_student_beyond(double t, double freedom);

/* The t that |T| exceeds with the probability `beyond`, above 0 and at most 1. */
double bx_student_quantile(double beyond, double freedom);

#endif
