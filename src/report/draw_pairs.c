/* Sends with their receives, and puts: an arrow each. */
#include <inttypes.h>
#include <string.h>

#include "api/types.h"
#include "base/safe.h"
#include "report/draw_grid.h"

enum { SHOWN = 12, VALUES = 8 };

static bool is_put(const struct ncs_seen *s)
{
    return s->fn == NCS_FN_ncclPutSignal;
}

/* Adds the data that arrived, or the data to be sent if the pair is not over. */
static void draw_pairs_add_data(const struct ncs_draw_style *style, const struct ncs_seen *s, bool *wrong, struct ncs_str *out)
{
    const struct ncs_sample *from = s->over ? &s->rank[1].after : &s->rank[0].before;
    size_t bytes = ncs_dtype_bytes(s->dtype);
    uint64_t i = 0;
    for (; i < from->count && i < VALUES; i++) {
        const void *at = ncs_sample_at(from, bytes, i);
        if (!at)
            break;
        ncs_str_add(out, i ? "  " : "");
        ncs_draw_value(s->dtype, at, out);
        if (ncs_sample_is_wrong(from, i))
            ncs_str_add(out, "!");
        *wrong |= ncs_sample_is_wrong(from, i);
    }
    if (i < from->count && i > 0)
        ncs_str_addf(out, "  %s", ncs_draw_signs(style)->dots);
}

/* The reason why it is not over. */
static void draw_pairs_add_state(const struct ncs_seen *s, struct ncs_str *out)
{
    const struct ncs_seen_rank *from = &s->rank[0], *to = &s->rank[1];
    if (to->presence == NCS_ABSENT)
        ncs_str_addf(out, "no receive has come from rank %d", to->rank);
    else if (from->presence == NCS_ABSENT)
        ncs_str_addf(out, "no send has come from rank %d", from->rank);
    else if (from->presence == NCS_CALLED || to->presence == NCS_CALLED)
        ncs_str_addf(out, "called, but has not begun on rank %d", from->presence == NCS_CALLED ? from->rank : to->rank);
    else
        ncs_str_add(out, "both have come");
}

static void add_arrow(const struct ncs_draw_style *style, const struct ncs_seen *s, struct ncs_str *out)
{
    const struct ncs_signs *signs = ncs_draw_signs(style);
    const char *line = is_put(s) ? signs->put : signs->joint[3];
    bool no_send = !s->over && s->rank[0].presence == NCS_ABSENT;
    bool no_recv = !s->over && s->rank[1].presence == NCS_ABSENT;
    ncs_str_addf(out, " %s%s%s%s ", no_send ? signs->cross : line, line, no_recv ? signs->cross : line, signs->arrow);
}

static void add_what(const struct ncs_seen *s, struct ncs_str *out)
{
    ncs_str_addf(out, "%s x %" PRIu64, ncs_dtype_name(s->dtype) ? ncs_dtype_name(s->dtype) : "?", s->count);
}

static void add_pair(const struct ncs_draw_style *style, const struct ncs_seen *s, bool same, size_t name, bool *wrong,
                     struct ncs_str *out)
{
    size_t start = out->bytes;
    ncs_str_add(out, "  ");
    ncs_draw_rank(s, 0, out);
    ncs_draw_pad(out, start, 2 + name);
    add_arrow(style, s, out);
    size_t at = out->bytes;
    ncs_draw_rank(s, 1, out);
    ncs_draw_pad(out, at, name + 2);
    if (!same) {
        add_what(s, out);
        ncs_str_add(out, "  ");
    }
    if (!s->over) {
        draw_pairs_add_state(s, out);
        const struct ncs_seen_rank *r = &s->rank[s->rank[0].presence == NCS_ABSENT];
        if (r->line)
            ncs_str_addf(out, ", line %d", r->line);
    } else {
        draw_pairs_add_data(style, s, wrong, out);
    }
    ncs_draw_cut(style, out, start);
    ncs_str_add(out, "\n");
}

/* "communicator world: 4 sends with their receives, float32 x 8" */
static void draw_pairs_add_heading(const struct ncs_draw_style *style, const struct ncs_seen *const *pair, size_t count,
                                   bool same, struct ncs_str *out)
{
    size_t start = out->bytes, puts = 0;
    for (size_t i = 0; i < count; i++)
        puts += is_put(pair[i]);
    ncs_str_add(out, "communicator ");
    ncs_safe_line(out, pair[0]->comm);
    ncs_str_add(out, ": ");
    if (puts < count)
        ncs_str_addf(out, "%zu send%s with %s receive%s%s", count - puts, count - puts == 1 ? "" : "s",
                     count - puts == 1 ? "its" : "their", count - puts == 1 ? "" : "s", puts ? ", " : "");
    if (puts)
        ncs_str_addf(out, "%zu put%s", puts, puts == 1 ? "" : "s");
    if (same) {
        ncs_str_add(out, ", ");
        add_what(pair[0], out);
    }
    ncs_draw_cut(style, out, start);
    ncs_str_add(out, "\n");
}

void ncs_draw_pairs(const struct ncs_seen *const *pair, size_t count, const struct ncs_draw_style *style, struct ncs_str *out)
{
    bool same = true, wrong = false;
    size_t name = 0, shown = 0;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        same = same && pair[i]->dtype == pair[0]->dtype && pair[i]->count == pair[0]->count;
        for (int k = 0; k < 2; k++) {
            struct ncs_str text = { 0 };
            ncs_draw_rank(pair[i], k, &text);
            name = text.bytes > name ? text.bytes : name;
            ncs_str_free(&text);
        }
    }
    draw_pairs_add_heading(style, pair, count, same, out);
    for (size_t i = 0; i < count; i++) {
        bool tell = !pair[i]->over || pair[i]->rank[1].wrongs;
        if (!style->all && shown >= SHOWN && !(tell && shown < 2 * SHOWN))
            continue;
        add_pair(style, pair[i], same, name, &wrong, out);
        shown++;
    }
    if (shown < count)
        ncs_str_addf(out, "  %s and %zu more\n", ncs_draw_signs(style)->dots, count - shown);
    if (wrong)
        ncs_draw_words(style, out, "! is not what was sent");
}
