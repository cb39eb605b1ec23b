/* The hooks, the comparison of every output, the counts and the list of what was wrong. */
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "verify/element.h"
#include "verify/inexact.h"
#include "verify/look.h"
#include "verify/operation.h"
#include "verify/pattern.h"
#include "verify/reduce.h"

enum { KEPT = 64 };

struct ncs_verify {
    struct ncs_capture capture;
    struct ncs_map signals;  /* struct signals by (communicator, target, origin) */
    enum ncs_arithmetic arithmetic;
    uint64_t checked, unchecked, wrongs;
    struct ncs_wrong wrong[KEPT];
    size_t kept;
    struct ncs_value *value; /* at most keep */
    size_t values, values_room, keep;
    struct ncs_look look;
    struct ncs_inexacts inexacts;
    struct ncs_expected scratch;
};

/* An output under comparison. */
struct tally {
    const unsigned char *out; /* NULL: not to be checked */
    size_t differ, first;     /* elements; from 0 */
};

/* Between two ranks of a communicator, in one direction. */
struct signals {
    uint64_t sent, taken;
};

static void free_signals(void *value, void *arg)
{
    (void)arg;
    ncs_free(value);
}

struct ncs_verify *ncs_verify_open(const struct ncs_journal *journal, size_t budget)
{
    struct ncs_verify *v = ncs_new(sizeof *v);

    v->capture.journal = journal;
    v->capture.budget = budget;
    v->look.journal = journal;
    v->arithmetic = NCS_ANY_ORDER;
    return v;
}

void ncs_verify_close(struct ncs_verify *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->kept; i++)
        ncs_call_unpin(v->wrong[i].call);
    ncs_capture_free(&v->capture);
    ncs_map_each(&v->signals, free_signals, NULL);
    ncs_map_free(&v->signals);
    ncs_look_free(&v->look);
    ncs_inexact_free(&v->inexacts);
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

void ncs_verify_unfinished(struct ncs_verify *v, const struct ncs_call *call, bool came)
{
    ncs_look_unfinished(&v->look, call, came);
}

void ncs_verify_forget_unfinished(struct ncs_verify *v)
{
    ncs_look_forget_passing(&v->look);
}

const struct ncs_seen *const *ncs_verify_seen(const struct ncs_verify *v, size_t *count,
                                              uint64_t *more)
{
    *count = v->look.count;
    *more = v->look.more;
    return (const struct ncs_seen *const *)v->look.seen;
}

void ncs_verify_from(struct ncs_verify *v,
                     const void *(*staged)(const struct ncs_call *call, enum ncs_staged what))
{
    v->capture.staged = staged;
}

void ncs_verify_asks(struct ncs_verify *v, bool (*readable)(const void *p, size_t bytes))
{
    v->capture.readable = readable;
}

void ncs_verify_ascending(struct ncs_verify *v, bool ascending)
{
    v->arithmetic = ascending ? NCS_ASCENDING : NCS_ANY_ORDER;
}

void ncs_verify_before(void *self, struct ncs_call *const *calls, size_t count)
{
    struct ncs_verify *v = self;

    for (size_t i = 0; i < count; i++)
        ncs_capture_call(&v->capture, calls[i]);
}

static size_t bytes_of(const struct ncs_call *call)
{
    return ncs_call_count(call) * ncs_dtype_bytes(ncs_call_dtype(call));
}

/* NCCL moves the bytes of a send, whatever type its receive has: such a pair is as good as any. */
static bool is_moved_whole(struct ncs_call *const *calls, size_t count)
{
    return count == 2 && ncs_call_peer(calls[0]) >= 0 && bytes_of(calls[0]) == bytes_of(calls[1]);
}

void ncs_verify_exclude(struct ncs_verify *v, struct ncs_call *const *calls, size_t count)
{
    if (is_moved_whole(calls, count))
        return;
    for (size_t i = 0; i < count; i++)
        ncs_capture_exclude(&v->capture, calls[i]);
}

