/* Why a call failed, where earlier calls show more than its result code and the library's
 * message. */
#include "diagnose/rules/rule.h"

#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "api/version.h"
#include "base/mem.h"
#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"

/* For a failed group end, the first call in the group that may be the reason; else
 * the call itself. */
static const struct ncs_call *concerned(const struct ncs_call *call)
{
    const struct ncs_call *found = call;
    if (call->fn != NCS_FN_ncclGroupEnd || !call->group)
        return call;
    for (const struct ncs_call *c = call->older; c; c = c->older)
        if (c->group == call->group && c->rank == call->rank && c->thread == call->thread && (ncs_is_init(c) || ncs_failed(c)))
            found = c;
    return found;
}

/* ---- ranks with different versions ---- */

/* What NCCL says names two ranks of the communicator (NCCL 2.30.7, src/init.cc): another one, then that of the call. */
struct versions {
    int other, other_version, own, own_version;
};

static bool read_versions(const struct ncs_call *call, struct versions *v)
{
    const char *at = ncs_call_rare(call)->said ? strstr(ncs_call_rare(call)->said, "Mismatched NCCL version") : NULL;
    at = at ? strchr(at, ':') : NULL;
    return at &&
           sscanf(at, ": rank %d version %d rank %d version %d", &v->other, &v->other_version, &v->own, &v->own_version) == 4;
}

static bool is_version(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call **earlier)
{
    struct versions v;
    (void)q;
    (void)earlier;
    return call->rc == ncclInvalidUsage && read_versions(call, &v);
}

static void format_version(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier,
                           struct ncs_str *why, struct ncs_str *fix)
{
    struct versions v;
    char text[16];
    (void)q;
    (void)earlier;
    read_versions(call, &v);
    ncs_str_addf(why, "; rank %d of the communicator has NCCL %s", v.other,
                 ncs_nccl_version_text(v.other_version, text, sizeof text));
    ncs_str_addf(why, ", rank %d has %s", v.own, ncs_nccl_version_text(v.own_version, text, sizeof text));
    ncs_str_add(fix,
                "let all ranks load one version of NCCL: compare the libraries on all hosts and where programs look for them "
                "(LD_LIBRARY_PATH, Python packages); `ncclscript doctor`, started like the job, compares its processes");
}

/* Blames the ranks with another version than most have; where no version has most of them, all. False = not all ranks have told
 * their version. */
static bool blame_versions(const struct ncs_cause *r, struct ncs_draft *d)
{
    struct versions *v = ncs_new(r->calls * sizeof *v);
    bool known = true;
    size_t most = 0, *like = ncs_new(r->calls * sizeof *like);
    for (size_t i = 0; i < r->calls; i++)
        known &= read_versions(r->call[i], &v[i]);
    for (size_t i = 0; i < r->calls; i++) {
        for (size_t k = 0; known && k < r->calls; k++)
            like[i] += v[k].own_version == v[i].own_version;
        most = like[i] > most ? like[i] : most;
    }
    for (size_t i = 0; known && i < r->calls; i++)
        if (like[i] < most || 2 * most <= r->calls)
            ncs_add_culprit(d, r->call[i]->rank, r->call[i]->number, r->call[i]->place.line);
    ncs_free(like);
    ncs_free(v);
    return known;
}

/* ---- ranks on one device ---- */

static bool is_same_device(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call **earlier)
{
    (void)q;
    (void)earlier;
    return call->rc == ncclInvalidUsage && (ncs_is_init(concerned(call)) || ncs_is_init(call)) &&
           (ncs_message_has(call, "same GPU") || ncs_message_has(call, "Duplicate GPU"));
}

/* The ranks of the run that share a device, and the device; count 0 if several device numbers occur
 * more than once. The caller frees the list. */
