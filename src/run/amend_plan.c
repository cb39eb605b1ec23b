/* Prepares edits for the next run, in which memory, communicators and handles have other addresses
 * and numbers. */
#include <stdint.h>
#include <string.h>

#include "api/meeting.h"
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
        ncs_free((char *)c->place.file);
        ncs_free(c->send.spot.file);
        ncs_free(c->recv.spot.file);
        ncs_free(c->after.file);
        ncs_free(c->key);
        ncs_free(c->rank);
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

/* ---- where an inserted call goes ---- */

/* Finds the spot of an inserted call: right after the rank's own latest call among those that the
 * model's rank made before the model. */
static void find_spot(const struct ncs_past *past, int rank, int thread, const struct ncs_call *model, struct spot *out)
{
    bool by_thread = thread != NCS_ANY_THREAD;
    const struct ncs_call *c = model;
    while ((c = ncs_past_before(past, c)) != NULL) {
        uint64_t wanted = c->place.line ? ncs_past_use(past, c, by_thread) : 0;
        if (!wanted || ncs_past_uses(past, rank, thread, c) < wanted || (c->group && c->group == model->group && !c->number))
            continue;
        *out = (struct spot){ .file = ncs_copy_text(c->place.file), .line = c->place.line, .fn = c->fn, .nth = wanted };
        return;
    }
}

/* ---- a call like the model's ---- */

static enum in_place in_place_of(const struct ncs_call *m)
{
    const struct ncs_fn_info *info = &ncs_fn_info[m->fn];
    /* Numbers: a count from a stranger may lead beyond all memory. */
    uintptr_t send = (uintptr_t)ncs_call_sendbuff(m), recv = (uintptr_t)ncs_call_recvbuff(m);
    uintptr_t own = (uintptr_t)m->comm_rank * ncs_call_count(m) * ncs_dtype_bytes(ncs_call_dtype(m));
    if (!send || !recv)
        return APART;
    if (ncs_blocks_are_many(info->writes) && !ncs_blocks_are_many(info->reads) && send == recv + own)
        return SEND_IN_RECV;
    if (ncs_blocks_are_many(info->reads) && !ncs_blocks_are_many(info->writes) && recv == send + own)
        return RECV_IN_SEND;
    return send == recv ? SAME : APART;
}

/* True if call `number` of the communicator is in the same group as m. */
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

static bool put_beside(const struct ncs_past *past, const struct ncs_call *other, struct change *c)
{
    const struct ncs_edit *e = &c->edit;
    if (!other || other->comm_rank == e->comm_rank || !other->group || other->rank != e->rank ||
        (c->thread != NCS_ANY_THREAD && other->thread != c->thread))
        return false;
    c->beside = ncs_past_nth(past, other->comm, other->comm_rank);
    c->beside_call = other->number;
    return true;
}

/* One thread makes the calls of several ranks in one group. The inserted call joins the group of
 * its model, or the group of a call like the model. */
static void find_beside(const struct ncs_journal *j, const struct ncs_past *past, const struct ncs_call *model, struct change *c)
{
    const struct ncs_edit *e = &c->edit;
    if (!e->of_party || e->answer || put_beside(past, model, c))
        return;
    for (int k = 0; k < j->comm[e->comm]->nranks; k++) {
        const struct ncs_call *other = ncs_journal_call(j, e->comm, k, model->number);
        if (other && ncs_calls_are_alike(other, model) && put_beside(past, other, c))
            return;
    }
    for (int k = 0; k < j->comm[e->comm]->nranks; k++)
        if (put_beside(past, ncs_journal_call(j, e->comm, k, e->call), c))
            return;
}

/* Copies a wait for the signals of one peer. If the edit names a peer, the copy
 * waits for that peer. */
static bool copy_wait(const struct ncs_call *call, struct change *c)
{
    size_t count;
    const ncclWaitSignalDesc_t *w = ncs_call_waits(call, &count);
    if (call->fn != NCS_FN_ncclWaitSignal)
        return true;
    if (count != 1)
        return false;
    c->wait = w[0];
    if (c->edit.argument)
        c->wait.peer = (int)c->edit.value;
    return true;
}

