/* Whether a diagnosis speaks of the job's ranks only. Reports assert it: a rank that does not exist comes from a number of another
 * kind, of a process, a thread or a communicator. */
#include "diagnose/finding.h"

/* -1: nobody. */
static bool rank_fits(int rank, int ranks)
{
    return rank >= -1 && rank < ranks;
}

static bool ranks_fit(const int *rank, size_t count, int ranks)
{
    bool fit = true;
    for (size_t i = 0; i < count; i++)
        fit &= rank_fits(rank[i], ranks);
    return fit;
}

static bool finding_fits(const struct ncs_finding *f, int ranks)
{
    bool fits = ranks_fit(f->blocked, f->blockeds, ranks) && ranks_fit(f->bystander, f->bystanders, ranks);
    for (size_t i = 0; i < f->culprits; i++)
        fits &= rank_fits(f->culprit[i].rank, ranks);
    for (size_t i = 0; i < f->cycles; i++)
        fits &= rank_fits(f->cycle[i].rank, ranks) && rank_fits(f->cycle[i].waits_for, ranks);
    for (size_t i = 0; i < f->rows; i++)
        fits &= rank_fits(f->row[i].rank, ranks);
    for (size_t i = 0; i < f->others; i++)
        fits &= finding_fits(&f->other[i], ranks);
    return fits;
}

bool ncs_diagnosis_fits(const struct ncs_diagnosis *d, int ranks)
{
    bool fits = true;
    ranks = d->parties > (size_t)ranks ? (int)d->parties : ranks;
    if (ranks == 0) /* a program without a communicator: the numbers are those of its devices */
        return true;
    for (size_t i = 0; i < d->findings; i++)
        fits &= finding_fits(&d->finding[i], ranks);
    for (size_t i = 0; i < d->waits; i++)
        fits &= rank_fits(d->wait[i].rank, ranks) && ranks_fit(d->wait[i].peer, d->wait[i].peers, ranks);
    return fits;
}