void ncs_verify_waiting(const struct ncs_verify *v, struct ncs_call *call)
{
    enum ncs_movement movement = ncs_movement_of(call);

    if (call->input || call->comm < 0 || movement == NCS_MOVE_NONE || movement == NCS_MOVE_SEND ||
        movement == NCS_MOVE_RECV || movement == NCS_MOVE_PUT)
        return;
    int nranks = v->capture.journal->comm[call->comm]->nranks;
    size_t count = ncs_call_count(call) * ncs_call_reads(call, nranks);
    const void *input = ncs_call_sendbuff(call);
    if (ncs_capture_can_read(&v->capture, input, count * ncs_dtype_bytes(ncs_call_dtype(call))))
        ncs_fingerprint(call, input, count);
}

/* ---- comparison ---- */

static void note(struct tally *t, size_t differ, size_t first)
{
    if (differ > 0 && t->differ == 0)
        t->first = first;
    t->differ += differ;
}

/* Outputs from .. end - 1 hold the same reduction. Once one of them was found right, the others
 * need only be equal to it. */
static void compare_reduction(struct ncs_verify *v, const struct ncs_operation *op,
                              struct tally *tallies, int from, int end, size_t offset)
{
    struct ncs_terms terms = ncs_terms_of(op, offset);
    size_t bytes = ncs_dtype_bytes(op->dtype), where = 0;

    for (size_t begin = 0; begin < op->count; begin += NCS_CHUNK) {
        size_t count = op->count - begin < NCS_CHUNK ? op->count - begin : NCS_CHUNK;
        const unsigned char *right = NULL;
        bool computed = false;
        for (int i = from; i < end; i++) {
            if (!tallies[i].out)
                continue;
            const unsigned char *got = tallies[i].out + begin * bytes;
            if (right && memcmp(got, right, count * bytes) == 0)
                continue;
            if (!computed)
                ncs_expect(&terms, v->arithmetic, begin, count, &v->scratch);
            computed = true;
            size_t differ = ncs_differ(&v->scratch, got, &where);
            note(&tallies[i], differ, begin + where);
            if (differ > 0 || right)
                continue;
            right = got;
            ncs_inexact_look(&v->inexacts, &terms, begin, i, &v->scratch, got);
        }
    }
}

/* Smaller pieces than an input, so that they are in the cache for all outputs. */
enum { MOVED_PIECE = 64 * 1024 };

/* `share`: one of those whose outputs are compared; they all have the same. */
static void compare_moved(const struct ncs_operation *op, struct tally *tallies, int share,
                          size_t bytes, size_t total)
{
    size_t run;

    for (size_t begin = 0; begin < total; begin += run) {
        const unsigned char *want = ncs_moved_at(op, share, bytes, begin, &run);
        run = run < MOVED_PIECE / bytes ? run : MOVED_PIECE / bytes;
        run = run < total - begin ? run : total - begin;
        for (int i = 0; i < op->shares; i++) {
            const unsigned char *got = tallies[i].out;
            if (!got || memcmp(got + begin * bytes, want, run * bytes) == 0)
                continue;
            for (size_t k = 0; k < run; k++) {
                if (memcmp(got + (begin + k) * bytes, want + k * bytes, bytes) != 0)
                    note(&tallies[i], 1, begin + k);
            }
        }
    }
}

/* ---- what was wrong ---- */

