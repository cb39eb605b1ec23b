/* Edits made ready: what they say of one run in words that hold in the next, in which memory,
 * communicators and handles have other addresses and numbers. */
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "run/amend_private.h"

struct ncs_amendments *ncs_amend_new(void)
{
    return ncs_new(sizeof(struct ncs_amendments));
}

static void free_round(struct round *r)
{
    for (size_t i = 0; i < r->changes; i++) {
        struct change *c = &r->change[i];
        ncs_free(c->label);
        ncs_free(c->send.spot.file);
        ncs_free(c->recv.spot.file);
        ncs_free(c->after.file);
    }
    ncs_free(r->change);
    ncs_free(r);
}

void ncs_amend_free(struct ncs_amendments *a)
{
    for (size_t i = 0; a && i < a->rounds; i++)
        free_round(a->round[i]);
    if (a)
        ncs_free(a->round);
    ncs_free(a);
}

uint32_t ncs_amend_membership(const struct ncs_journal *j, int comm, int comm_rank)
{
    if (comm < 0 || (size_t)comm >= j->comms || comm_rank < 0 ||
        comm_rank >= j->comm[comm]->members || j->comm[comm]->member[comm_rank].rank < 0)
        return 0;
    const struct ncs_member *own = &j->comm[comm]->member[comm_rank];
    uint32_t nth = 1;
    for (size_t i = 0; i < j->comms; i++)
        for (int k = 0; k < j->comm[i]->members; k++) {
            const struct ncs_member *m = &j->comm[i]->member[k];
            bool before = m->joined < own->joined ||
                          (m->joined == own->joined && (i < (size_t)comm ||
                                                        (i == (size_t)comm && k < comm_rank)));
            nth += m != own && m->rank == own->rank && before;
        }
    return nth;
}

/* ---- where an inserted call goes ---- */

static bool same_spot(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->fn == b->fn && a->place.line == b->place.line && a->place.file && b->place.file &&
           strcmp(a->place.file, b->place.file) == 0;
}

static uint64_t uses(const struct ncs_journal *j, int rank, const struct ncs_call *like,
                     const struct ncs_call *until)
{
    uint64_t count = 0;
    for (const struct ncs_call *c = j->oldest; c && c != until; c = c->newer)
        count += c->rank == rank && !c->ending && !c->opening && same_spot(c, like);
    return count;
}

/* Behind what its rank, too, has called last of all that the model's rank called before. */
static void find_spot(const struct ncs_journal *j, int rank, const struct ncs_call *model,
                      struct spot *out)
{
    for (const struct ncs_call *c = model->older; c; c = c->older) {
        if (c->rank != model->rank || c->thread != model->thread || c->opening || !c->place.line)
            continue;
        uint64_t nth = uses(j, rank, c, NULL), wanted = uses(j, model->rank, c, c) + 1;
        if (nth < wanted || (c->group && c->group == model->group && !c->number))
            continue;
        *out = (struct spot){ .file = ncs_copy_text(c->place.file), .line = c->place.line,
                              .fn = c->fn, .nth = wanted };
        return;
    }
}

/* ---- a call like the model's ---- */

static enum in_place in_place_of(const struct ncs_call *m)
{
    const char *send = ncs_call_sendbuff(m), *recv = ncs_call_recvbuff(m);
    size_t block = ncs_call_count(m) * ncs_dtype_bytes(ncs_call_dtype(m));
    size_t own = (size_t)m->comm_rank * block;
    if (!send || !recv)
        return APART;
    if ((m->fn == NCS_FN_ncclAllGather || m->fn == NCS_FN_ncclGather) && send == recv + own)
        return SEND_IN_RECV;
    if ((m->fn == NCS_FN_ncclReduceScatter || m->fn == NCS_FN_ncclScatter) && recv == send + own)
        return RECV_IN_SEND;
    return send == recv ? SAME : APART;
}

/* Its numbered neighbour on the communicator, in the same group. */
static bool grouped_with(const struct ncs_journal *j, const struct ncs_call *m, uint32_t number)
{
    const struct ncs_call *c = ncs_journal_call(j, m->comm, m->comm_rank, number);
    return m->group && c && c->group == m->group;
}