static void put_as_signal(const struct ncs_call *put, struct change *c)
{
    const struct ncs_fn_info *from = &ncs_fn_info[put->fn], *to = &ncs_fn_info[NCS_FN_ncclSignal];
    c->fn = NCS_FN_ncclSignal;
    for (int i = 0; i < to->nargs; i++)
        for (int k = 0; k < from->nargs; k++)
            if (strcmp(to->arg[i].name, from->arg[k].name) == 0)
                c->arg[i] = put->arg[k];
}

/* The thread that makes all calls of the member: those of another one may be ahead of it. */
static int thread_of_edit(const struct ncs_journal *j, const struct ncs_edit *e)
{
    const struct ncs_member *m = &j->comm[e->comm]->member[e->comm_rank];
    const struct ncs_call *first = ncs_journal_call(j, e->comm, e->comm_rank, 1);
    if (e->of_party && e->thread >= 0)
        return e->thread;
    for (uint32_t i = 1; i <= m->calls; i++) {
        const struct ncs_call *call = ncs_journal_call(j, e->comm, e->comm_rank, i);
        if (!call || call->thread != first->thread)
            return NCS_ANY_THREAD;
    }
    return m->calls ? first->thread : NCS_ANY_THREAD;
}

/* Right before a call of its thread's; of one in a group, before the group. */
static bool find_exact_spot(const struct ncs_journal *j, const struct ncs_past *past, struct change *c)
{
    const struct ncs_call *next = c->edit.before ? ncs_amend_call_with(j, c->edit.before) : NULL;
    for (const struct ncs_call *b = next; b && next->group; b = ncs_past_before(past, b)) {
        if (b->group != next->group && b->fn != NCS_FN_ncclGroupStart)
            break;
        next = b;
        if (b->fn == NCS_FN_ncclGroupStart && b->group != next->group)
            break;
    }
    uint64_t use = next && next->place.file ? ncs_past_use(past, next, true) : 0;
    if (!use)
        return false;
    c->after = (struct spot){ .file = ncs_copy_text(next->place.file), .line = next->place.line, .fn = next->fn, .nth = use };
    c->thread = next->thread;
    return c->exact = true;
}

static bool copy_model(const struct ncs_journal *j, const struct ncs_past *past, struct change *c)
{
    const struct ncs_edit *e = &c->edit;
    const struct ncs_call *m = ncs_journal_call(j, e->comm, e->model_comm_rank, e->model_call);
    if (!m || (e->answer && !ncs_call_arg(m, NCS_ARG_PEER)) || !copy_wait(m, c))
        return false;
    const struct memory *memory = ncs_past_memory(past, m->rank);
    c->thread = thread_of_edit(j, e);
    c->fn = m->fn;
    memcpy(c->arg, m->arg, ncs_fn_info[m->fn].nargs * sizeof *c->arg);
    if (m->fn == NCS_FN_ncclPutSignal) /* only the signal: the place of its data is not known */
        put_as_signal(m, c);
    c->label = ncs_copy_text(m->label);
    struct ncs_place place = e->place.file ? e->place : e->answer ? (struct ncs_place){ 0 } : m->place;
    if (place.file)
        c->place = (struct ncs_place){ ncs_copy_text(place.file), place.line };
    find_beside(j, past, m, c);
    if (m->rank != e->rank || c->thread == NCS_ANY_THREAD || c->thread == m->thread) {
        ncs_amend_origin(memory, ncs_call_sendbuff(m), &c->send);
        ncs_amend_origin(memory, ncs_call_recvbuff(m), &c->recv);
    } /* otherwise they belong to another thread's device */
    c->in_place = in_place_of(m);
    c->with_previous = !c->beside && !e->answer && e->model_call > 1 && grouped_with(j, m, e->model_call - 1);
    c->with_next = !c->beside && !e->answer && !c->with_previous && grouped_with(j, m, e->model_call + 1) &&
                   is_grouped(j, e->comm, e->comm_rank, e->call);
    if (!c->with_previous && (c->beside || c->with_next || !find_exact_spot(j, past, c)))
        find_spot(past, e->rank, c->thread, m, &c->after);
    if (!e->answer) {
        for (int i = 0; i < ncs_fn_info[c->fn].nargs && e->argument; i++)
            if (ncs_fn_info[c->fn].arg[i].kind == NCS_ARG_PEER)
                c->arg[i].i = e->value;
        return true;
    }
    c->fn = m->fn == NCS_FN_ncclSend ? NCS_FN_ncclRecv : NCS_FN_ncclSend;
    for (int i = 0; i < ncs_fn_info[c->fn].nargs; i++)
        if (ncs_fn_info[c->fn].arg[i].kind == NCS_ARG_PEER)
            c->arg[i].i = m->comm_rank;
    struct origin swap = c->send;
    c->send = c->recv;
    c->recv = swap;
    return true;
}

