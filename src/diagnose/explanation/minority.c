/* Finds ranks that go another way than ranks like them, whether or not this explains the
 * waits. If no tried change lets all ranks go on, such a rank is named beside the cause
 * that the waits show. */
#include "diagnose/explanation/explain.h"

#include "base/mem.h"

/* The related way that most courses take; the way itself if there is none. */
static size_t model_of(const struct ncs_explanations *s, size_t way)
{
    size_t best = way, most = 0;
    for (size_t w = 0; w < s->ways.count; w++)
        if (w != way && ncs_misfits_related(s->misfits, way, w) && s->ways.of[w].courses > most) {
            most = s->ways.of[w].courses;
            best = w;
        }
    return best;
}

/* The first step at which the ways diverge; *more: `way` has made it and `model` has not. NULL =
 * none. */
static const struct ncs_step *divergence_of_ways(const struct ncs_explanations *s, size_t way, size_t model, bool *more)
{
    struct ncs_divergence d = { 0 };
    const struct ncs_step *first = NULL;
    bool apart = model != way && ncs_diverge(&s->ways, way, model, (struct ncs_weights){ 1, 1, false }, &d);
    for (size_t i = 0; apart && i < d.gaps && !first; i++) {
        const struct ncs_step *step = d.gap[i].more ? &s->ways.of[way].step[d.gap[i].at]
                                                    : &s->ways.of[model].step[d.gap[i].of];
        *more = d.gap[i].more;
        first = step->kind == NCS_STEP_WAIT ? NULL : step; /* a wait comes and goes with calls */
    }
    ncs_free(d.gap);
    return first;
}

/* "comm:send at line 12", "barrier at line 7" */
static void minority_format_step(struct ncs_str *out, const struct ncs_step *step)
{
    ncs_str_add(out, step->host ? step->call->label : ncs_function_name(step->call));
    if (!step->host)
        ncs_format_place(out, step->call);
    else if (step->host->place.line)
        ncs_str_addf(out, " at line %d", step->host->place.line);
}

/* Adds " called comm:send at line 12 where the others did not". False = the course does as the
 * others do. */
static bool format_divergence_of(const struct ncs_explanations *s, size_t course, struct ncs_str *out)
{
    bool more = false;
    size_t way = ncs_misfits_way(s->misfits, course);
    const struct ncs_step *first = divergence_of_ways(s, way, model_of(s, way), &more);
    const struct ncs_step *minority = first ? NULL : ncs_usual_first_unlike(&s->usual, course);
    if (minority) {
        ncs_str_add(out, minority->host ? " named another key in " : " named another peer in ");
        minority_format_step(out, minority);
        ncs_str_add(out, " than the others");
    } else if (first) {
        ncs_str_add(out, more ? " called " : " did not call ");
        minority_format_step(out, first);
        ncs_str_addf(out, " where the others did%s", more ? " not" : "");
    }
    return minority || first;
}

/* "rank 0 called comm:send at line 12, rank 1 did not": two ranks have no minority, so neither is
 * blamed. */
static bool format_divergence_of_two(const struct ncs_explanations *s, struct ncs_str *out)
{
    bool more = false;
    const struct ncs_step *step = divergence_of_ways(s, ncs_misfits_way(s->misfits, 0), ncs_misfits_way(s->misfits, 1), &more);
    int first = s->courses.of[more ? 0 : 1].rank, second = s->courses.of[more ? 1 : 0].rank;
    if (!step)
        return false;
    ncs_str_addf(out, "rank %d called ", first);
    minority_format_step(out, step);
    ncs_str_addf(out, ", rank %d did not", second);
    return true;
}

/* The courses furthest from all others, in `minority`; returns their number, 0 if they are more
 * than half. */
static size_t find_furthest(const struct ncs_explanations *s, size_t *minority)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < s->courses.count; i++) {
        size_t far = ncs_misfit_of(s->misfits, i);
        if (far > most)
            count = 0;
        most = far > most ? far : most;
        if (far && far == most)
            minority[count++] = i;
    }
    return 2 * count <= s->courses.count || s->courses.count == 2 ? count : 0;
}

bool ncs_find_minority(const struct ncs_explanations *s, struct ncs_finding *out)
{
    size_t *minority = ncs_new((s->courses.count + 1) * sizeof *minority), room = 0, ranks = 0;
    int *rank = ncs_new((s->courses.count + 1) * sizeof *rank);
    size_t count = s->misfits ? find_furthest(s, minority) : 0;
    *out = (struct ncs_finding){ .rule = "waiting" };
    for (size_t i = 0; i < count; i++) {
        struct ncs_culprit c = { .rank = s->courses.of[minority[i]].rank, .comm_rank = -1 };
        if (ranks && rank[ranks - 1] == c.rank)
            continue;
        rank[ranks++] = c.rank;
        NCS_PUSH(out->culprit, out->culprits, room, c);
    }
    struct ncs_str why = { 0 };
    bool found = count && s->courses.count == 2 ? format_divergence_of_two(s, &why) : false;
    if (count && s->courses.count > 2) {
        ncs_format_ranks(&why, rank, ranks);
        found = format_divergence_of(s, minority[0], &why);
    }
    out->why = ncs_str_take(&why);
    ncs_free(minority);
    ncs_free(rank);
    if (!found)
        ncs_free_finding(out);
    return found;
}
