/* The smallest edit of calls that removes a finding: one function for each rule whose finding has
 * such an edit. If a rank has not come to the call yet, its next call is edited. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "diagnose/repair/repair.h"

/* ---- edits ---- */

static const struct ncs_member *member(const struct ncs_repairing *p, int comm, int comm_rank)
{
    return &p->q->journal->comm[comm]->member[comm_rank];
}

bool ncs_known_member(const struct ncs_repairing *p, int comm, int comm_rank)
{
    return comm >= 0 && (size_t)comm < p->q->journal->comms && comm_rank >= 0 && comm_rank < p->q->journal->comm[comm]->members &&
           member(p, comm, comm_rank)->rank >= 0;
}

static struct ncs_edit edit_at(const struct ncs_repairing *p, enum ncs_edit_kind kind, int comm, int comm_rank, uint32_t call)
{
    const struct ncs_call *c = ncs_journal_call(p->q->journal, comm, comm_rank, call);
    return (struct ncs_edit){ .kind = kind,
                              .rank = ncs_run_rank(p->q, comm, comm_rank),
                              .comm = comm,
                              .comm_rank = comm_rank,
                              .call = call,
                              .model = -1,
                              .other_comm = -1,
                              .other_comm_rank = -1,
                              .line = c ? c->place.line : 0 };
}

struct ncs_edit ncs_edit_of(const struct ncs_repairing *p, enum ncs_edit_kind kind, const struct ncs_call *c)
{
    return edit_at(p, kind, c->comm, c->comm_rank, c->number);
}

static bool repair_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Groups are never the same: each is part of a nesting. */
static bool same_edit(const struct ncs_edit *a, const struct ncs_edit *b)
{
    return a->kind == b->kind && a->comm == b->comm && a->comm_rank == b->comm_rank && a->call == b->call &&
           a->other == b->other && repair_same_text(a->argument, b->argument) && a->model_call == b->model_call &&
           a->kind != NCS_EDIT_GROUP;
}

static uint64_t repair_hash_of(const struct ncs_edit *e)
{
    uint64_t hash = ncs_hash((uint64_t)e->kind, (uint64_t)e->comm);
    hash = ncs_hash(ncs_hash(hash, (uint64_t)e->comm_rank), e->call);
    hash = ncs_hash(ncs_hash(hash, e->other), e->model_call);
    return e->argument ? ncs_hash_bytes(hash, e->argument, strlen(e->argument)) : hash;
}

/* Remembers the edit as number `place` of the draft; false if the draft has the same edit. Edits
 * with equal hashes take the keys behind each other. The map makes this independent of the number
 * of edits, which may be thousands in a loop. */
static bool is_new(struct ncs_repairing *p, const struct ncs_edit *e, size_t place)
{
    uint64_t key = repair_hash_of(e);
    uintptr_t at;
    for (; (at = (uintptr_t)ncs_map_get(&p->known, key)) != 0; key++)
        if (same_edit(&p->d->f.repair[at - 1], e))
            return false;
    ncs_map_put(&p->known, key, (void *)(uintptr_t)(place + 1));
    return true;
}

/* The most edits of one finding; its JSON lists them one by one. */
enum { MOST_EDITS = 1 << 14 };

void ncs_add_edit(struct ncs_repairing *p, struct ncs_edit e)
{
    struct ncs_draft *d = p->d;
    if (e.rank < 0 || (!e.call && e.kind != NCS_EDIT_GROUP) || d->f.repairs == MOST_EDITS)
        return;
    if (e.kind == NCS_EDIT_GROUP || is_new(p, &e, d->f.repairs))
        NCS_PUSH(d->f.repair, d->f.repairs, d->repair_room, e);
}

void ncs_add_insert(struct ncs_repairing *p, int comm_rank, uint32_t call, const struct ncs_call *model, bool answer)
{
    if (!ncs_known_member(p, model->comm, comm_rank) || !model->number || ncs_call_is_one_sided(model))
        return;
    struct ncs_edit e = edit_at(p, NCS_EDIT_INSERT, model->comm, comm_rank, call);
    e.model = model->rank;
    e.model_comm_rank = model->comm_rank;
    e.model_call = model->number;
    e.answer = answer;
    e.line = model->place.line;
    ncs_add_edit(p, e);
}

void ncs_add_argument(struct ncs_repairing *p, const struct ncs_call *c, const char *argument, int64_t value)
{
    struct ncs_edit e = ncs_edit_of(p, NCS_EDIT_ARGUMENT, c);
    e.argument = argument;
    e.value = value;
    ncs_add_edit(p, e);
}

void ncs_add_pair(struct ncs_repairing *p, enum ncs_edit_kind kind, const struct ncs_call *first, int comm, int comm_rank,
                  uint32_t other)
{
    struct ncs_edit e = ncs_edit_of(p, kind, first);
    e.other = other;
    e.further = kind == NCS_EDIT_GROUP && ncs_call_is_pair(first) && !ncs_journal_call(p->q->journal, comm, comm_rank, other);
    if (comm != first->comm || comm_rank != first->comm_rank) {
        e.other_comm = comm;
        e.other_comm_rank = comm_rank;
    }
    ncs_add_edit(p, e);
}