/* If the models of consecutive inserted calls form one group, so do the inserted calls. */
static void group_inserts(const struct ncs_journal *j, struct round *r)
{
    for (size_t i = 0; i < r->changes; i++) {
        struct change *c = &r->change[i];
        if (c->edit.kind != NCS_EDIT_INSERT || c->edit.of_host || c->edit.answer || c->with_previous)
            continue;
        const struct ncs_call *m = ncs_journal_call(j, c->edit.comm, c->edit.model_comm_rank, c->edit.model_call);
        size_t last = i;
        while (last + 1 < r->changes && r->change[last + 1].edit.kind == NCS_EDIT_INSERT &&
               r->change[last + 1].edit.rank == c->edit.rank && !r->change[last + 1].edit.of_host &&
               r->change[last + 1].edit.comm == c->edit.comm && r->change[last + 1].with_previous &&
               grouped_with(j, m, r->change[last + 1].edit.model_call))
            last++;
        if (last == i)
            continue;
        c->opens = true;
        r->change[last].closes = true;
        for (size_t k = i + 1; k <= last; k++)
            r->change[k].follows = true;
    }
}

static bool amend_plan_prepare(const struct ncs_journal *j, const struct ncs_past *past, const struct ncs_edit *edit,
                               struct change *c)
{
    c->edit = *edit;
    if (edit->of_host)
        return edit->rank >= 0 && ncs_amend_prepare_host(j, past, c);
    c->edit.text = c->edit.on = NULL;
    if (c->edit.other_comm < 0) {
        c->edit.other_comm = edit->comm;
        c->edit.other_comm_rank = edit->comm_rank;
    }
    c->nth = ncs_past_nth(past, edit->comm, edit->comm_rank);
    c->other_nth = ncs_past_nth(past, c->edit.other_comm, c->edit.other_comm_rank);
    if (!c->nth || !c->other_nth || edit->rank < 0)
        return false;
    const struct ncs_call *own = ncs_journal_call(j, edit->comm, edit->comm_rank, edit->call);
    if (edit->kind == NCS_EDIT_ARGUMENT && own && !copy_wait(own, c))
        return false;
    return edit->kind != NCS_EDIT_INSERT || copy_model(j, past, c);
}

bool ncs_amend_add(struct ncs_amendments *a, const struct ncs_journal *j, const struct ncs_edit *edit, size_t edits)
{
    struct round *r = ncs_new(sizeof *r);
    struct ncs_past *past = ncs_amend_past(j);
    bool fine = j->dropped == 0 && edits > 0;
    for (size_t i = 0; i < edits && fine; i++) {
        struct change c = { .edit.rank = -1 };
        fine = amend_plan_prepare(j, past, &edit[i], &c);
        NCS_PUSH(r->change, r->changes, r->room, c);
    }
    ncs_amend_past_free(past);
    if (!fine) {
        free_round(r);
        return false;
    }
    group_inserts(j, r);
    NCS_PUSH(a->round, a->rounds, a->room, r);
    return true;
}