/* The texts of two elements that differ; in hexadecimal when they look the same. */
static void write_texts(struct ncs_suspect *s, struct ncs_wrong *w)
{
    size_t bytes = ncs_dtype_bytes(s->dtype), run;
    const unsigned char *got = s->out + s->first * bytes;

    ncs_element_text(s->dtype, got, w->got, sizeof w->got);
    if (ncs_is_reduction(s->op)) {
        struct ncs_terms terms = ncs_terms_of(s->op, s->offset);
        ncs_expect(&terms, s->arithmetic, s->first, 1, s->scratch);
        ncs_expected_text(s->scratch, 0, w->want, sizeof w->want);
        if (s->scratch->wide && strcmp(w->got, w->want) == 0)
            ncs_element_value_text(21, s->scratch->bound[0].value, w->want, sizeof w->want);
        return;
    }
    const unsigned char *want = ncs_moved_at(s->op, s->share, bytes, s->first, &run);
    ncs_element_text(s->dtype, want, w->want, sizeof w->want);
    if (strcmp(w->got, w->want) == 0) { /* NaNs of different bits */
        static const char digits[] = "0123456789abcdef";
        for (size_t i = 0; i < bytes; i++) {
            const unsigned char a = got[bytes - 1 - i], b = want[bytes - 1 - i];
            w->got[2 * i] = digits[a / 16];
            w->got[2 * i + 1] = digits[a % 16];
            w->want[2 * i] = digits[b / 16];
            w->want[2 * i + 1] = digits[b % 16];
        }
        w->got[2 * bytes] = w->want[2 * bytes] = 0;
    }
}

/* The place among the kept ones, ordered by the calls' ids; NULL: it is not kept. */
static struct ncs_wrong *place_of(struct ncs_verify *v, struct ncs_call *call)
{
    size_t at = v->kept;

    while (at > 0 && v->wrong[at - 1].call->id > call->id)
        at--;
    if (at == KEPT)
        return NULL;
    if (v->kept == KEPT)
        ncs_call_unpin(v->wrong[--v->kept].call);
    memmove(&v->wrong[at + 1], &v->wrong[at], (v->kept - at) * sizeof *v->wrong);
    v->kept++;
    memset(&v->wrong[at], 0, sizeof *v->wrong);
    return &v->wrong[at];
}

static void report(struct ncs_verify *v, struct ncs_suspect *s)
{
    struct ncs_call *call = s->op->share[s->share].call;
    struct ncs_wrong *w = place_of(v, call);

    v->wrongs++;
    if (!w)
        return;
    ncs_call_pin(call);
    w->call = call;
    w->comm = call->comm;
    w->comm_rank = call->comm_rank;
    w->number = call->number;
    w->rank = call->rank;
    w->first = s->first + 1;
    w->differ = s->differ;
    w->total = s->total;
    write_texts(s, w);
    ncs_name_pattern(s, w);
}

static void report_all(struct ncs_verify *v, const struct ncs_operation *op,
                       const struct tally *tallies)
{
    bool any_right = false;

    for (int i = 0; i < op->shares; i++)
        any_right |= tallies[i].out && tallies[i].differ == 0;
    for (int i = 0; i < op->shares; i++) {
        const struct tally *t = &tallies[i];
        if (!t->out || t->differ == 0)
            continue;
        const struct ncs_call *call = op->share[i].call;
        struct ncs_suspect s = {
            .op = op, .share = i, .out = t->out, .dtype = ncs_call_dtype(call),
            .total = ncs_output_count(call, op->shares), .first = t->first, .differ = t->differ,
            .offset = op->movement == NCS_MOVE_REDUCE_SCATTER ? (size_t)i * op->count : 0,
            .arithmetic = v->arithmetic,
            .others_right = any_right && op->movement == NCS_MOVE_ALL_REDUCE,
            .all_wrong = !any_right, .scratch = &v->scratch,
        };
        report(v, &s);
    }
}

/* ---- what was checked ---- */

/* Whether the order of the ranks makes no difference. */
static bool is_exact(const struct ncs_operation *op)
{
    return !ncs_is_reduction(op) || !ncs_float_format(op->dtype) ||
           (!op->scaled && (op->op == ncclMin || op->op == ncclMax));
}

