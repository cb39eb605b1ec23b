/* The observer's hooks, the comparison of every output, the counts and the list of wrong results. */
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "verify/element.h"
#include "verify/pattern.h"
#include "verify/private.h"

struct ncs_verify *ncs_verify_open(const struct ncs_journal *journal, size_t budget)
{
    struct ncs_verify *v = ncs_new(sizeof *v);

    v->capture.journal = journal;
    v->capture.budget = budget;
    v->look.journal = journal;
    v->arithmetic = NCS_ANY_ORDER;
    pthread_mutex_init(&v->watching.lock, NULL);
    return v;
}

static void free_reason(void *what, void *arg)
{
    (void)arg;
    ncs_free(what);
}

void ncs_verify_spoilt(struct ncs_verify *v, const struct ncs_call *call, const char *what)
{
    if (!ncs_map_get(&v->spoilt, call->id))
        ncs_map_put(&v->spoilt, call->id, ncs_copy_text(what));
}

void ncs_verify_close(struct ncs_verify *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->kept; i++)
        ncs_call_unpin(v->wrong[i].call);
    ncs_capture_free(&v->capture);
    for (int why = 0; why < NCS_UNVERIFIED_REASONS; why++)
        for (size_t i = 0; i < v->left_out[why].calls; i++)
            ncs_call_unpin(v->left_out[why].call[i]);
    ncs_verify_free_signals(v);
    ncs_map_each(&v->spoilt, free_reason, NULL);
    ncs_map_free(&v->spoilt);
    ncs_look_free(&v->look);
    ncs_inexact_free(&v->inexacts);
    pthread_mutex_destroy(&v->watching.lock);
    ncs_free(v->value);
    ncs_free(v);
}

void ncs_verify_keep(struct ncs_verify *v, size_t most)
{
    v->keep = most;
}

const struct ncs_value *ncs_verify_values(const struct ncs_verify *v, size_t *count)
{
    *count = v->values;
    return v->value;
}

const struct ncs_inexact *ncs_verify_inexact(const struct ncs_verify *v, size_t *count)
{
    *count = v->inexacts.count;
    return v->inexacts.place;
}

void ncs_verify_look(struct ncs_verify *v, size_t most)
{
    v->look.most = most;
}

void ncs_verify_unfinished(struct ncs_verify *v, const struct ncs_call *call, bool present)
{
    ncs_look_unfinished(&v->look, call, present);
}

void ncs_verify_forget_unfinished(struct ncs_verify *v)
{
    ncs_look_forget_passing(&v->look);
}

const struct ncs_seen *const *ncs_verify_seen(const struct ncs_verify *v, size_t *count, uint64_t *more)
{
    *count = v->look.count;
    *more = v->look.more;
    return (const struct ncs_seen *const *)v->look.seen;
}

void ncs_verify_from(struct ncs_verify *v, const void *(*staged)(const struct ncs_call *call, enum ncs_staged what),
                     enum ncs_unverified (*unstaged)(const struct ncs_call *call))
{
    v->capture.staged = staged;
    v->capture.unstaged = unstaged;
}

void ncs_verify_off(struct ncs_verify *v)
{
    v->off = true;
}

void ncs_verify_trust(struct ncs_verify *v, bool trusts)
{
    v->capture.borrows = trusts;
}

void ncs_verify_doubt(struct ncs_verify *v, enum ncs_unverified why)
{
    v->doubt = why;
}

void ncs_verify_asks(struct ncs_verify *v, bool (*readable)(const void *p, size_t bytes),
                     bool (*written)(const void *p, size_t bytes))
{
    v->inexacts.written = written;
    v->capture.readable = readable;
}

void ncs_verify_ascending(struct ncs_verify *v, bool ascending)
{
    v->arithmetic = ascending ? NCS_ASCENDING : NCS_ANY_ORDER;
}

void ncs_verify_before(void *self, struct ncs_call *const *calls, size_t count)
{
    struct ncs_verify *v = self;

    if (v->off)
        return;
    struct ncs_operation *op = NULL;
    v->watching.op = NULL;
    for (size_t i = 0; i < count; i++)
        op = ncs_capture_call(&v->capture, calls[i], count, op);
    if (op)
        ncs_keep_inputs(v, op);
}

static size_t verify_bytes_of(const struct ncs_call *call)
{
    return ncs_call_count(call) * ncs_dtype_bytes(ncs_call_dtype(call));
}

/* NCCL moves the bytes of a send whatever the type of its receive (read in NCCL 2.30.7): such a pair can
 * be checked like any other. */
