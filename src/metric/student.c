/* Student's distribution. |T| exceeds t with probability I(x; v / 2, 1 / 2), the regularized
 * incomplete beta function at x = v / (v + t^2): Abramowitz and Stegun 26.7.1, by the continued
 * fraction of 26.5.8. */
#include "metric/student.h"

#include <math.h>

/* The n-th coefficient of 1 + d1 / (1 + d2 / (1 + … */
static double coefficient(unsigned n, double a, double b, double x)
{
    double m = n / 2; /* a whole number */
    return n % 2 ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                 : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

/* The continued fraction, by Lentz's method. It converges in some tens of steps while x <= (a + 1)
 * / (a + b + 2). */
static double fraction(double a, double b, double x)
{
    enum { STEPS = 100000 };
    double value = 1, above = 1, below = 0, factor = 0;
    for (unsigned n = 1; n < STEPS && fabs(factor - 1) > 1e-15; n++) {
        double d = coefficient(n, a, b, x);
        above = 1 + d / above;
        below = 1 / (1 + d * below);
        factor = above * below;
        value *= factor;
    }
    return value;
}

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double converging(double a, double b, double x, double rest)
{
    double log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    return exp(a * log(x) + b * log(rest) - log_beta) / a / fraction(a, b, x);
}

/* rest: 1 - x, with more digits than the subtraction would give. */
static double incomplete_beta(double a, double b, double x, double rest)
{
    if (x <= 0 || rest <= 0)
        return x > 0;
    return x <= (a + 1) / (a + b + 2) ? converging(a, b, x, rest) : 1 - converging(b, a, rest, x);
}

double bx_student_beyond(double t, double freedom)
{
    double whole = freedom + t * t;
    return incomplete_beta(freedom / 2, 0.5, freedom / whole, t * t / whole);
}

/* The probability decreases with t: bisection finds t to the last bit. */
double bx_student_quantile(double beyond, double freedom)
{
    double low = 0, high = 1;
    while (bx_student_beyond(high, freedom) > beyond && high < 1e300)
        high *= 2;
    for (double middle; (middle = low + (high - low) / 2) > low && middle < high;)
        *(bx_student_beyond(middle, freedom) > beyond ? &low : &high) = middle;
    return high;
}