static void keep_value(struct ncs_verify *v, const struct ncs_operation *op, int share)
{
    const struct ncs_call *call = op->share[share].call;
    v->checked++;
    if (v->values == v->keep)
        return;
    size_t bytes = ncs_output_count(call, op->shares) * ncs_dtype_bytes(ncs_call_dtype(call));
    struct ncs_value value = {
        .rank = call->rank, .comm_rank = call->comm_rank, .fn = call->fn, .number = op->number,
        .nranks = v->capture.journal->comm[call->comm]->nranks, .line = call->place.line,
        .exact = is_exact(op), .hash = ncs_content_hash(op->share[share].output, bytes),
    };
    NCS_PUSH(v->value, v->values, v->values_room, value);
}

static void look(struct ncs_verify *v, struct ncs_operation *op, int share,
                 const struct tally *tally)
{
    ncs_look_at(&v->look, op, share,
                &(struct ncs_looked){ .checked = tally->out, .differ = tally->differ,
                                      .arithmetic = v->arithmetic, .scratch = &v->scratch });
}

/* ---- operations ---- */

static bool is_complete(const struct ncs_operation *op)
{
    for (int i = 0; i < op->shares; i++) {
        if (!op->share[i].call)
            return false;
    }
    const struct ncs_call *first = op->share[0].call, *last = op->share[op->shares - 1].call;
    return op->src < 0 || bytes_of(first) == bytes_of(last);
}

static void check(struct ncs_verify *v, struct ncs_operation *op)
{
    struct tally *tallies = ncs_new((size_t)op->shares * sizeof *tallies);
    bool checkable = !op->unfit && is_complete(op);
    size_t bytes = 0, total = 0;

    for (int i = 0; i < op->shares; i++) {
        const struct ncs_share *share = &op->share[i];
        size_t output = share->done ? ncs_output_count(share->call, op->shares) : 0;
        if (output == 0)
            continue;
        if (!checkable || share->call->unverified) {
            v->unchecked++;
            continue;
        }
        keep_value(v, op, i);
        tallies[i].out = share->output;
        total = output;
        bytes = ncs_dtype_bytes(ncs_call_dtype(share->call));
    }
    if (total > 0 && !ncs_is_reduction(op))
        compare_moved(op, tallies, 0, bytes, total);
    else if (total > 0 && op->movement == NCS_MOVE_REDUCE_SCATTER)
        for (int i = 0; i < op->shares; i++)
            compare_reduction(v, op, tallies, i, i + 1, (size_t)i * op->count);
    else if (total > 0)
        compare_reduction(v, op, tallies, 0, op->shares, 0);
    report_all(v, op, tallies);
    for (int i = 0; i < op->shares; i++)
        look(v, op, i, &tallies[i]);
    ncs_look_over(op);
    ncs_free(tallies);
}

/* ---- signals ---- */

static struct signals *signals_of(struct ncs_verify *v, int comm, int target, int origin)
{
    uint64_t key = ((uint64_t)comm + 1) << 34 | (uint64_t)(target & 0x1ffff) << 17 |
                   (uint64_t)(origin & 0x1ffff);
    struct signals *s = ncs_map_get(&v->signals, key);

    if (!s) {
        s = ncs_new(sizeof *s);
        ncs_map_put(&v->signals, key, s);
    }
    return s;
}

static void report_wait(struct ncs_verify *v, struct ncs_call *call, int peer,
                        const struct signals *s, uint64_t came)
{
    struct ncs_wrong *w = place_of(v, call);

    v->wrongs++;
    if (!w)
        return;
    ncs_call_pin(call);
    *w = (struct ncs_wrong){ .call = call, .comm = call->comm, .comm_rank = call->comm_rank,
                             .number = call->number, .rank = call->rank, .first = 1, .differ = 1,
                             .total = 1, .pattern = NCS_PATTERN_NONE, .which = peer };
    snprintf(w->got, sizeof w->got, "%llu signals", (unsigned long long)came);
    snprintf(w->want, sizeof w->want, "%llu", (unsigned long long)s->taken);
    snprintf(w->text, sizeof w->text, "the wait ended although rank %d had sent only %llu of %llu",
             peer, (unsigned long long)came, (unsigned long long)s->taken);
}