static int *sharers(const struct ncs_analysis *q, int comm, size_t *count, int *device)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    int *rank = ncs_new((size_t)info->members * sizeof *rank), kinds = 0;
    *count = 0;
    for (int i = 0; i < info->members; i++) {
        size_t same = 0;
        bool first = info->member[i].device >= 0;
        for (int k = 0; k < info->members && first; k++) {
            same += info->member[k].device == info->member[i].device;
            first = k >= i || info->member[k].device != info->member[i].device;
        }
        if (!first || same < 2)
            continue;
        kinds++;
        *count = 0;
        *device = info->member[i].device;
        for (int k = i; k < info->members; k++)
            if (info->member[k].device == *device)
                rank[(*count)++] = info->member[k].rank;
    }
    if (kinds != 1)
        *count = 0; /* each host counts its devices from 0, so equal numbers prove nothing */
    return rank;
}

static void format_same_device(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier,
                               struct ncs_str *why, struct ncs_str *fix)
{
    (void)earlier;
    const struct ncs_call *init = concerned(call);
    int device = -1, *rank = NULL;
    size_t count = 0;
    if (init->comm >= 0)
        rank = sharers(q, init->comm, &count, &device);
    if (count) {
        ncs_str_add(why, "; ");
        ncs_format_ranks(why, rank, count);
        ncs_str_addf(why, " joined with the same device current: device %d", device);
    } else {
        ncs_str_add(why, "; ranks of one host joined with the same device current");
    }
    ncs_free(rank);
    ncs_str_add(fix, "let each rank of a host choose a device of its own before it joins");
    ncs_format_place(fix, init);
    ncs_str_add(fix, ": cudaSetDevice with its number among the ranks of the host");
}

/* Blames the ranks that share a device. Not all that failed: ranks with a device of their own may
 * fail, too, because the communicator cannot be made. False = the sharers are unknown. */
static bool blame_sharers(const struct ncs_analysis *q, const struct ncs_call *call, struct ncs_draft *d)
{
    const struct ncs_call *init = concerned(call);
    int device, *rank = NULL;
    size_t count = 0;
    if (init->comm >= 0)
        rank = sharers(q, init->comm, &count, &device);
    for (size_t i = 0; i < count; i++)
        ncs_add_culprit(d, rank[i], 0, init->place.line);
    ncs_free(rank);
    return count > 0;
}

/* ---- an id that was used before ---- */

/* *earlier = a call by which the same rank joined the same communicator before. */
static bool is_reused_id(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call **earlier)
{
    const struct ncs_call *init = concerned(call);
    if (!ncs_is_init(init) || init->comm < 0)
        return false;
    for (size_t i = 0; i < q->rares; i++) {
        const struct ncs_call *c = q->rare[i];
        if (ncs_is_init(c) && c->comm == init->comm && c->rank == init->rank && c->id < init->id && c->returned &&
            !ncs_failed(c)) {
            *earlier = c;
            return true;
        }
    }
    return false;
}

static void format_reused_id(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier,
                             struct ncs_str *why, struct ncs_str *fix)
{
    ncs_str_addf(why, "; with this id %s was made", ncs_comm_name(q, earlier->comm));
    ncs_format_place(why, earlier);
    ncs_str_add(why, ", and an id is good for one communicator");
    ncs_str_add(fix, "get an id of its own for the communicator that is made");
    ncs_format_place(fix, concerned(call));
    ncs_str_add(fix, ": ncclGetUniqueId once more on one rank, and give it to the others");
}

/* ---- no communicator ---- */

static bool makes_comm(const struct ncs_call *c)
{
    return ncs_fn_info[c->fn].child || ncs_is_init(c);
}

static bool gave_no_color(const struct ncs_call *c)
{
    return c->fn == NCS_FN_ncclCommSplit && (int)c->arg[1].i == NCCL_SPLIT_NOCOLOR;
}

/* True if a rank has fewer children of this communicator than its calls up to `c` would make. */
static bool is_behind(const struct ncs_analysis *q, const struct ncs_call *c)
{
    size_t made = 0, wanted = 0;
    for (size_t i = 0; i < q->journal->comms; i++) {
        const struct ncs_comm_info *info = q->journal->comm[i];
        for (int k = 0; k < info->members && info->parent == c->comm; k++)
            made += info->member[k].rank == c->rank && info->member[k].handle;
    }
    for (size_t i = 0; i < q->rares && q->rare[i]->id <= c->id; i++)
        wanted += q->rare[i]->comm == c->comm && q->rare[i]->rank == c->rank && makes_comm(q->rare[i]) &&
                  !ncs_failed(q->rare[i]) && !gave_no_color(q->rare[i]);
    return !ncs_is_init(c) && made < wanted;
}

