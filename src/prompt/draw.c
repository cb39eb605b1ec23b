/* Draws collectives: those of the last line that made any. */
#include <string.h>

#include "prompt/private.h"
#include "report/draw.h"

enum { DIAGRAMS = 4 }; /* of a line that are drawn, unless all are wanted */

static const struct ncs_seen *const *all_seen(const struct ncs_prompt *p, size_t *count)
{
    const struct ncs_result *r = ncs_run_so_far(p->run);
    *count = r->seens;
    return r->seen;
}

/* Marks the operations before a line. A line without communication keeps the previous mark. */
void prompt_mark_seen(struct ncs_prompt *p)
{
    size_t count, over = 0;
    const struct ncs_seen *const *seen = all_seen(p, &count);
    for (size_t i = 0; i < count; i++)
        over += !seen[i]->passing;
    if (over > p->seen_before)
        p->seen_before = over;
}

static bool draw_is_pair(const struct ncs_seen *s)
{
    return s->src >= 0;
}

/* How many operations from `at` on share a diagram: successive sends of one communicator. */
static size_t operations_of_diagram(const struct ncs_seen *const *seen, size_t at, size_t count)
{
    size_t n = 1;
    while (draw_is_pair(seen[at]) && at + n < count && draw_is_pair(seen[at + n]) &&
           seen[at + n]->comm_number == seen[at]->comm_number)
        n++;
    return n;
}

static size_t count_diagrams(const struct ncs_seen *const *seen, size_t first, size_t count)
{
    size_t diagrams = 0;
    for (size_t i = first; i < count; i += operations_of_diagram(seen, i, count))
        diagrams++;
    return diagrams;
}

/* Draws operations from `first` on. A loop may have made many: the last diagrams are drawn, or all. */
static void draw_from(const struct ncs_seen *const *seen, size_t first, size_t count, const struct ncs_draw_style *style,
                      struct ncs_str *out)
{
    size_t diagrams = count_diagrams(seen, first, count);
    size_t skipped = diagrams > DIAGRAMS && !style->all ? diagrams - DIAGRAMS : 0;
    if (skipped)
        ncs_str_addf(out, "the line made %zu; the last %d are drawn, `:draw all` draws all\n", diagrams, DIAGRAMS);
    for (size_t i = first, n; i < count; i += n) {
        n = operations_of_diagram(seen, i, count);
        if (skipped && skipped--)
            continue;
        if (draw_is_pair(seen[i]))
            ncs_draw_pairs(&seen[i], n, style, out);
        else
            ncs_draw(seen[i], style, out);
    }
}

bool show_drawing(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_draw_style style = { .what = NCS_DRAW_CALLS, .width = prompt_columns(p), .unicode = p->options.unicode };
    struct ncs_str out = { 0 };
    size_t count;
    if (strcmp(arguments, "steps") == 0) {
        style.what = NCS_DRAW_STEPS;
    } else if (strcmp(arguments, "tree") == 0) {
        style.what = NCS_DRAW_TREE;
    } else if (strcmp(arguments, "all") == 0) {
        style.all = true;
    } else if (*arguments) {
        prompt_put(p, "error: unknown drawing `%s`, expected steps, tree or all", arguments);
        return true;
    }
    prompt_look(p);
    const struct ncs_seen *const *seen = all_seen(p, &count);
    size_t first = p->seen_before < count ? p->seen_before : count ? count - 1 : 0;
    if (count)
        draw_from(seen, first, count, &style, &out);
    else
        ncs_str_add(&out, "no collective has been made\n");
    prompt_write(p, &out);
    return true;
}
