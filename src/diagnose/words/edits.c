/* Edits: names, copies, comparison, and their sentences ("rank 2: insert AllReduce ..."). */
#include "diagnose/course/course.h"
#include "diagnose/rules/rule.h"

#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "ncclscript/nccl_abi.h"

static const char *const kinds[] = {
    [NCS_EDIT_INSERT] = "insert", [NCS_EDIT_DELETE] = "delete",     [NCS_EDIT_SWAP] = "swap",
    [NCS_EDIT_GROUP] = "group",   [NCS_EDIT_ARGUMENT] = "argument", [NCS_EDIT_SYNC] = "sync",
};

const char *ncs_edit_kind_name(enum ncs_edit_kind kind)
{
    return kinds[kind];
}

struct ncs_edit ncs_edit_copy(const struct ncs_edit *edit)
{
    struct ncs_edit copy = *edit;
    copy.on = ncs_copy_text(edit->on);
    copy.text = ncs_copy_text(edit->text);
    copy.key = ncs_copy_text(edit->key);
    return copy;
}

static bool edits_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* A single edit of a call is placed by the call's number, so it does not matter if one side does not know `before`. */
static bool edits_same_before(const struct ncs_edit *a, const struct ncs_edit *b, size_t edits)
{
    return a->before == b->before || (edits == 1 && !a->of_host && (!a->before || !b->before));
}

bool ncs_edits_same(const struct ncs_edit *a, size_t edits, const struct ncs_edit *b, size_t others)
{
    if (edits != others)
        return false;
    for (size_t i = 0; i < edits; i++) {
        const int64_t x[] = { a[i].kind,        a[i].rank,   a[i].comm,
                              a[i].comm_rank,   a[i].call,   a[i].other,
                              a[i].other_comm,  a[i].model,  a[i].model_comm_rank,
                              a[i].model_call,  a[i].answer, a[i].value,
                              a[i].of_host,     a[i].host,   a[i].host_thread,
                              (int64_t)a[i].nth };
        const int64_t y[] = { b[i].kind,        b[i].rank,   b[i].comm,
                              b[i].comm_rank,   b[i].call,   b[i].other,
                              b[i].other_comm,  b[i].model,  b[i].model_comm_rank,
                              b[i].model_call,  b[i].answer, b[i].value,
                              b[i].of_host,     b[i].host,   b[i].host_thread,
                              (int64_t)b[i].nth };
        if (memcmp(x, y, sizeof x) != 0 || !edits_same_text(a[i].argument, b[i].argument) ||
            !edits_same_text(a[i].key, b[i].key) || !edits_same_before(&a[i], &b[i], edits))
            return false;
    }
    return true;
}

void ncs_edit_free(struct ncs_edit *edit)
{
    ncs_free(edit->on);
    ncs_free(edit->text);
    ncs_free(edit->key);
}

static const struct ncs_call *edits_call_of(const struct ncs_analysis *q, int comm, int comm_rank, uint32_t number)
{
    return number ? ncs_journal_call(q->journal, comm, comm_rank, number) : NULL;
}

/* Names another peer in a copy of a call. *wait is room for the argument of a wait for signals, to which the copy then
 * points. */
static void set_peer(struct ncs_call *own, int peer, ncclWaitSignalDesc_t *wait)
{
    size_t count;
    const ncclWaitSignalDesc_t *w = ncs_call_waits(own, &count);
    union ncs_arg *arg = (union ncs_arg *)ncs_call_arg(own, w ? NCS_ARG_WAITS : NCS_ARG_PEER);
    if (w && count == 1) {
        *wait = w[0];
        wait->peer = peer;
        arg->p = wait;
    } else if (!w && arg) {
        arg->i = peer;
    }
}

/* "AllReduce float32 x 1024 sum", or the counterpart of a send or a receive. */
static void edits_format_model(struct ncs_str *s, const struct ncs_analysis *q, const struct ncs_edit *e)
{
    const struct ncs_call *m = edits_call_of(q, e->comm, e->model_comm_rank, e->model_call);
    if (!m) {
        ncs_str_add(s, "a call");
        return;
    }
    struct ncs_call own = ncs_call_copy(m);
    ncclWaitSignalDesc_t wait;
    if (e->answer)
        own.fn = m->fn == NCS_FN_ncclSend ? NCS_FN_ncclRecv : NCS_FN_ncclSend;
    if (e->answer || e->argument)
        set_peer(&own, e->answer ? m->comm_rank : (int)e->value, &wait);
    char *what = ncs_describe(&own);
    ncs_str_add(s, what);
    ncs_free(what);
}

/* "call 3, AllReduce float32 x 8 sum, (line 17)" */
static void edits_format_call(struct ncs_str *s, const struct ncs_analysis *q, int comm, int comm_rank, uint32_t number,
                              bool in_full)
{
    const struct ncs_call *c = edits_call_of(q, comm, comm_rank, number);
    ncs_str_addf(s, "call %u", (unsigned)number);
    if (c && in_full) {
        char *what = ncs_describe(c);
        ncs_str_addf(s, ", %s", what);
        ncs_free(what);
    }
    if (c && c->place.line)
        ncs_str_addf(s, " (line %d)", c->place.line);
}

static void edits_format_where(struct ncs_str *s, const struct ncs_analysis *q, const struct ncs_edit *e)
{
    if (e->line)
        ncs_str_addf(s, " of line %d", e->line);
    if (edits_call_of(q, e->comm, e->comm_rank, e->call)) {
        ncs_str_add(s, " before its ");
        edits_format_call(s, q, e->comm, e->comm_rank, e->call, false);
    } else if (e->call > 1) {
        ncs_str_add(s, " after its ");
        edits_format_call(s, q, e->comm, e->comm_rank, e->call - 1, false);
    } else {
        ncs_str_add(s, ", its only call there");
    }
}