static void count_signals(struct ncs_verify *v, struct ncs_call *call)
{
    size_t count;
    const ncclWaitSignalDesc_t *d = ncs_call_waits(call, &count);

    if (call->comm < 0)
        return;
    if (call->fn != NCS_FN_ncclWaitSignal) {
        signals_of(v, call->comm, ncs_call_peer(call), call->comm_rank)->sent++;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct signals *s = signals_of(v, call->comm, call->comm_rank, d[i].peer);
        s->taken += (uint64_t)d[i].opCnt;
        if (s->taken > s->sent && !call->unverified) {
            report_wait(v, call, d[i].peer, s, s->sent);
            s->taken = s->sent; /* said once */
        }
    }
}

/* ---- steps ---- */

/* Between the steps of a call a program may have freed what is written. */
static bool has_output(const struct ncs_verify *v, const struct ncs_share *share, size_t total)
{
    return ncs_capture_can_read(&v->capture, share->output,
                                total * ncs_dtype_bytes(ncs_call_dtype(share->call)));
}

/* Whether everything that ends up in the share's output has been copied. */
static bool has_inputs(const struct ncs_operation *op)
{
    if (op->movement == NCS_MOVE_SCATTER)
        return op->share[op->root].input != NULL;
    for (int i = 0; i < op->shares; i++)
        if (!op->share[i].input)
            return false;
    return true;
}

static void check_share(struct ncs_verify *v, struct ncs_operation *op, int i)
{
    const struct ncs_call *call = op->share[i].call;
    size_t total = ncs_output_count(call, op->shares);

    if (total == 0 || op->unfit || call->unverified || !has_inputs(op) ||
        !has_output(v, &op->share[i], total)) {
        v->unchecked += total > 0;
        look(v, op, i, &(struct tally){ 0 });
        return;
    }
    struct tally *tallies = ncs_new((size_t)op->shares * sizeof *tallies);
    keep_value(v, op, i);
    tallies[i].out = op->share[i].output;
    compare_moved(op, tallies, i, ncs_dtype_bytes(ncs_call_dtype(call)), total);
    report_all(v, op, tallies);
    look(v, op, i, &tallies[i]);
    ncs_free(tallies);
}

void ncs_verify_finished(void *self, struct ncs_call *call)
{
    struct ncs_verify *v = self;
    struct ncs_operation *op = ncs_capture_find(&v->capture, call);
    int i = ncs_share_of(call);

    if (!op || op->share[i].call != call || op->share[i].done) {
        v->unchecked += ncs_output_count(call, 1) > 0;
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

    for (size_t i = 0; i < count; i++) {
        if (ncs_call_is_one_sided(calls[i]))
            count_signals(v, calls[i]);
        if (ncs_moves_in_steps(ncs_movement_of(calls[i])))
            continue;
        struct ncs_operation *op = ncs_capture_find(&v->capture, calls[i]);
        struct ncs_share *share = op ? &op->share[ncs_share_of(calls[i])] : NULL;
        if (share && share->call == calls[i])
            share->done = true;
        else if (ncs_output_count(calls[i], 1) > 0)
            v->unchecked++;
    }
    for (size_t i = 0; i < count; i++) {
        struct ncs_operation *op = ncs_capture_find(&v->capture, calls[i]);
        enum ncs_movement movement = ncs_movement_of(calls[i]);
        if (!op || movement == NCS_MOVE_SEND || ncs_moves_in_steps(movement))
            continue; /* more of it may come later */
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
    return v->unchecked;
}

const struct ncs_wrong *ncs_verify_wrong(const struct ncs_verify *v, size_t *kept, uint64_t *count)
{
    *kept = v->kept;
    *count = v->wrongs;
    return v->wrong;
}