static bool is_moved_whole(struct ncs_call *const *calls, size_t count)
{
    return count == 2 && ncs_call_peer(calls[0]) >= 0 && verify_bytes_of(calls[0]) == verify_bytes_of(calls[1]);
}

void ncs_verify_exclude(struct ncs_verify *v, struct ncs_call *const *calls, size_t count)
{
    if (v->off || is_moved_whole(calls, count))
        return;
    for (size_t i = 0; i < count; i++)
        ncs_capture_exclude(&v->capture, calls[i]);
}

/* ---- counts ---- */

/* Counts a result that is not verified, and why. */
static void verify_leave_out(struct ncs_verify *v, struct ncs_call *call, enum ncs_unverified why)
{
    struct ncs_left_out *l = &v->left_out[why];

    l->count++;
    if (l->calls == sizeof l->call / sizeof *l->call)
        return;
    ncs_call_pin(call);
    l->call[l->calls++] = call;
}

/* True if the result does not depend on the order of the ranks. */
static bool is_exact(const struct ncs_operation *op)
{
    return !ncs_is_reduction(op) || !ncs_float_format(op->dtype) || (!op->scaled && (op->op == ncclMin || op->op == ncclMax));
}

static void keep_value(struct ncs_verify *v, const struct ncs_operation *op, int share)
{
    struct ncs_call *call = op->share[share].call;
    if (v->doubt) {
        verify_leave_out(v, call, v->doubt);
        return;
    }
    v->checked++;
    if (v->values == v->keep)
        return;
    size_t bytes = op->share[share].outputs * op->share[share].element;
    const void *output = op->share[share].output;
    bool written = !v->inexacts.written || v->inexacts.written(output, bytes);
    struct ncs_value value = {
        .rank = call->rank,
        .comm_rank = call->comm_rank,
        .fn = call->fn,
        .number = op->key.number,
        .nranks = v->capture.journal->comm[call->comm]->nranks,
        .line = call->place.line,
        .exact = is_exact(op) && written,
        .hash = ncs_content_hash(output, bytes),
    };
    NCS_PUSH(v->value, v->values, v->values_room, value);
}

/* Between the steps of a call a program may have freed the output. */
static bool has_output(const struct ncs_verify *v, const struct ncs_share *share)
{
    return ncs_capture_can_read(&v->capture, share->output, share->outputs * share->element);
}

static void verify_look_at(struct ncs_verify *v, struct ncs_operation *op, int share, const struct tally *tally)
{
    ncs_look_at(&v->look, op, share,
                &(struct ncs_looked){ .checked = tally->out,
                                      .differ = tally->differ,
                                      .gone = v->look.most && op->share[share].outputs && !has_output(v, &op->share[share]),
                                      .arithmetic = v->arithmetic,
                                      .scratch = &v->scratch });
}

/* ---- operations ---- */

/* The reason why nothing of the operation can be verified. */
static enum ncs_unverified verify_why_not(const struct ncs_operation *op)
{
    for (int i = 0; i < op->shares && !op->unfit; i++)
        if (!op->share[i].call)
            return NCS_UNVERIFIED_UNPAIRED;
    if (op->unfit || op->key.src < 0)
        return op->unfit;
    const struct ncs_call *first = op->share[0].call, *last = op->share[op->shares - 1].call;
    return verify_bytes_of(first) == verify_bytes_of(last) ? NCS_FIT : NCS_UNVERIFIED_DISAGREEMENT;
}

/* Why a share's result is not verified, if its operation's result can be. */
static enum ncs_unverified why_not_of(const struct ncs_call *call, enum ncs_unverified why)
{
    return !why && call->unverified ? NCS_UNVERIFIED_ASKED : why;
}

static void check(struct ncs_verify *v, struct ncs_operation *op)
{
    struct tally *tallies = ncs_new((size_t)op->shares * sizeof *tallies);
    ncs_watch_end(v, op);
    enum ncs_unverified unfit = verify_why_not(op);
    size_t bytes = 0, total = 0;

    for (int i = 0; i < op->shares; i++) {
        const struct ncs_share *share = &op->share[i];
        if (!share->done || share->outputs == 0)
            continue;
        enum ncs_unverified why = why_not_of(share->call, unfit);
        if (why) {
            verify_leave_out(v, share->call, why);
            continue;
        }
        keep_value(v, op, i);
        tallies[i].out = share->output;
        total = share->outputs;
        bytes = share->element;
    }
    if (total > 0 && !ncs_is_reduction(op))
        ncs_compare_moved(op, tallies, 0, bytes, total);
    else if (total > 0 && op->movement->parts_in)
        for (int i = 0; i < op->shares; i++)
            ncs_compare_reduction(v, op, tallies, i, i + 1, (size_t)i * op->count);
    else if (total > 0)
        ncs_compare_reduction(v, op, tallies, 0, op->shares, 0);
    ncs_verify_report(v, op, tallies);
    for (int i = 0; i < op->shares; i++)
        verify_look_at(v, op, i, &tallies[i]);
    ncs_look_over(op);
    ncs_free(tallies);
}