/* True if the call that should have made the communicator gave the rank none before `used`. */
static bool left_none(const struct ncs_analysis *q, const struct ncs_call *c, const struct ncs_call *used)
{
    return gave_no_color(c) || ncs_failed(c) || (c->group && c->group == used->group) || is_behind(q, c);
}

/* *earlier = the call that should have made the communicator, the latest one; it stays NULL if
 * there is none. */
static bool is_null_comm(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call **earlier)
{
    const union ncs_arg *comm = ncs_call_arg(call, NCS_ARG_COMM);
    if (!comm || comm->p || !ncs_failed(call))
        return false;
    for (size_t i = q->rares; i-- > 0 && !*earlier;) {
        const struct ncs_call *c = q->rare[i];
        if (c->id < call->id && c->rank == call->rank && makes_comm(c) && !c->opening && left_none(q, c, call))
            *earlier = c;
    }
    return true;
}

static void format_null_comm(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier,
                             struct ncs_str *why, struct ncs_str *fix)
{
    if (!earlier) {
        ncs_str_add(why, "; no call of the rank has made a communicator for it");
        ncs_str_add(fix, "make the communicator on this rank too, or leave out the call");
        ncs_format_place(fix, call);
        return;
    }
    const char *maker = ncs_function_name(earlier);
    if (gave_no_color(earlier)) {
        ncs_str_addf(why, "; the rank gave NCCL_SPLIT_NOCOLOR to the split of %s", ncs_comm_name(q, earlier->comm));
        ncs_format_place(why, earlier);
        ncs_str_add(why, ", and so was given no communicator");
        ncs_str_add(fix, "leave out the call");
        ncs_format_place(fix, call);
        ncs_str_add(fix, " on ranks without a color, or give a color");
        ncs_format_place(fix, earlier);
        return;
    }
    ncs_str_addf(why, "; %s", maker);
    ncs_format_place(why, earlier);
    if (ncs_failed(earlier)) {
        ncs_str_add(why, ", which should have made it, ");
        ncs_format_result(earlier, why);
        ncs_str_addf(fix, "repair %s", maker);
        ncs_format_place(fix, earlier);
    } else if (earlier->group && earlier->group == call->group) {
        ncs_str_add(why, " makes it only when the group ends");
        ncs_str_add(fix, "end the group before the communicator is used");
        ncs_format_place(fix, call);
    } else {
        ncs_str_add(why, " is non-blocking and has not made it yet");
        ncs_str_addf(fix,
                     "wait until %s is done, which ncclCommGetAsyncError of the communicator that it "
                     "was called on tells (comm:wait_ready()), before the call",
                     maker);
        ncs_format_place(fix, call);
    }
}

/* ---- a rank that is to be left out ---- */

static bool is_excluded(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call **earlier)
{
    (void)earlier;
    if (call->fn != NCS_FN_ncclCommShrink || call->rc != ncclInvalidArgument || call->comm < 0)
        return false;
    for (size_t i = 0; i < q->journal->comms; i++) { /* a child that others made by the same call, without this rank */
        const struct ncs_comm_info *info = q->journal->comm[i];
        bool has = false, first_of_it = false;
        for (int k = 0; k < info->members; k++)
            has |= info->member[k].rank == call->rank;
        for (int k = 0; k < info->members; k++)
            first_of_it |= info->member[k].joined > 0;
        if (info->parent == call->comm && !info->split && !has && first_of_it)
            return true;
    }
    return ncs_message_has(call, "exclude");
}

static void format_excluded(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier,
                            struct ncs_str *why, struct ncs_str *fix)
{
    (void)earlier;
    ncs_str_addf(why, "; only the ranks that stay call %s, and this rank is excluded", ncs_function_name(call));
    ncs_str_add(fix, "call it only on ranks that are not in the list");
    ncs_format_place(fix, call);
    ncs_str_addf(fix, "; the excluded ranks make no more calls on %s and abort it", ncs_comm_name(q, call->comm));
}