uint32_t ncs_next_of(const struct ncs_repairing *p, int comm, int comm_rank)
{
    return member(p, comm, comm_rank)->calls + 1;
}

/* ---- edits that a rule adds itself ---- */

/* Edits that the draft already has are known from the start. The caller frees p.known. */
static struct ncs_repairing repair_begin(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_repairing p = { .q = q, .r = r, .d = d };
    for (size_t i = 0; i < d->f.repairs; i++)
        if (d->f.repair[i].kind != NCS_EDIT_GROUP)
            is_new(&p, &d->f.repair[i], i);
    return p;
}

void ncs_repair_peer(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *wrong,
                     const struct ncs_call *wants, bool turned)
{
    struct ncs_repairing p = repair_begin(q, NULL, d);
    if (!turned) {
        ncs_add_argument(&p, wrong, "peer", wants->comm_rank);
        ncs_map_free(&p.known);
        return;
    }
    ncs_add_insert(&p, wrong->comm_rank, wrong->number, wants, true);
    ncs_add_edit(&p, ncs_edit_of(&p, NCS_EDIT_DELETE, wrong));
    ncs_map_free(&p.known);
}

void ncs_repair_comm(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *wrong, int comm)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    int own = -1, peer = -1, named = ncs_run_rank(q, wrong->comm, ncs_call_peer(wrong));
    for (int i = 0; i < info->nranks; i++) {
        own = info->member[i].rank == wrong->rank ? i : own;
        peer = ncs_call_is_pair(wrong) && info->member[i].rank == named ? i : peer;
    }
    if (own < 0 || (ncs_call_is_pair(wrong) && peer < 0))
        return;
    struct ncs_repairing p = repair_begin(q, NULL, d);
    struct ncs_edit e = ncs_edit_of(&p, NCS_EDIT_ARGUMENT, wrong);
    e.argument = "comm";
    e.value = e.other_comm = comm;
    e.other_comm_rank = own;
    ncs_add_edit(&p, e);
    if (peer >= 0 && peer != ncs_call_peer(wrong))
        ncs_add_argument(&p, wrong, "peer", peer);
    ncs_map_free(&p.known);
}

void ncs_repair_swap(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *a, const struct ncs_call *b)
{
    struct ncs_repairing p = repair_begin(q, NULL, d);
    bool first = a->number < b->number;
    ncs_add_pair(&p, NCS_EDIT_SWAP, first ? a : b, a->comm, a->comm_rank, first ? b->number : a->number);
    ncs_map_free(&p.known);
}

/* ---- by the rule of a finding ---- */

static const struct {
    const char *rule;
    ncs_repair_rule *fill;
} repairs[] = {
    { "skipped-call", ncs_repair_skipped },
    { "early-destroy", ncs_repair_absent },
    { "extra-call", ncs_repair_extra },
    { "swapped-calls", ncs_repair_swapped },
    { "kind-mismatch", ncs_repair_kind },
    { "root-mismatch", ncs_repair_arguments },
    { "dtype-mismatch", ncs_repair_arguments },
    { "count-mismatch", ncs_repair_arguments },
    { "op-mismatch", ncs_repair_arguments },
    { "zero-count", ncs_repair_zero },
    { "missing-group-end", ncs_repair_group_end },
    { "send-without-recv", ncs_repair_alone },
    { "recv-without-send", ncs_repair_alone },
    { "p2p-count-mismatch", ncs_repair_p2p_count },
    { "p2p-cycle", ncs_repair_p2p_cycle },
    { "comm-order", ncs_repair_comm_order },
    { "one-thread-no-group", ncs_repair_one_thread },
    { "error-path", ncs_repair_refused },
};

void ncs_repairs(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->edits)
        d->f.repairs = 0; /* r->edit has all edits, also those that the rule added itself */
    struct ncs_repairing p = repair_begin(q, r, d);
    for (size_t i = 0; i < r->edits && i < MOST_EDITS; i++) /* several may be alike: rounds of a loop */
        NCS_PUSH(d->f.repair, d->f.repairs, d->repair_room, r->edit[i]);
    for (size_t i = 0; i < sizeof repairs / sizeof *repairs && !r->edits; i++)
        if (strcmp(repairs[i].rule, d->f.rule) == 0)
            repairs[i].fill(&p);
    ncs_map_free(&p.known);
    for (size_t i = 0; i < d->f.repairs; i++) {
        d->f.repair[i].on = d->f.repair[i].of_host ? NULL : ncs_copy_text(ncs_comm_name(q, d->f.repair[i].comm));
        d->f.repair[i].key = ncs_copy_text(d->f.repair[i].key);
        d->f.repair[i].text = ncs_format_edit(q, &d->f.repair[i]);
    }
}
