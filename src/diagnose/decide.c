/* Which of several readings is reported. Where the run can be made again a trial decides (room run). Elsewhere, of a
 * record, of another's program, on real hardware, only the calls can: an explanation that makes all go on in
 * thought, with the smallest change and none that is as small, is likelier than what is told from who waits. */
#include <string.h>

#include "base/mem.h"
#include "diagnose/inquiry.h"

struct ncs_finding *ncs_first_cause(struct ncs_finding *finding, size_t findings)
{
    for (size_t i = 0; i < findings; i++)
        if (finding[i].level == NCS_LEVEL_ERROR && finding[i].blockeds)
            return &finding[i];
    return NULL;
}

void ncs_diagnosis_prefer(struct ncs_diagnosis *d, size_t alternative)
{
    struct ncs_alternative swap = { .finding = d->finding, .findings = d->findings };
    d->finding = d->alternative[alternative].finding;
    d->findings = d->alternative[alternative].findings;
    d->alternative[alternative] = swap;
}

/* ---- changes in place ---- */

static const struct ncs_comm_info *comm_named(const struct ncs_journal *j, const char *name)
{
    for (size_t c = 0; name && c < j->comms; c++)
        if (strcmp(j->comm[c]->name, name) == 0)
            return j->comm[c];
    return NULL;
}

/* The culprits made their call where all others made theirs: it is the one that was meant, with something changed. */
static bool is_at_one_place(const struct ncs_journal *j, const struct ncs_finding *f)
{
    const struct ncs_comm_info *comm = comm_named(j, f->comm);
    const struct ncs_call *first = NULL;
    for (int r = 0; comm && f->call && r < comm->nranks; r++) {
        const struct ncs_call *c = ncs_journal_call(j, comm->number, r, f->call);
        if (first && c && (c->place.line != first->place.line || c->place.file != first->place.file))
            return false;
        first = first ? first : c;
    }
    return first != NULL;
}

/* No call too few or too many: two in the other order, or one with something changed. Nothing that is left out or
 * put in is a smaller change. */
static bool changes_in_place(const struct ncs_journal *j, const struct ncs_finding *f)
{
    static const char *const mismatches[] = { "count-mismatch", "dtype-mismatch", "kind-mismatch", "op-mismatch",
                                              "p2p-count-mismatch", "root-mismatch" };
    for (size_t i = 0; i < sizeof mismatches / sizeof *mismatches; i++)
        if (strcmp(f->rule, mismatches[i]) == 0)
            return is_at_one_place(j, f);
    for (size_t i = 0; i < f->repairs; i++)
        if (f->repair[i].kind != NCS_EDIT_SWAP)
            return false;
    return f->repairs > 0;
}

/* ---- the decision ---- */

static size_t ranks_of(const struct ncs_finding *f, int *rank)
{
    size_t ranks = 0;
    for (size_t i = 0; i < f->culprits; i++)
        if (!ranks || rank[ranks - 1] != f->culprit[i].rank)
            rank[ranks++] = f->culprit[i].rank;
    return ranks;
}

/* "it could also be that rank 3 made 3 calls on world, the other 4, if rank 2 made the calls that were meant" */
static char *doubt(const struct ncs_finding *f, const struct ncs_finding *other)
{
    struct ncs_str s = { 0 };
    int *rank = ncs_new((f->culprits + 1) * sizeof *rank);
    ncs_str_addf(&s, "it could also be that %s, if ", other->why);
    ncs_say_ranks(&s, rank, ranks_of(f, rank));
    ncs_str_add(&s, " made the calls that were meant");
    ncs_free(rank);
    return ncs_str_take(&s);
}

static bool is_likelier(const struct ncs_journal *j, const struct ncs_finding *f, const struct ncs_finding *than)
{
    return f->culprits < than->culprits || !changes_in_place(j, than);
}

void ncs_diagnosis_decide(struct ncs_diagnosis *d, const struct ncs_journal *j)
{
    struct ncs_finding *first = ncs_first_cause(d->finding, d->findings);
    for (size_t i = 0; i < d->alternatives && first; i++) {
        const struct ncs_alternative *a = &d->alternative[i];
        struct ncs_finding *f = ncs_first_cause(a->finding, a->findings);
        if (!a->likelier || !f || !is_likelier(j, f, first))
            continue;
        f->otherwise = first->why ? doubt(f, first) : NULL;
        f->certainty = NCS_LIKELY;
        ncs_diagnosis_prefer(d, i);
        return;
    }
}
