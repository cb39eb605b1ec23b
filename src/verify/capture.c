/* Captures inputs just before the data move, and pairs calls of ranks: those at the same position of the
 * same sequence (ncs_call.ordinal), by the journal alone. */
#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/mem.h"
#include "verify/operation.h"

size_t ncs_output_count(const struct ncs_call *call, int nranks)
{
    const struct ncs_movement *m = ncs_movement_of(call->fn);
    size_t count = ncs_call_count(call);

    if (m->kind == NCS_MOVE_NONE || m->kind == NCS_MOVE_SEND || (m->to_root && call->comm_rank != ncs_call_root(call)))
        return 0;
    return m->parts_out ? count * (size_t)nranks : count;
}

uint64_t ncs_content_hash(const void *bytes, size_t count)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    const unsigned char *p = bytes;
    uint64_t lane[4] = { 1, 2, 3, 4 }, hash = count, word;

    for (; count >= 32; count -= 32, p += 32) {
        for (int i = 0; i < 4; i++) {
            memcpy(&word, p + 8 * i, sizeof word);
            word ^= lane[i];
            lane[i] = (word << 29 | word >> 35) * odd;
        }
    }
    for (int i = 0; i < 4; i++)
        hash = ncs_hash(hash, lane[i]);
    for (; count > 0; count--)
        hash = ncs_hash(hash, *p++);
    return hash;
}

/* ---- operations ---- */

static const struct ncs_comm_info *capture_comm_of(const struct ncs_capture *c, const struct ncs_call *call)
{
    if (call->comm < 0 || (size_t)call->comm >= c->journal->comms)
        return NULL;
    const struct ncs_comm_info *comm = c->journal->comm[call->comm];
    if (call->number == 0 || call->comm_rank < 0 || call->comm_rank >= comm->nranks || call->comm_rank >= comm->members)
        return NULL;
    return comm;
}

int ncs_share_of(const struct ncs_call *call)
{
    switch (ncs_movement_of(call->fn)->kind) {
    case NCS_MOVE_PUT:
    case NCS_MOVE_SEND: return 0;
    case NCS_MOVE_RECV: return 1;
    default: return call->comm_rank;
    }
}

/* False for a call that moves no data of its own, and for one without an ordinal: it failed, or is empty. */
static bool capture_key_of(const struct ncs_call *call, struct ncs_meeting_key *key)
{
    enum ncs_movement_kind movement = ncs_movement_of(call->fn)->kind;

    if (movement != NCS_MOVE_PUT)
        return ncs_call_meets(call, key) && movement != NCS_MOVE_NONE;
    *key = (struct ncs_meeting_key){ call->comm, call->comm_rank, -2, call->id };
    return call->ordinal != 0;
}

static struct ncs_operation *capture_lookup(struct ncs_capture *c, const struct ncs_meeting_key *key, struct ncs_operation *near)
{
    if (near && ncs_meeting_is(&near->key, key))
        return near;
    struct ncs_operation *op = ncs_map_get(&c->operations, ncs_meeting_hash(key));
    while (op && !ncs_meeting_is(&op->key, key))
        op = op->next;
    return op;
}

struct ncs_operation *ncs_capture_find(struct ncs_capture *c, const struct ncs_call *call, struct ncs_operation *near)
{
    struct ncs_meeting_key key;

    if (!capture_comm_of(c, call) || !capture_key_of(call, &key))
        return NULL;
    return capture_lookup(c, &key, near);
}

static struct ncs_operation *capture_add(struct ncs_capture *c, const struct ncs_meeting_key *key, const struct ncs_call *call,
                                         int nranks)
{
    int shares = ncs_call_is_pair(call) ? 2 : ncs_movement_of(call->fn)->kind == NCS_MOVE_PUT ? 1 : nranks;
    struct ncs_operation *op = ncs_new(sizeof *op + (size_t)shares * sizeof *op->share);
    uint64_t hash = ncs_meeting_hash(key);

    op->key = *key;
    op->movement = ncs_movement_of(ncs_call_is_pair(call) ? NCS_FN_ncclRecv : call->fn);
    op->dtype = ncs_call_dtype(call);
    op->op = ncs_call_op(call);
    op->root = ncs_call_root(call);
    op->count = ncs_call_count(call);
    op->scaled = call->redop != NULL;
    op->shares = shares;
    if (ncs_dtype_bytes(op->dtype) == 0 || (op->op >= ncclNumOps && !op->scaled))
        op->unfit = NCS_UNVERIFIED_TYPE;
    op->next = ncs_map_get(&c->operations, hash);
    ncs_map_put(&c->operations, hash, op);
    return op;
}

