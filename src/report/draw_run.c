/* The diagrams of a run, in the order in which its operations ended. */
#include <inttypes.h>

#include "report/draw_grid.h"

enum { CALLS = 8 }; /* most calls that are drawn, besides wrong and unfinished ones */

static bool draw_run_is_pair(const struct ncs_seen *s)
{
    return s->src >= 0;
}

/* How many operations from `at` on form one diagram: consecutive sends, receives and puts of
 * one communicator. */
static size_t draw_run_stretch(const struct ncs_seen *const *seen, size_t count, size_t at)
{
    size_t n = 1;
    if (!draw_run_is_pair(seen[at]))
        return 1;
    while (at + n < count && draw_run_is_pair(seen[at + n]) && seen[at + n]->comm_number == seen[at]->comm_number &&
           seen[at + n]->over == seen[at]->over)
        n++;
    return n;
}

static bool draw_run_is_notable(const struct ncs_seen *const *seen, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!seen[i]->over)
            return true;
        for (int k = 0; k < seen[i]->ranks; k++)
            if (seen[i]->rank[k].wrongs)
                return true;
    }
    return false;
}

/* True for a collective behind an unfinished one of its communicator: its result is unknown. */
static bool draw_run_is_behind(const struct ncs_result *r, size_t at)
{
    const struct ncs_seen *s = r->seen[at];
    for (size_t i = 0; i < r->seens && !s->over && !draw_run_is_pair(s); i++)
        if (!r->seen[i]->over && !draw_run_is_pair(r->seen[i]) && r->seen[i]->comm_number == s->comm_number &&
            r->seen[i]->ordinal < s->ordinal)
            return true;
    return false;
}

void ncs_draw_run(const struct ncs_result *r, const struct ncs_draw_style *style, struct ncs_str *out)
{
    const struct ncs_seen *const *seen = r->seen;
    uint64_t drawn = 0, notables = 0, left_out = 0;
    for (size_t i = 0, n; i < r->seens; i += n) {
        n = draw_run_stretch(seen, r->seens, i);
        if (draw_run_is_behind(r, i) && !style->all) {
            left_out++;
            continue;
        }
        bool notable = draw_run_is_notable(seen + i, n);
        if (!style->all && drawn >= CALLS && !(notable && notables < CALLS)) {
            left_out += draw_run_is_pair(seen[i]) ? n : 1;
            continue;
        }
        drawn++;
        notables += notable;
        if (draw_run_is_pair(seen[i]))
            ncs_draw_pairs(seen + i, n, style, out);
        else
            ncs_draw(seen[i], style, out);
        ncs_str_add(out, "\n");
    }
    if (left_out)
        ncs_str_addf(out, "%s and %" PRIu64 " more; -v draws them\n\n", ncs_draw_signs(style)->dots, left_out);
    if (r->seen_more)
        ncs_str_addf(out, "%s and %" PRIu64 " more, which were not kept\n\n", ncs_draw_signs(style)->dots, r->seen_more);
    if (!drawn && !left_out && r->calls > 0)
        ncs_str_add(out, "nothing to draw: no data has moved, or nothing is verified\n\n");
}