/* ---- a communicator that is busy ---- */

/* *earlier = the last call on the communicator that returned ncclInProgress, if no later query has
 * shown that it is done. */
static bool is_in_progress(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call **earlier)
{
    (void)q;
    if (call->rc != ncclInvalidArgument || call->comm < 0)
        return false;
    for (const struct ncs_call *c = call->older; c; c = c->older) {
        if (c->comm != call->comm || c->comm_rank != call->comm_rank || !c->returned)
            continue;
        if (c->rc == ncclInProgress) {
            *earlier = c;
            return true;
        }
        if (c->fn == NCS_FN_ncclCommGetAsyncError && c->arg[1].i != ncclInProgress)
            return false;
    }
    return false;
}

static void format_in_progress(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier,
                               struct ncs_str *why, struct ncs_str *fix)
{
    ncs_str_addf(why, "; %s", ncs_function_name(earlier));
    ncs_format_place(why, earlier);
    ncs_str_addf(why, " returned ncclInProgress, and %s was not ready yet", ncs_comm_name(q, call->comm));
    ncs_str_addf(fix,
                 "poll ncclCommGetAsyncError of %s until it is no longer ncclInProgress "
                 "(comm:wait_ready()) before the call",
                 ncs_comm_name(q, call->comm));
    ncs_format_place(fix, call);
}

/* ---- an operator that is none here ---- */

/* The rank's newest operator with the call's handle that was made before the call; handles are used
 * again after a destroy. */
static const struct ncs_redop *find_redop(const struct ncs_comm_info *info, const struct ncs_call *call)
{
    const struct ncs_redop *op = info->redops;
    while (op && (op->handle != ncs_call_op(call) || op->created > call->id || info->member[op->comm_rank].rank != call->rank))
        op = op->next;
    return op;
}

/* The operator of the communicator, if it has one with this handle; else that of
 * another communicator. */
static const struct ncs_redop *redop_of(const struct ncs_analysis *q, const struct ncs_call *call)
{
    const struct ncs_redop *op = NULL;
    if (call->rc != ncclInvalidArgument || call->comm < 0 || ncs_call_op(call) < ncclNumOps)
        return NULL;
    op = find_redop(q->journal->comm[call->comm], call);
    for (size_t i = 0; i < q->journal->comms && !op; i++)
        op = find_redop(q->journal->comm[i], call);
    return op;
}

static const struct ncs_call *failed_call_origin_call_of(const struct ncs_call *newest, uint64_t id)
{
    while (newest && newest->id != id)
        newest = newest->older;
    return newest;
}

/* *earlier = the call that destroyed the operator, or that made it for another communicator or data
 * type. */
static bool is_no_operator(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call **earlier)
{
    const struct ncs_redop *op = redop_of(q, call);
    if (!op)
        return false;
    bool over = op->comm == call->comm && op->destroyed && op->destroyed < call->id;
    *earlier = failed_call_origin_call_of(call, over ? op->destroyed : op->created);
    return *earlier && (over || op->comm != call->comm || op->dtype != ncs_call_dtype(call));
}

static void format_no_operator(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier,
                               struct ncs_str *why, struct ncs_str *fix)
{
    const struct ncs_redop *op = redop_of(q, call);
    bool over = earlier->fn == NCS_FN_ncclRedOpDestroy;
    ncs_str_addf(why, "; the operator was %s", over ? "destroyed" : "made");
    if (!over && op->comm != call->comm)
        ncs_str_addf(why, " on %s", ncs_comm_name(q, op->comm));
    else if (!over)
        ncs_str_addf(why, " for %s", ncs_dtype_name(op->dtype));
    ncs_format_place(why, earlier);
    if (over) {
        ncs_str_add(fix, "destroy the operator");
        ncs_format_place(fix, earlier);
        ncs_str_add(fix, " only after the call");
        ncs_format_place(fix, call);
    } else if (op->comm != call->comm) {
        ncs_str_addf(fix, "make the operator that the call uses");
        ncs_format_place(fix, call);
        ncs_str_addf(fix, " on %s: it is good on that communicator alone", ncs_comm_name(q, call->comm));
    } else {
        ncs_str_addf(fix, "make an operator for %s for the call", ncs_dtype_name(ncs_call_dtype(call)));
        ncs_format_place(fix, call);
    }
}

