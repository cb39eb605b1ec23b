/* Learns of communicators and user operators from the calls that make, use and end them. All
 * functions run under the journal's lock. */
#include "api/journal_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/mem.h"

/* Bounds the memory that one mistaken argument can make the journal allocate; a communicator
 * that claims more ranks stays unknown. */
enum { MOST_RANKS = 65536 };

static bool journal_comm_is_ok(int rc)
{
    return rc == ncclSuccess || rc == ncclInProgress;
}

/* ---- communicators ---- */

static void grow_members(struct ncs_comm_info *info, int members)
{
    if (members <= info->members)
        return;
    info->member = ncs_resize(info->member, (size_t)members * sizeof *info->member);
    for (int i = info->members; i < members; i++)
        info->member[i] = (struct ncs_member){ .rank = -1, .device = -1 };
    info->members = members;
}

static struct ncs_comm_info *journal_add_comm(struct ncs_journal *j, int nranks)
{
    struct comm *comm = ncs_new(sizeof *comm);
    char name[32];

    /* "comm1" is the first communicator besides the world; without a world, the first of all. */
    bool world = j->comms > 0 && strcmp(j->comm[0]->name, "world") == 0;
    snprintf(name, sizeof name, "comm%" PRIu64, j->own->made + !world - j->own->children);
    comm->info.number = ncs_journal_take_place(j);
    comm->info.serial = ++j->own->made;
    comm->info.name = ncs_copy_text(name);
    comm->info.nranks = nranks;
    comm->info.parent = -1;
    grow_members(&comm->info, nranks);
    j->comm[comm->info.number] = &comm->info;
    return &comm->info;
}

/* ---- names ---- */

void ncs_journal_rename(struct ncs_journal *j, int number, const char *name)
{
    struct comm *comm = (struct comm *)j->comm[number];

    if (comm->named)
        return;
    comm->named = true;
    ncs_free(comm->info.name);
    comm->info.name = ncs_copy_text(name);
}

/* PyTorch makes ":" of a group without a name and a description (ProcessGroupNCCL of 2.15). */
static bool names_something(const char *name)
{
    for (; *name; name++)
        if (isalnum((unsigned char)*name) || (unsigned char)*name >= 0x80)
            return true;
    return false;
}

/* The name from the configuration holds until a script names the communicator. */
static void take_config_name(struct ncs_comm_info *info, const struct ncs_call *call)
{
    const union ncs_arg *arg = ncs_call_arg(call, NCS_ARG_CONFIG);
    const ncclConfig_t *config = arg ? arg->p : NULL;

    if (((struct comm *)info)->named || !config || config->magic != NCCL_CONFIG_MAGIC ||
        config->size < offsetof(ncclConfig_t, commName) + sizeof config->commName || !config->commName ||
        !names_something(config->commName))
        return;
    ncs_free(info->name);
    info->name = ncs_copy_text(config->commName);
}

void ncs_journal_free_comms(struct ncs_journal *j)
{
    for (size_t i = 0; i < j->comms; i++)
        ncs_journal_free_comm((struct comm *)j->comm[i]);
    ncs_free(j->comm);
}

uint64_t ncs_pack_handle(int comm, int comm_rank)
{
    return ((uint64_t)comm + 1) << 32 | (uint32_t)comm_rank;
}

void ncs_unpack_handle(uint64_t word, int *comm, int *comm_rank)
{
    *comm = (int)(word >> 32) - 1;
    *comm_rank = (int)(word & 0x7fffffff);
}

/* NCCL may reuse an address: from now on it means the newer communicator. */
static void set_handle(struct ncs_journal *j, int comm, int comm_rank, ncclComm_t handle)
{
    if (!handle)
        return;
    j->comm[comm]->member[comm_rank].handle = handle;
    ncs_map_put_number(&j->own->handles, ncs_map_key(handle), ncs_pack_handle(comm, comm_rank));
}

struct ncs_comm_info *ncs_journal_add_comm(struct ncs_journal *j, uint64_t key, int nranks)
{
    struct ncs_comm_info *info = ncs_map_get(&j->own->keys, key);

    if (info)
        return info;
    info = journal_add_comm(j, nranks);
    info->key = key;
    ncs_map_put(&j->own->keys, key, info);
    return info;
}

void ncs_journal_set_member(struct ncs_journal *j, struct ncs_comm_info *info, int comm_rank, ncclComm_t handle, int run_rank,
                            int device)
{
    grow_members(info, comm_rank + 1);
    info->member[comm_rank].rank = run_rank;
    info->member[comm_rank].device = device;
    info->member[comm_rank].joined = j->calls;
    set_handle(j, info->number, comm_rank, handle);
}

/* Finds the communicator that these calls share: its ranks pass the same ids. Replaces an id
 * that is passed by value by its hash. */
