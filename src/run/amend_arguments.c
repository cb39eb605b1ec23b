/* Arguments of calls that are inserted or changed. */
#include <string.h>

#include "api/types.h"
#include "run/amend_private.h"

static union ncs_arg *slot(struct ncs_call *call, enum ncs_kind kind)
{
    return (union ncs_arg *)ncs_call_arg(call, kind);
}

static void set_buffer(struct ncs_call *call, bool send, void *p)
{
    union ncs_arg *own = slot(call, send ? NCS_ARG_IN : NCS_ARG_OUT);
    if (!own)
        own = slot(call, NCS_ARG_INOUT);
    if (own)
        own->p = p;
}

/* Two sizes in bytes: of one block, and of all that the call reads or writes on its own rank. */
static size_t amend_arguments_block_of(const struct ncs_call *call)
{
    return ncs_call_count(call) * ncs_dtype_bytes(ncs_call_dtype(call));
}

static size_t amend_arguments_need_of(const struct ncs_run *run, const struct ncs_call *call, bool send)
{
    int nranks = run->journal->comm[call->comm]->nranks;
    return amend_arguments_block_of(call) * (send ? ncs_call_reads(call, nranks) : ncs_call_writes(call, nranks));
}

/* Replaces a user operator of the model by the rank's own operator of that type, or by a sum if the
 * rank has none. */
static int64_t own_op(const struct ncs_run *run, const struct ncs_call *call, int64_t op)
{
    if (op < ncclNumOps)
        return op;
    const struct ncs_redop *r = run->journal->comm[call->comm]->redops;
    for (; r; r = r->next)
        if (r->comm_rank == call->comm_rank && !r->destroyed && r->dtype == ncs_call_dtype(call))
            return r->handle;
    return ncclSum;
}

static void *buffer_for(struct ncs_run *run, const struct ncs_call *call, const struct origin *o, bool send, const void *stream)
{
    size_t need = amend_arguments_need_of(run, call, send);
    void *own = ncs_amend_own(&run->rank[call->rank].amender->memory, o, need);
    const struct ncs_machine *m = run->machine;
    bool there = own && (!m->readable || m->readable(own, need)); /* its device was not reset */
    return there ? own : ncs_amend_scratch(run, need, stream);
}

static void set_buffers(struct ncs_run *run, struct ncs_call *call, const struct change *c, const void *stream)
{
    size_t shift = (size_t)call->comm_rank * amend_arguments_block_of(call);
    char *send = NULL, *recv = NULL;
    if (c->in_place == APART || c->in_place == RECV_IN_SEND)
        send = buffer_for(run, call, &c->send, true, stream);
    if (c->in_place != RECV_IN_SEND)
        recv = buffer_for(run, call, &c->recv, false, stream);
    if (c->in_place == SAME && amend_arguments_need_of(run, call, true) > amend_arguments_need_of(run, call, false))
        recv = buffer_for(run, call, &c->send, true, stream); /* one buffer of the larger size */
    if (c->in_place == SAME)
        send = recv;
    else if (c->in_place == SEND_IN_RECV)
        send = recv ? recv + shift : NULL;
    else if (c->in_place == RECV_IN_SEND)
        recv = send ? send + shift : NULL;
    set_buffer(call, true, send);
    set_buffer(call, false, recv);
}

/* The description is the change's. */
static bool set_wait(struct ncs_call *call, const struct change *c)
{
    if (call->fn != NCS_FN_ncclWaitSignal)
        return false;
    slot(call, NCS_ARG_WAITS)->p = &c->wait;
    slot(call, NCS_ARG_ITEMS)->i = 1;
    return true;
}

void ncs_amend_compose(struct ncs_run *run, const struct change *c, int comm, int comm_rank, const void *stream,
                       union ncs_arg *arg)
{
    struct ncs_call call = { .fn = c->fn, .comm = comm, .comm_rank = comm_rank, .rank = ncs_local->rank };
    memcpy(call.arg, c->arg, sizeof call.arg);
    slot(&call, NCS_ARG_COMM)->p = run->journal->comm[comm]->member[comm_rank].handle;
    slot(&call, NCS_ARG_STREAM)->p = stream;
    set_wait(&call, c);
    if (slot(&call, NCS_ARG_REDOP))
        slot(&call, NCS_ARG_REDOP)->i = own_op(run, &call, ncs_call_op(&call));
    set_buffers(run, &call, c, stream);
    memcpy(arg, call.arg, sizeof call.arg);
}

bool ncs_amend_replace(struct ncs_run *run, struct ncs_call *call, const struct change *c)
{
    static const struct {
        const char *name;
        enum ncs_kind kind;
    } names[] = { { "count", NCS_ARG_COUNT }, { "datatype", NCS_ARG_DTYPE }, { "op", NCS_ARG_REDOP },
                  { "root", NCS_ARG_ROOT },   { "peer", NCS_ARG_PEER },      { "comm", NCS_ARG_COMM } };
    if (strcmp(c->edit.argument, "peer") == 0 && set_wait(call, c))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        union ncs_arg *arg = strcmp(names[i].name, c->edit.argument) == 0 ? slot(call, names[i].kind) : NULL;
        if (!arg)
            continue;
        if (names[i].kind == NCS_ARG_COMM)
            arg->p = run->journal->comm[call->comm]->member[call->comm_rank].handle;
        else if (names[i].kind == NCS_ARG_COUNT)
            arg->u = (uint64_t)c->edit.value;
        else
            arg->i = names[i].kind == NCS_ARG_REDOP ? own_op(run, call, c->edit.value) : c->edit.value;
        return true;
    }
    return false;
}

/* Returns larger memory with the same contents, or NULL if the buffer is large enough. */
static void *larger(struct ncs_run *run, const struct ncs_call *call, const void *p, bool send, size_t *bytes)
{
    size_t need = amend_arguments_need_of(run, call, send), room = 0;
    const void *stream = ncs_call_stream(call);
    const struct ncs_call *made = ncs_amend_allocation(&run->rank[call->rank].amender->memory, p, &room);
    if (p ? !made || room >= need : need == 0)
        return NULL;
    void *other = ncs_amend_scratch(run, need, stream);
    *bytes = room;
    if (other && room)
        run->driver->api->cudaMemcpyAsync(other, p, room, cudaMemcpyDefault, (cudaStream_t)stream);
    return other;
}

void ncs_amend_make_room(struct ncs_run *run, struct ncs_call *call, struct stand_in *recv)
{
    const void *from = ncs_call_sendbuff(call);
    void *into = (void *)ncs_call_recvbuff(call);
    size_t bytes = 0;
    *recv = (struct stand_in){ 0 };
    void *out = larger(run, call, into, false, &bytes);
    if (out)
        *recv = (struct stand_in){ into, out, bytes };
    void *in = from == into && out ? out : larger(run, call, from, true, &bytes);
    if (in)
        set_buffer(call, true, in);
    if (out)
        set_buffer(call, false, out);
}

void ncs_amend_give_back(struct ncs_run *run, const struct stand_in *recv, const void *stream)
{
    if (recv->other && recv->own && recv->bytes)
        run->driver->api->cudaMemcpyAsync(recv->own, recv->other, recv->bytes, cudaMemcpyDefault, (cudaStream_t)stream);
}
