/* Student's distribution against printed tables. */
#include "../cmocked.h"

#include "metric/student.h"

#include <math.h>

/* The table of textbooks: the t that 20 %, 5 % and 0.1 % of the values exceed at both ends
 * together. */
static void quantiles(void **unused)
{
    (void)unused;
    static const double beyond[] = {0.2, 0.05, 0.001};
    static const struct {
        double freedom, t[3];
    } of[] = {{1, {3.078, 12.706, 636.619}}, {2, {1.886, 4.303, 31.599}},
              {3, {1.638, 3.182, 12.924}},   {4, {1.533, 2.776, 8.610}},
              {5, {1.476, 2.571, 6.869}},    {9, {1.383, 2.262, 4.781}},
              {10, {1.372, 2.228, 4.587}},   {29, {1.311, 2.045, 3.659}},
              {60, {1.296, 2.000, 3.460}},   {120, {1.289, 1.980, 3.373}}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (size_t k = 0; k < 3; k++) {
            double t = bx_student_quantile(beyond[k], of[i].freedom);
            if (fabs(t - of[i].t[k]) > 0.000501)
                fail_msg("%g degrees of freedom, %g: %f", of[i].freedom, beyond[k], t);
        }
}

/* With one degree of freedom it is 1 - 2 atan(t) / pi, with two 1 - t / sqrt(2 + t^2): integrals of
 * the density. */
static void probabilities(void **unused)
{
    (void)unused;
    const double pi = 3.14159265358979323846;
    for (double t = 0.001; t < 10000; t *= 3) {
        double one = 1 - 2 * atan(t) / pi, two = 1 - t / sqrt(2 + t * t);
        assert_true(fabs(bx_student_beyond(t, 1) - one) < 1e-12);
        assert_true(fabs(bx_student_beyond(t, 2) - two) < 1e-12);
    }
    assert_true(bx_student_beyond(0, 3) == 1);
    /* With very many degrees it is the normal distribution: 0.0455 are beyond two deviations. */
    assert_true(fabs(bx_student_beyond(2, 1e7) - 0.0455003) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles),
        cmocka_unit_test(probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