static struct ncs_comm_info *joined(struct ncs_journal *j, struct ncs_call *call, int nranks)
{
    union ncs_arg *id = (union ncs_arg *)ncs_call_arg(call, NCS_ARG_ID);
    const union ncs_arg *ids = ncs_call_arg(call, NCS_ARG_IDS);
    const union ncs_arg *in = ncs_call_arg(call, NCS_ARG_ID_IN);
    int64_t count = ids ? ncs_call_arg(call, NCS_ARG_ITEMS)->i : 1;
    const void *from = id ? id->p : ids ? ids->p : in->p;
    uint64_t key;

    if (!from || count < 1 || count > MOST_RANKS || count > (nranks > 0 ? nranks : 1))
        return NULL;
    key = ncs_hash_bytes(0, from, (size_t)count * sizeof(ncclUniqueId));
    if (id)
        id->u = key;
    if (nranks < 1 || nranks > MOST_RANKS)
        return NULL;
    return in ? ncs_journal_growth(j, key, nranks) : ncs_journal_add_comm(j, key, nranks);
}

static int64_t journal_rank_of(const struct ncs_call *call)
{
    const union ncs_arg *rank = ncs_call_arg(call, NCS_ARG_RANK);

    return rank ? rank->i : call->arg[3].i; /* of ncclCommGrow */
}

/* Registers the communicator before the call blocks, from the id and the number of ranks. */
static void join_comm(struct ncs_journal *j, struct ncs_call *call, int device)
{
    int64_t nranks = ncs_call_arg(call, NCS_ARG_NRANKS)->i;
    int64_t rank = journal_rank_of(call);
    bool fine = rank >= 0 && rank < nranks;
    struct ncs_comm_info *info = joined(j, call, fine ? (int)nranks : 0);
    struct ncs_member *m;

    if (!info)
        return;
    /* With NCCL_COMM_ID all unique ids are equal (measured on 2.28.9), so the same id may make one
     * communicator after the other. */
    if (call->fn != NCS_FN_ncclCommGrow && rank < info->members && info->member[rank].gone) {
        uint64_t key = info->key;
        ncs_map_remove(&j->own->keys, key);
        info = ncs_journal_add_comm(j, key, (int)nranks);
    }
    grow_members(info, (int)rank + 1);
    take_config_name(info, call);
    ncs_journal_set_comm(j, call, info->number);
    call->comm_rank = (int)rank;
    m = &info->member[rank];
    if (m->rank < 0) {
        m->rank = call->rank;
        m->device = device;
        m->joined = j->calls;
    }
}

static void learn_init_rank(struct ncs_journal *j, struct ncs_call *call)
{
    const ncclComm_t *out = ncs_call_arg(call, NCS_ARG_COMM_OUT)->p;

    if (call->comm < 0 || !out || !journal_comm_is_ok(call->rc))
        return;
    if (*out) {
        set_handle(j, call->comm, call->comm_rank, *out);
    } else if (call->group) {
        struct ncs_unfilled u = {
            .out = out, .group = call->group, .comm = call->comm, .comm_rank = call->comm_rank, .rank = call->rank
        };
        NCS_PUSH(j->own->unfilled, j->own->unfilleds, j->own->unfilled_room, u);
    }
}

static void learn_init_all(struct ncs_journal *j, struct ncs_call *call)
{
    const ncclComm_t *out = ncs_call_arg(call, NCS_ARG_COMMS_OUT)->p;
    const int *devices = ncs_call_arg(call, NCS_ARG_DEVICES)->p;
    int64_t nranks = ncs_call_arg(call, NCS_ARG_NRANKS)->i;
    struct ncs_comm_info *info;

    if (call->rc != ncclSuccess || !out || nranks < 1 || nranks > MOST_RANKS)
        return;
    info = journal_add_comm(j, (int)nranks);
    ncs_journal_set_comm(j, call, info->number);
    call->comm_rank = 0; /* the call represents all ranks */
    for (int i = 0; i < nranks; i++) {
        info->member[i].rank = call->rank;
        info->member[i].joined = j->calls;
        info->member[i].device = devices ? devices[i] : i;
        set_handle(j, info->number, i, out[i]);
    }
}

static void learn_end(struct ncs_journal *j, struct ncs_call *call)
{
    struct comm *comm;
    struct ncs_member *m;

    if (call->comm < 0 || !journal_comm_is_ok(call->rc))
        return;
    comm = (struct comm *)j->comm[call->comm];
    m = &comm->info.member[call->comm_rank];
    ncs_journal_orphan(j, call->comm, call->comm_rank);
    if (!m->gone) {
        m->gone = call->id;
        m->released = call->ending;
        m->aborted = call->fn == NCS_FN_ncclCommAbort;
        comm->ended++;
        ncs_journal_weigh_comm(j, comm);
    }
}

/* On a communicator in an error state, no pending split completes any more. */
static void learn_state(struct ncs_journal *j, const struct ncs_call *call)
{
    if (call->comm >= 0 && call->rc == ncclSuccess && !journal_comm_is_ok(*(const int *)call->arg[1].p))
        ncs_journal_orphan(j, call->comm, call->comm_rank);
}