/* ---- what is wrong with the call itself ---- */

static bool is_own_mistake(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call **earlier)
{
    (void)q;
    (void)call;
    (void)earlier;
    return true;
}

static const struct {
    bool (*is)(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call **earlier);
    void (*format)(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier, struct ncs_str *why,
                   struct ncs_str *fix);
} failings[] = {
    [NCS_FAILING_VERSION] = { is_version, format_version },
    [NCS_FAILING_SAME_DEVICE] = { is_same_device, format_same_device },
    [NCS_FAILING_REUSED_ID] = { is_reused_id, format_reused_id },
    [NCS_FAILING_NULL_COMM] = { is_null_comm, format_null_comm },
    [NCS_FAILING_EXCLUDED] = { is_excluded, format_excluded },
    [NCS_FAILING_IN_PROGRESS] = { is_in_progress, format_in_progress },
    [NCS_FAILING_NO_OPERATOR] = { is_no_operator, format_no_operator },
    [NCS_FAILING_OWN] = { is_own_mistake, ncs_format_own_mistake },
};

enum ncs_failing ncs_format_failing(const struct ncs_analysis *q, const struct ncs_call *call, struct ncs_str *why,
                                    struct ncs_str *fix)
{
    for (int i = 0;; i++) { /* the last reason fits every call */
        const struct ncs_call *earlier = NULL;
        if (!failings[i].is(q, call, &earlier))
            continue;
        failings[i].format(q, call, earlier, why, fix);
        return (enum ncs_failing)i;
    }
}

/* ---- calls whose errors nobody caught ---- */

static void failed_call_origin_format_failed(const struct ncs_cause *r, struct ncs_str *s)
{
    int *rank = ncs_new(r->calls * sizeof *rank);
    char *what = ncs_describe(r->call[0]);
    for (size_t i = 0; i < r->calls; i++)
        rank[i] = r->call[i]->rank;
    ncs_str_add(s, "on ");
    ncs_format_ranks(s, rank, r->calls);
    ncs_str_addf(s, " %s", what);
    ncs_format_place(s, r->call[0]);
    ncs_str_add(s, " ");
    ncs_format_result(r->call[0], s);
    ncs_free(what);
    ncs_free(rank);
}

bool ncs_failed_because(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, enum ncs_failing failing)
{
    struct ncs_str why = { 0 }, fix = { 0 };
    if (r->kind != NCS_CAUSE_FAILED)
        return false;
    /* the reason is only known once its text is made: the text is dropped if the rule asks for
     * another reason */
    failed_call_origin_format_failed(r, &why);
    bool is = ncs_format_failing(q, r->call[0], &why, &fix) == failing;
    d->f.why = ncs_plain(ncs_str_take(&why));
    d->f.fix = ncs_plain(ncs_str_take(&fix));
    if (!is) {
        ncs_sentence_free(d->f.why);
        ncs_sentence_free(d->f.fix);
        d->f.why = d->f.fix = NULL;
        return false;
    }
    bool blamed = failing == NCS_FAILING_SAME_DEVICE ? blame_sharers(q, r->call[0], d)
                                                     : failing == NCS_FAILING_VERSION && blame_versions(r, d);
    if (!blamed)
        for (size_t i = 0; i < r->calls; i++)
            ncs_add_culprit(d, r->call[i]->rank, r->call[i]->number, r->call[i]->place.line);
    d->order = r->call[0]->id;
    d->f.certainty = NCS_CERTAIN;
    d->f.call = r->call[0]->number;
    d->f.evidence = ncs_plain(ncs_copy_text("by the result of the call, which nothing caught"));
    ncs_set_title(q, d, r->call[0]);
    return true;
}