/* The call's operation, created if it is new; NULL for calls that move no data of their own. */
static struct ncs_operation *operation_of(struct ncs_capture *c, struct ncs_call *call, struct ncs_operation *near)
{
    const struct ncs_comm_info *comm = capture_comm_of(c, call);
    struct ncs_meeting_key key;

    if (!comm || ncs_call_count(call) == 0 || !capture_key_of(call, &key))
        return NULL;
    struct ncs_operation *op = capture_lookup(c, &key, near);
    return op ? op : capture_add(c, &key, call, comm->nranks);
}

struct swept {
    const struct ncs_capture *capture;
    const struct ncs_operation *but;
    struct ncs_operation **op;
    size_t count, room;
};

/* True if the operation can never end: all ranks have destroyed or aborted its communicator. */
static bool is_left(const struct ncs_capture *c, const struct ncs_operation *op)
{
    const struct ncs_comm_info *comm = c->journal->comm[op->key.comm];

    for (int i = 0; i < comm->members; i++)
        if (!comm->member[i].gone)
            return false;
    return true;
}

static void find_left(void *value, void *arg)
{
    struct swept *s = arg;

    for (struct ncs_operation *op = value; op; op = op->next)
        if (op != s->but && is_left(s->capture, op))
            NCS_PUSH(s->op, s->count, s->room, op);
}

/* Drops operations that aborts have left unfinished; they would stay to the end of the run. */
static void sweep(struct ncs_capture *c, const struct ncs_operation *but)
{
    struct swept s = { .capture = c, .but = but };

    ncs_map_each(&c->operations, find_left, &s);
    for (size_t i = 0; i < s.count; i++)
        ncs_capture_drop(c, s.op[i]);
    ncs_free(s.op);
    c->sweep_at = 2 * c->operations.count + 64;
}

bool ncs_capture_reserve(struct ncs_capture *c, struct ncs_operation *op, size_t each, size_t inputs)
{
    size_t bytes;

    if (__builtin_mul_overflow(each, inputs, &bytes))
        return false;
    if (bytes > c->budget - c->held || c->operations.count > c->sweep_at)
        sweep(c, op);
    if (bytes > c->budget - c->held)
        return false;
    if (c->spare_room >= bytes && c->spare) {
        op->copies = c->spare;
        op->room = c->spare_room;
        c->spare = NULL;
    } else {
        ncs_free(c->spare); /* Too small: the next operations more likely have the present size. */
        c->spare = NULL;
        op->copies = ncs_room(bytes);
        op->room = bytes;
    }
    c->spare_room = 0;
    if (!op->copies)
        return false;
    op->bytes = bytes;
    c->held += bytes;
    return true;
}

size_t ncs_input_count(const struct ncs_operation *op, const struct ncs_call *call, size_t *inputs)
{
    const struct ncs_movement *m = ncs_movement_of(call->fn);
    size_t count = ncs_call_count(call), total;

    *inputs = (size_t)op->shares;
    if (m->kind == NCS_MOVE_RECV)
        return 0;
    if (m->from_root || m->kind != NCS_MOVE_COLLECTIVE)
        *inputs = 1;
    if (m->from_root && call->comm_rank != op->root)
        return 0;
    if (!m->parts_in)
        return count;
    return __builtin_mul_overflow(count, (size_t)op->shares, &total) ? SIZE_MAX : total;
}

bool ncs_capture_can_read(const struct ncs_capture *c, const void *p, size_t bytes)
{
    return !c->readable || c->staged || c->readable(p, bytes);
}

static void copy_input(struct ncs_capture *c, struct ncs_operation *op, struct ncs_share *share)
{
    struct ncs_call *call = share->call;
    size_t inputs, each, count = ncs_input_count(op, call, &inputs);
    const void *from = c->staged ? c->staged(call, NCS_STAGED_INPUT) : ncs_call_sendbuff(call);

    if (count == 0)
        return;
    if (__builtin_mul_overflow(count, share->element, &each) || !ncs_capture_can_read(c, from, each)) {
        op->unfit = NCS_UNVERIFIED_FREED;
        return;
    }
    if (from && op->borrows) {
        share->input = from;
        return;
    }
    if (!from || (!op->copies && !ncs_capture_reserve(c, op, each, inputs))) {
        op->unfit = c->staged && !from ? c->unstaged(call) : NCS_UNVERIFIED_ROOM;
        return;
    }
    unsigned char *to = op->copies + (inputs == 1 ? 0 : each * (size_t)(share - op->share));
    memcpy(to, from, each);
    share->input = to;
}