/* ---- steps ---- */

/* True if all inputs of the share's output have been copied. */
static bool has_inputs(const struct ncs_operation *op)
{
    if (op->movement->from_root)
        return op->share[op->root].input != NULL;
    for (int i = 0; i < op->shares; i++)
        if (!op->share[i].input)
            return false;
    return true;
}

static void check_share(struct ncs_verify *v, struct ncs_operation *op, int i)
{
    struct ncs_call *call = op->share[i].call;
    size_t total = op->share[i].outputs;
    enum ncs_unverified why = why_not_of(call, op->unfit ? op->unfit : has_inputs(op) ? NCS_FIT : NCS_UNVERIFIED_UNPAIRED);

    if (!why && total > 0 && !has_output(v, &op->share[i]))
        why = NCS_UNVERIFIED_FREED;
    if (total == 0 || why) {
        if (total > 0)
            verify_leave_out(v, call, why);
        verify_look_at(v, op, i, &(struct tally){ 0 });
        return;
    }
    struct tally *tallies = ncs_new((size_t)op->shares * sizeof *tallies);
    keep_value(v, op, i);
    tallies[i].out = op->share[i].output;
    ncs_compare_moved(op, tallies, i, op->share[i].element, total);
    ncs_verify_report(v, op, tallies);
    verify_look_at(v, op, i, &tallies[i]);
    ncs_free(tallies);
}

/* Counts the result of a call that was not captured. */
static void lose(struct ncs_verify *v, struct ncs_call *call)
{
    enum ncs_unverified why = v->off ? NCS_UNVERIFIED_OFF : NCS_UNVERIFIED_UNPAIRED;

    if (!v->off && v->capture.staged && ncs_movement_of(call->fn)->kind == NCS_MOVE_PUT)
        why = NCS_UNVERIFIED_ONE_SIDED;
    if (ncs_output_count(call, 1) > 0)
        verify_leave_out(v, call, why);
}

void ncs_verify_finished(void *self, struct ncs_call *call)
{
    struct ncs_verify *v = self;
    struct ncs_operation *op = v->off ? NULL : ncs_capture_find(&v->capture, call, NULL);
    int i = ncs_share_of(call);

    if (!op || op->share[i].call != call || op->share[i].done) {
        lose(v, call);
        return;
    }
    op->share[i].done = true;
    check_share(v, op, i);
    if (++op->finished < op->shares)
        return;
    ncs_look_over(op);
    ncs_capture_drop(&v->capture, op);
}

void ncs_verify_after(void *self, struct ncs_call *const *calls, size_t count)
{
    struct ncs_verify *v = self;
    struct ncs_operation *op = NULL, *over = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct ncs_movement *movement = ncs_movement_of(calls[i]->fn);
        if (ncs_call_is_one_sided(calls[i]))
            ncs_verify_count_signals(v, calls[i]);
        if (movement->steps)
            continue;
        op = v->off ? NULL : ncs_capture_find(&v->capture, calls[i], op);
        struct ncs_share *share = op ? &op->share[ncs_share_of(calls[i])] : NULL;
        if (share && share->call == calls[i])
            share->done = true;
        else
            lose(v, calls[i]);
        if (!op || op->over || movement->kind == NCS_MOVE_SEND)
            continue; /* after a send more parts of the operation may come */
        op->over = true;
        op->next_over = over;
        over = op;
    }
    while ((op = over)) {
        over = op->next_over;
        check(v, op);
        ncs_capture_drop(&v->capture, op);
    }
}

uint64_t ncs_verify_checked(const struct ncs_verify *v)
{
    return v->checked;
}

uint64_t ncs_verify_unchecked(const struct ncs_verify *v)
{
    uint64_t count = 0;

    for (int why = 0; why < NCS_UNVERIFIED_REASONS; why++)
        count += v->left_out[why].count;
    return count;
}

const struct ncs_left_out *ncs_verify_left_out(const struct ncs_verify *v)
{
    return v->left_out;
}

const struct ncs_wrong *ncs_verify_wrong(const struct ncs_verify *v, size_t *kept, uint64_t *count)
{
    *kept = v->kept;
    *count = v->wrongs;
    return v->wrong;
}
