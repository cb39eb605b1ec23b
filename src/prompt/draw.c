/* Draws collectives: those of the last line that made any. */
#include <string.h>

#include "base/mem.h"
#include "prompt/private.h"
#include "report/draw.h"

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

/* Draws operations from `first` on; successive sends of one communicator share a drawing. */
static void draw_from(const struct ncs_seen *const *seen, size_t first, size_t count,
                      const struct ncs_draw_style *style, struct ncs_str *out)
{
    for (size_t i = first, n; i < count; i += n) {
        n = 1;
        while (draw_is_pair(seen[i]) && i + n < count && draw_is_pair(seen[i + n]) &&
               seen[i + n]->comm_number == seen[i]->comm_number)
            n++;
        if (draw_is_pair(seen[i]))
            ncs_draw_pairs(&seen[i], n, style, out);
        else
            ncs_draw(seen[i], style, out);
    }
}

bool show_drawing(struct ncs_prompt *p, const char *arguments)
{
    struct ncs_draw_style style = { .what = NCS_DRAW_CALLS, .width = p->options.width,
                                    .unicode = p->options.unicode };
    struct ncs_str out = { 0 };
    size_t count;
    if (strcmp(arguments, "steps") == 0) {
        style.what = NCS_DRAW_STEPS;
    } else if (strcmp(arguments, "tree") == 0) {
        style.what = NCS_DRAW_TREE;
    } else if (*arguments) {
        prompt_print(p, "error: `%s` is no way to draw, expected steps or tree", arguments);
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
