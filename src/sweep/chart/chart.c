/* Draws a sweep as lines, as a heat map, or as a Pareto front. */
#include "sweep/chart/chart.h"

#include "sweep/chart/kinds.h"
#include "sweep/chart/parts.h"

int bx_sweep_chart(const bx_sweep_results *r, const bx_chart *c, bx_buf *to, bx_error *e)
{
    static int (*const kinds[])(const bx_sweep_results *, const bx_chart *, bx_buf *,
                                bx_error *) = {
        [BX_CHART_LINES] = bx_chart_lines,
        [BX_CHART_HEAT] = bx_chart_heat,
        [BX_CHART_PARETO] = bx_chart_pareto,
    };
    if (r->points_n == 0) {
        bx_fail(e, BX_BAD_INPUT, 0, 0, "the sweep has no points yet");
        bx_hint(e, "let the sweep go on, with the command that began it");
        return BX_BAD_INPUT;
    }
    int code = kinds[c->kind](r, c, to, e);
    if (!code)
        bx_buf_z(to, "</svg>\n");
    return !code && to->failed ? bx_out_of_memory(e) : code;
}
