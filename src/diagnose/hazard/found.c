/* The hazards that were found: one for each pair of places in the program, with the ranks that have it. A hazard is felt
 * if a wrong value may come from it. */
#include "api/meeting.h"
#include "base/hash.h"
#include "diagnose/hazard/private.h"

#define MOST_FOUND 64      /* pairs of places; more are not recorded */
#define MOST_TAINTED 65536 /* calls that take part in a hazard and are remembered */
#define MOST_MISSED 4096   /* calls with wrong results that are remembered */

static bool found_same_place(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->fn == b->fn && a->place.line == b->place.line && a->place.file == b->place.file;
}

static bool is_counted(const struct ncs_call *call)
{
    return call->number != 0 && call->comm >= 0;
}

/* A wrong result on one rank so leads to a hazard on another rank's input. The communicator is known by a number that no
 * other one ever has. */
uint64_t hazard_key_of(const struct ncs_hazards *h, const struct ncs_call *call)
{
    struct ncs_meeting_key key;
    if (!is_counted(call) || !ncs_call_meets(call, &key))
        return ncs_hash(1, call->id);
    return ncs_hash(ncs_hash(2, h->journal->comm[call->comm]->serial), ncs_meeting_hash(&key));
}

static void taint(struct ncs_hazards *h, const struct ncs_call *call, size_t found)
{
    uint64_t key = hazard_key_of(h, call);
    if (h->tainted.count < MOST_TAINTED && !ncs_map_get(&h->tainted, key))
        ncs_map_put(&h->tainted, key, (void *)(uintptr_t)(found + 1));
}

static void found_add_rank(struct ncs_hazard *f, struct ncs_hazard_at at)
{
    size_t i = f->ats;
    while (i > 0 && f->at[i - 1].rank > at.rank)
        i--;
    if (i > 0 && f->at[i - 1].rank == at.rank)
        return;
    ncs_call_pin(at.named);
    NCS_PUSH(f->at, f->ats, f->room, at);
    memmove(&f->at[i + 1], &f->at[i], (f->ats - 1 - i) * sizeof *f->at);
    f->at[i] = at;
}

static size_t found_find(const struct ncs_hazards *h, enum ncs_hazard_kind kind, const struct ncs_call *earlier,
                         const struct ncs_call *later)
{
    size_t i = 0;
    while (i < h->founds && (h->found[i].kind != kind || !found_same_place(h->found[i].earlier, earlier) ||
                             !found_same_place(h->found[i].later, later)))
        i++;
    return i;
}

/* The lowest rank's calls stand for the hazard: which rank met it first depends on the schedule. */
static void stand_for(struct ncs_hazard *f, const struct access *earlier, const struct step *later, unsigned does,
                      struct ncs_call *sync)
{
    ncs_call_pin(earlier->call);
    ncs_call_pin(later->call);
    ncs_call_pin(sync);
    ncs_call_unpin(f->earlier);
    ncs_call_unpin(f->later);
    ncs_call_unpin(f->sync);
    f->earlier = earlier->call;
    f->later = later->call;
    f->sync = sync;
    f->earlier_does = earlier->does;
    f->later_does = does;
    f->host = later->tick == 0;
    f->same_launch = hazard_same_launch(earlier, later);
}

int hazard_found(struct rank *r, enum ncs_hazard_kind kind, const struct access *earlier, const struct step *later, unsigned does,
                 struct ncs_call *sync)
{
    struct ncs_hazards *h = r->all;
    size_t i = found_find(h, kind, earlier->call, later->call);
    if (i == MOST_FOUND)
        return -1;
    if (i == h->founds)
        NCS_PUSH(h->found, h->founds, h->found_room, (struct ncs_hazard){ .kind = kind });
    struct ncs_hazard *f = &h->found[i];
    struct ncs_call *named = is_counted(earlier->call) ? earlier->call : later->call;
    int rank = h->options.one_process ? ncs_journal_rank_of(h->journal, named) : r->rank;
    if (f->ats == 0 || rank < f->at[0].rank)
        stand_for(f, earlier, later, does, sync);
    f->times++;
    struct ncs_hazard_at at = { .rank = rank, .comm = -1, .comm_rank = -1 };
    if (is_counted(named))
        at = (struct ncs_hazard_at){ rank, named->comm, named->comm_rank, named->number, named };
    found_add_rank(f, at);
    taint(h, earlier->call, i);
    taint(h, later->call, i);
    return (int)i;
}

static void miss(struct ncs_hazards *h, const struct ncs_call *call)
{
    if (h->misses < MOST_MISSED)
        NCS_PUSH(h->missed, h->misses, h->miss_room, hazard_key_of(h, call));
}

void ncs_hazards_wrong(struct ncs_hazards *h, const struct ncs_call *call)
{
    miss(h, call);
}

/* The newest reads are those of the comparison. What they read is what the rank expected there: it knows that its buffer
 * was left alone, and may go on to use it. */
static void mean(struct rank *r, unsigned count)
{
    int found = count ? r->recent[(r->recents - 1) % RECENT].found : -1;
    if (found < 0 || r->all->found[found].kind != NCS_HAZARD_OFF_ROOT)
        return;
    for (unsigned i = 1; i <= count; i++) {
        const struct recent *seen = &r->recent[(r->recents - i) % RECENT];
        struct block *b = hazard_block(r, seen->from);
        if (seen->found != found)
            return;
        r->all->found[found].meant++;
        if (b)
            hazard_fill_hollow(b, seen->from, seen->to);
    }
}

/* The rank expected something else than its own input, which a call in place has left there. */
static void feel_kept(struct rank *r, const struct recent *seen)
{
    struct access left = { .call = seen->kept };
    struct step reads = { .call = seen->read };
    int found = seen->kept ? hazard_found(r, NCS_HAZARD_OFF_ROOT, &left, &reads, NCS_TOUCH_READ, NULL) : -1;
    if (found >= 0)
        r->all->found[found].kept = r->all->found[found].felt = true;
}

void ncs_hazards_compared(struct ncs_hazards *h, int rank, bool held)
{
    if (rank < 0)
        return;
    struct rank *r = hazard_rank(h, rank);
    unsigned count = r->recents < RECENT ? r->recents : RECENT;
    if (held)
        mean(r, count);
    for (unsigned i = 0; i < count && !held; i++) {
        const struct recent *seen = &r->recent[i];
        if (seen->found >= 0)
            h->found[seen->found].felt = true;
        feel_kept(r, seen);
        hazard_each_writer(r, seen->from, seen->to, miss, h);
    }
    hazard_forget_reads(r);
}

const struct ncs_hazard *ncs_hazards_found(struct ncs_hazards *h, size_t *count)
{
    for (size_t i = 0; i < h->misses; i++) {
        uintptr_t found = (uintptr_t)ncs_map_get(&h->tainted, h->missed[i]);
        if (found)
            h->found[found - 1].felt = true;
    }
    h->misses = 0;
    *count = h->founds;
    return h->found;
}