void ncs_journal_group_ended(struct ncs_journal *j, uint64_t group, bool ok)
{
    struct ncs_journal_private *own = j->own;
    size_t kept = 0;

    for (size_t i = 0; i < own->unfilleds; i++) {
        struct ncs_unfilled u = own->unfilled[i];

        if (u.group != group || (ok && u.child && u.out))
            own->unfilled[kept++] = u;
        else if (!ok && u.child)
            ncs_journal_uncount_child(j, &u);
        else if (ok && !u.child)
            set_handle(j, u.comm, u.comm_rank, *u.out);
    }
    own->unfilleds = kept;
}

/* ---- operators ---- */

/* The newest operator with that handle. NCCL reuses a handle only after its operator is
 * destroyed, so an older one is never alive. A destroyed operator is found too: the call then
 * uses it after its end. */
static struct ncs_redop *journal_find_redop(const struct ncs_journal *j, int comm, int comm_rank, int handle)
{
    struct ncs_redop *op = j->comm[comm]->redops;

    while (op && (op->comm_rank != comm_rank || op->handle != handle))
        op = op->next;
    return op;
}

static void learn_redop(struct ncs_journal *j, struct ncs_call *call)
{
    const ncclRedOp_t *out = ncs_call_arg(call, NCS_ARG_REDOP_OUT)->p;
    const void *scalar = ncs_call_arg(call, NCS_ARG_SCALAR)->p;
    struct ncs_redop *op;

    if (call->comm < 0 || call->rc != ncclSuccess || !out)
        return;
    op = ncs_new(sizeof *op);
    op->comm = call->comm;
    op->comm_rank = call->comm_rank;
    op->handle = (int)*out;
    op->dtype = ncs_call_dtype(call);
    op->on_device = ncs_call_arg(call, NCS_ARG_RESIDENCE)->i != ncclScalarHostImmediate;
    op->created = call->id;
    if (op->on_device)
        op->pointer = scalar;
    else if (scalar && !(j->fetch && j->fetch(op->scalar, scalar, ncs_dtype_bytes(op->dtype))))
        memcpy(op->scalar, scalar, ncs_dtype_bytes(op->dtype));
    op->next = j->comm[call->comm]->redops;
    j->comm[call->comm]->redops = op;
}

static void learn_redop_end(struct ncs_journal *j, struct ncs_call *call)
{
    struct ncs_redop *op;

    if (call->comm < 0 || call->rc != ncclSuccess)
        return;
    op = journal_find_redop(j, call->comm, call->comm_rank, ncs_call_op(call));
    if (op && !op->destroyed)
        op->destroyed = call->id;
}

/* ---- the journal's two questions ---- */

void ncs_journal_resolve(struct ncs_journal *j, struct ncs_call *call, int device)
{
    const union ncs_arg *handle = ncs_call_arg(call, NCS_ARG_COMM);
    uint64_t where = 0;
    int comm, op;

    if (ncs_call_makes_rank(call)) {
        join_comm(j, call, device);
        return;
    }
    if (handle)
        where = ncs_map_number(&j->own->handles, ncs_map_key(handle->p));
    if (!where)
        return;
    ncs_unpack_handle(where, &comm, &call->comm_rank);
    ncs_journal_set_comm(j, call, comm);
    op = ncs_call_op(call);
    if (ncs_fn_info[call->fn].counted && op >= ncclNumOps)
        call->redop = journal_find_redop(j, call->comm, call->comm_rank, op);
}

void ncs_journal_learn(struct ncs_journal *j, struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];

    if (ncs_call_makes_rank(call))
        learn_init_rank(j, call);
    else if (info->joins == NCS_JOINS_ALL)
        learn_init_all(j, call);
    else if (info->child || call->fn == NCS_FN_ncclCommGetUniqueId)
        ncs_journal_learn_child(j, call);
    else if (info->ends == NCS_ENDS_COMM)
        learn_end(j, call);
    switch ((int)call->fn) {
    case NCS_FN_ncclCommGetAsyncError: learn_state(j, call); break;
    case NCS_FN_ncclRedOpCreatePreMulSum: learn_redop(j, call); break;
    case NCS_FN_ncclRedOpDestroy: learn_redop_end(j, call); break;
    }
}

int ncs_journal_rank_of(const struct ncs_journal *j, const struct ncs_call *call)
{
    bool shared = call->comm >= 0 && ncs_comm_is_shared(j->comm[call->comm]);
    return shared ? call->comm_rank : call->rank;
}

bool ncs_comm_is_shared(const struct ncs_comm_info *info)
{
    struct ncs_map device = { 0 };
    bool several = false;
    int last = -1, i = 0;
    for (; i < info->members && info->member[i].rank > last; i++)
        last = info->member[i].rank;
    if (i == info->members)
        return false; /* in order, as most are */
    for (i = 0; i < info->members && !several; i++) {
        const struct ncs_member *m = &info->member[i];
        if (m->rank < 0 || m->device < 0)
            continue;
        size_t other = ncs_map_number(&device, (uint64_t)m->rank + 1);
        several = other && other != (size_t)m->device + 1;
        ncs_map_put_number(&device, (uint64_t)m->rank + 1, (size_t)m->device + 1);
    }
    ncs_map_free(&device);
    return several;
}