static void copy_scalar(const struct ncs_capture *c, struct ncs_operation *op, const struct ncs_call *call)
{
    const struct ncs_redop *redop = call->redop;
    const void *from = !redop->on_device ? redop->scalar : c->staged ? c->staged(call, NCS_STAGED_SCALAR) : redop->pointer;

    size_t bytes = ncs_dtype_bytes(op->dtype);
    bool there = from && (from == redop->scalar || ncs_capture_can_read(c, from, bytes));
    if (there)
        memcpy(op->share[call->comm_rank].scalar, from, bytes);
    else
        op->unfit = c->staged ? c->unstaged(call) : NCS_UNVERIFIED_FREED;
}

/* True if the operation's calls move their data in one instant: an input that none of them overwrites is
 * then still intact afterwards, and needs no copy. */
static bool capture_borrows(const struct ncs_capture *c, const struct ncs_operation *op, size_t together)
{
    return c->borrows && !c->staged && !op->movement->steps && together == (size_t)op->shares;
}

static void capture_share(struct ncs_capture *c, struct ncs_operation *op, struct ncs_share *share, struct ncs_call *call)
{
    ncs_call_pin(call);
    share->call = call;
    struct ncs_wanted wanted = ncs_wanted_of(call);
    if (!op->first) {
        op->first = call;
        op->wanted = wanted;
    }
    share->outputs = ncs_output_count(call, op->shares);
    share->element = ncs_dtype_bytes(ncs_call_dtype(call));
    share->output = op->movement->kind == NCS_MOVE_PUT ? ncs_journal_target(c->journal, call)
                    : c->staged                        ? c->staged(call, NCS_STAGED_OUTPUT)
                                                       : ncs_call_recvbuff(call);
    if (op->movement->kind == NCS_MOVE_PUT && !share->output)
        op->unfit = NCS_UNVERIFIED_WINDOW;
    if (c->staged && share->outputs > 0 && !share->output && !call->unverified)
        op->unfit = c->unstaged(call);
    size_t written = share->outputs * share->element;
    if (!op->unfit && !ncs_capture_can_read(c, share->output, written))
        op->unfit = NCS_UNVERIFIED_FREED;
    if (!ncs_call_is_pair(call) && ncs_wanted_differ(&wanted, &op->wanted))
        op->unfit = NCS_UNVERIFIED_DISAGREEMENT;
    if (op->unfit)
        return;
    copy_input(c, op, share);
    if (call->redop && !ncs_call_is_pair(call))
        copy_scalar(c, op, call);
    if (!op->unfit && written > 0 && !call->unverified && !c->staged && !op->borrows)
        share->before = ncs_content_hash(share->output, written);
}

struct ncs_operation *ncs_capture_call(struct ncs_capture *c, struct ncs_call *call, size_t together, struct ncs_operation *near)
{
    struct ncs_operation *op = operation_of(c, call, near);
    struct ncs_share *share = op ? &op->share[ncs_share_of(call)] : NULL;

    if (share && !share->call) {
        op->borrows = capture_borrows(c, op, together);
        capture_share(c, op, share, call);
    }
    return op;
}

void ncs_capture_exclude(struct ncs_capture *c, struct ncs_call *call)
{
    struct ncs_operation *op = operation_of(c, call, NULL);

    if (op)
        op->unfit = NCS_UNVERIFIED_DISAGREEMENT;
}

static void free_operation(struct ncs_capture *c, struct ncs_operation *op)
{
    for (int i = 0; i < op->shares; i++)
        ncs_call_unpin(op->share[i].call);
    ncs_free(op->doubtful);
    c->held -= op->bytes;
    if (op->room > c->spare_room) {
        ncs_free(c->spare);
        c->spare = op->copies;
        c->spare_room = op->room;
    } else {
        ncs_free(op->copies);
    }
    ncs_free(op);
}

void ncs_capture_drop(struct ncs_capture *c, struct ncs_operation *op)
{
    uint64_t hash = ncs_meeting_hash(&op->key);
    struct ncs_operation *head = ncs_map_get(&c->operations, hash), *before = head;

    if (head != op) {
        while (before->next != op)
            before = before->next;
        before->next = op->next;
    } else if (op->next) {
        ncs_map_put(&c->operations, hash, op->next);
    } else {
        ncs_map_remove(&c->operations, hash);
    }
    free_operation(c, op);
}

static void capture_free_chain(void *value, void *arg)
{
    for (struct ncs_operation *op = value, *next; op; op = next) {
        next = op->next;
        free_operation(arg, op);
    }
}

void ncs_capture_free(struct ncs_capture *c)
{
    ncs_map_each(&c->operations, capture_free_chain, c);
    ncs_map_free(&c->operations);
    ncs_free(c->spare);
}