static void edits_format_value(struct ncs_str *s, const struct ncs_edit *e, int64_t value)
{
    const char *name = strcmp(e->argument, "datatype") == 0 ? ncs_dtype_name((int)value)
                       : strcmp(e->argument, "op") == 0     ? ncs_redop_name((int)value)
                                                            : NULL;
    if (strcmp(e->argument, "op") == 0 && value >= ncclNumOps)
        name = "premulsum";
    if (name)
        ncs_str_add(s, name);
    else
        ncs_str_addf(s, "%lld", (long long)value);
}

static int64_t value_now(const struct ncs_call *c, const char *argument)
{
    return strcmp(argument, "count") == 0      ? (int64_t)ncs_call_count(c)
           : strcmp(argument, "datatype") == 0 ? ncs_call_dtype(c)
           : strcmp(argument, "op") == 0       ? ncs_call_op(c)
           : strcmp(argument, "root") == 0     ? ncs_call_root(c)
                                               : ncs_step_peer(c);
}

static void edits_format_argument(struct ncs_str *s, const struct ncs_analysis *q, const struct ncs_edit *e)
{
    const struct ncs_call *c = edits_call_of(q, e->comm, e->comm_rank, e->call);
    if (strcmp(e->argument, "comm") == 0) {
        ncs_str_addf(s, "%s in ", ncs_comm_name(q, e->other_comm));
        edits_format_call(s, q, e->comm, e->comm_rank, e->call, true);
        return;
    }
    ncs_str_addf(s, "%s ", e->argument);
    edits_format_value(s, e, e->value);
    if (c) {
        ncs_str_add(s, " instead of ");
        edits_format_value(s, e, value_now(c, e->argument));
    }
    ncs_str_add(s, " in ");
    edits_format_call(s, q, e->comm, e->comm_rank, e->call, true);
}

static void edits_format_other(struct ncs_str *s, const struct ncs_analysis *q, const struct ncs_edit *e)
{
    bool apart = e->other_comm >= 0;
    edits_format_call(s, q, apart ? e->other_comm : e->comm, apart ? e->other_comm_rank : e->comm_rank, e->other, false);
    if (apart)
        ncs_str_addf(s, " on %s", ncs_comm_name(q, e->other_comm));
}

/* "come to barrier() of line 12", "leave out barrier() at line 24", "set "go1" instead of its key at line 17" */
static void edits_format_host(struct ncs_str *s, const struct ncs_edit *e)
{
    static const char *const verbs[] = {
        [NCS_HOST_BARRIER] = "come to barrier()", [NCS_HOST_SET] = "set", [NCS_HOST_ADD] = "add to", [NCS_HOST_GET] = "wait for",
        [NCS_HOST_SPAWN] = "spawn the thread",
    };
    bool insert = e->kind == NCS_EDIT_INSERT, key = e->host != NCS_HOST_BARRIER && e->host != NCS_HOST_SPAWN;
    ncs_str_addf(s, "%s%s", e->kind == NCS_EDIT_DELETE ? "do not " : "", verbs[e->host]);
    if (key)
        ncs_str_addf(s, " \"%s\"%s", e->key, e->kind == NCS_EDIT_ARGUMENT ? " instead" : "");
    if (e->line)
        ncs_str_addf(s, " %s line %d", insert ? "as in" : "at", e->line);
}

char *ncs_format_edit(const struct ncs_analysis *q, const struct ncs_edit *e)
{
    struct ncs_str s = { 0 };
    const char *comm = ncs_comm_name(q, e->comm);
    ncs_str_addf(&s, "rank %d: ", e->rank);
    if (e->of_host) {
        edits_format_host(&s, e);
        return ncs_str_take(&s);
    }
    switch (e->kind) {
    case NCS_EDIT_INSERT:
        ncs_str_add(&s, "insert ");
        edits_format_model(&s, q, e);
        edits_format_where(&s, q, e);
        break;
    case NCS_EDIT_DELETE:
        ncs_str_add(&s, "leave out ");
        edits_format_call(&s, q, e->comm, e->comm_rank, e->call, true);
        break;
    case NCS_EDIT_SWAP:
        ncs_str_add(&s, "make ");
        edits_format_other(&s, q, e);
        ncs_str_add(&s, " before ");
        edits_format_call(&s, q, e->comm, e->comm_rank, e->call, false);
        break;
    case NCS_EDIT_GROUP:
        ncs_str_add(&s, e->call ? "one group of " : "end the group behind ");
        if (e->call) {
            edits_format_call(&s, q, e->comm, e->comm_rank, e->call, false);
            bool next = e->other_comm < 0 && e->other == e->call + 1;
            ncs_str_add(&s, !next ? " to " : e->further ? ", " : " and ");
        }
        edits_format_other(&s, q, e);
        ncs_str_add(&s, e->further ? " and the messages right behind it" : "");
        break;
    case NCS_EDIT_ARGUMENT: edits_format_argument(&s, q, e); break;
    case NCS_EDIT_SYNC:
        ncs_str_add(&s, "synchronise the stream after ");
        edits_format_call(&s, q, e->comm, e->comm_rank, e->call, true);
        break;
    }
    if (e->kind == NCS_EDIT_ARGUMENT && e->other_comm >= 0)
        ncs_str_addf(&s, " instead of %s", comm);
    else if (e->other_comm >= 0 || strcmp(comm, "world") != 0)
        ncs_str_addf(&s, "%s on %s", e->other_comm >= 0 ? "," : "", comm);
    return ncs_str_take(&s);
}