static bool is_grouped(const struct ncs_journal *j, int comm, int comm_rank, uint32_t number)
{
    const struct ncs_call *c = ncs_journal_call(j, comm, comm_rank, number);
    return c && c->group;
}

static bool copy_model(const struct ncs_journal *j, struct change *c)
{
    const struct ncs_edit *e = &c->edit;
    const struct ncs_call *m = ncs_journal_call(j, e->comm, e->model_comm_rank, e->model_call);
    if (!m || ncs_call_is_one_sided(m) || (e->answer && !ncs_call_arg(m, NCS_ARG_PEER)))
        return false;
    c->fn = m->fn;
    memcpy(c->arg, m->arg, sizeof c->arg);
    c->label = ncs_copy_text(m->label);
    ncs_amend_origin(j, m->rank, ncs_call_sendbuff(m), &c->send);
    ncs_amend_origin(j, m->rank, ncs_call_recvbuff(m), &c->recv);
    c->in_place = in_place_of(m);
    c->with_previous = !e->answer && e->model_call > 1 && grouped_with(j, m, e->model_call - 1);
    c->with_next = !e->answer && !c->with_previous && grouped_with(j, m, e->model_call + 1) &&
                   is_grouped(j, e->comm, e->comm_rank, e->call);
    if (!c->with_previous)
        find_spot(j, e->rank, m, &c->after);
    if (!e->answer)
        return true;
    c->fn = m->fn == NCS_FN_ncclSend ? NCS_FN_ncclRecv : NCS_FN_ncclSend;
    for (int i = 0; i < ncs_fn_info[c->fn].nargs; i++)
        if (ncs_fn_info[c->fn].arg[i].kind == NCS_ARG_PEER)
            c->arg[i].i = m->comm_rank;
    struct origin swap = c->send;
    c->send = c->recv;
    c->recv = swap;
    return true;
}

/* Inserted calls whose models are one group among themselves are one, too. */
static void group_inserts(const struct ncs_journal *j, struct round *r)
{
    for (size_t i = 0; i < r->changes; i++) {
        struct change *c = &r->change[i];
        if (c->edit.kind != NCS_EDIT_INSERT || c->edit.answer || c->with_previous)
            continue;
        const struct ncs_call *m =
            ncs_journal_call(j, c->edit.comm, c->edit.model_comm_rank, c->edit.model_call);
        size_t last = i;
        while (last + 1 < r->changes && r->change[last + 1].edit.kind == NCS_EDIT_INSERT &&
               r->change[last + 1].edit.rank == c->edit.rank &&
               r->change[last + 1].edit.comm == c->edit.comm && r->change[last + 1].with_previous &&
               grouped_with(j, m, r->change[last + 1].edit.model_call))
            last++;
        if (last == i)
            continue;
        c->opens = true;
        r->change[last].closes = true;
    }
}

static bool prepare(const struct ncs_journal *j, const struct ncs_edit *edit, struct change *c)
{
    c->edit = *edit;
    c->edit.text = c->edit.on = NULL;
    if (c->edit.other_comm < 0) {
        c->edit.other_comm = edit->comm;
        c->edit.other_comm_rank = edit->comm_rank;
    }
    c->nth = ncs_amend_membership(j, edit->comm, edit->comm_rank);
    c->other_nth = ncs_amend_membership(j, c->edit.other_comm, c->edit.other_comm_rank);
    if (!c->nth || !c->other_nth || edit->rank < 0)
        return false;
    return edit->kind != NCS_EDIT_INSERT || copy_model(j, c);
}

bool ncs_amend_add(struct ncs_amendments *a, const struct ncs_journal *j,
                   const struct ncs_edit *edit, size_t edits)
{
    struct round *r = ncs_new(sizeof *r);
    bool fine = j->dropped == 0 && edits > 0;
    for (size_t i = 0; i < edits && fine; i++) {
        struct change c = { .edit.rank = -1 };
        fine = prepare(j, &edit[i], &c);
        NCS_PUSH(r->change, r->changes, r->room, c);
    }
    if (!fine) {
        free_round(r);
        return false;
    }
    group_inserts(j, r);
    NCS_PUSH(a->round, a->rounds, a->room, r);
    return true;
}
