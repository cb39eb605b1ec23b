/* Shows the state of the run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/safe.h"
#include "prompt/private.h"
#include "report/rows.h"

/* ---- ranks ---- */

static const struct ncs_wait_line *show_wait_of_rank(const struct ncs_prompt *p, int rank)
{
    for (size_t i = 0; i < p->state.waits; i++)
        if (p->state.wait[i].rank == rank && p->state.wait[i].thread == 0)
            return &p->state.wait[i];
    return NULL;
}

static void show_wait(const struct ncs_wait_line *w, struct ncs_str *out)
{
    ncs_str_addf(out, "waits in %s", w->in ? w->in : "a call");
    if (w->comm && w->call)
        ncs_str_addf(out, ", %s call %" PRIu32, w->comm, w->call);
    if (w->what)
        ncs_str_addf(out, ", %s", w->what);
    if (w->peers) {
        ncs_str_addf(out, ", for rank%s ", w->peers == 1 ? "" : "s");
        ncs_str_add_many_ranks(out, w->peer, w->peers);
    }
}

bool show_ranks(struct ncs_prompt *p, const char *arguments)
{
    (void)arguments;
    struct ncs_rows rows = { 0 };
    struct ncs_str out = { 0 };
    prompt_look(p);
    for (int r = 0; r < prompt_ranks(p); r++) {
        struct ncs_str text = { 0 };
        const struct ncs_snap_context *c = prompt_context(p, r);
        const struct ncs_wait_line *w = show_wait_of_rank(p, r);
        int line = 0;
        if (prompt_dead(p, r))
            ncs_str_add(&text, c->ending == NCS_END_KILLED ? "was killed" : "has ended");
        else if (ncs_session_is_free(p->session, r))
            ncs_str_add(&text, "at the prompt");
        else if (w && (w->waiting || w->peers))
            show_wait(w, &text);
        else
            ncs_str_addf(&text, "at work%s%s", w && w->in ? " in " : "", w && w->in ? w->in : "");
        if (c && c->group_depth > 0)
            ncs_str_add(&text, ", a group is open");
        if (w && prompt_busy(p, r))
            line = w->place.line;
        ncs_rows_add(&rows, r, text.text, line, false);
        ncs_str_free(&text);
    }
    ncs_rows_print(&rows, NULL, true, &out);
    prompt_write(p, &out);
    return true;
}

/* ---- communicators ---- */

/* Appends "3 calls" or "2..3 calls". */
static void format_calls(const struct ncs_comm_info *c, struct ncs_str *out)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (int i = 0; i < c->nranks && i < c->members; i++) {
        least = c->member[i].calls < least ? c->member[i].calls : least;
        most = c->member[i].calls > most ? c->member[i].calls : most;
    }
    if (least >= most)
        ncs_str_addf(out, "%" PRIu32 " call%s on each", most, most == 1 ? "" : "s");
    for (uint32_t n = least; least < most && n <= most; n++) {
        int *rank = NULL;
        size_t count = 0, room = 0;
        for (int i = 0; i < c->nranks && i < c->members; i++)
            if (c->member[i].calls == n && c->member[i].rank >= 0)
                NCS_PUSH(rank, count, room, c->member[i].rank);
        if (count) {
            ncs_str_addf(out, "%s%" PRIu32 " call%s on ", n > least ? "; " : "", n, n == 1 ? "" : "s");
            ncs_str_add_many_ranks(out, rank, count);
        }
        ncs_free(rank);
    }
}

bool show_comms(struct ncs_prompt *p, const char *arguments)
{
    (void)arguments;
    const struct ncs_journal *j = ncs_run_journal(p->run);
    struct ncs_str out = { 0 };
    for (size_t i = 0; i < j->comms; i++) {
        const struct ncs_comm_info *c = j->comm[i];
        int *rank = NULL;
        size_t count = 0, room = 0, gone = 0;
        for (int m = 0; m < c->nranks && m < c->members; m++) {
            if (c->member[m].rank >= 0)
                NCS_PUSH(rank, count, room, c->member[m].rank);
            gone += c->member[m].gone != 0;
        }
        ncs_safe_line(&out, c->name ? c->name : "?");
        ncs_str_addf(&out, ": %d rank%s (", c->nranks, c->nranks == 1 ? "" : "s");
        ncs_str_add_many_ranks(&out, rank, count);
        ncs_str_add(&out, "), ");
        format_calls(c, &out);
        if (gone)
            ncs_str_addf(&out, gone == count ? ", gone" : ", gone on %zu", gone);
        ncs_str_add(&out, "\n");
        ncs_free(rank);
    }
    if (!j->comms)
        ncs_str_add(&out, "there is no communicator\n");
    prompt_write(p, &out);
    return true;
}

/* ---- streams ---- */

/* True if other ranks have not made the call of the operation. */
static bool awaits_ranks(const struct ncs_snapshot *s, const struct ncs_snap_op *op)
{
    return op->parts && op->state == NCS_OP_ACTIVE && s->part[op->part].state <= NCS_PART_AT_MEETING;
}

/* Adds "no rank waits; streams of ranks 0, 1 do (:streams)". False = no stream waits for other ranks. */
static bool format_waiting_streams(const struct ncs_snapshot *s, struct ncs_str *out)
{
    int *rank = NULL;
    size_t ranks = 0, room = 0;
    for (size_t i = 0; i < s->ops; i++) {
        size_t k = 0;
        while (k < ranks && rank[k] < s->op[i].rank)
            k++;
        if (!awaits_ranks(s, &s->op[i]) || (k < ranks && rank[k] == s->op[i].rank))
            continue;
        NCS_PUSH(rank, ranks, room, s->op[i].rank);
        for (size_t last = ranks - 1; last > k; last--)
            rank[last] = rank[last - 1];
        rank[k] = s->op[i].rank;
    }
    if (ranks) {
        ncs_str_add(out, ranks == 1 ? "no rank waits; a stream of rank " : "no rank waits; streams of ranks ");
        ncs_str_add_many_ranks(out, rank, ranks);
        ncs_str_add(out, ranks == 1 ? " does (:streams)\n" : " do (:streams)\n");
    }
    ncs_free(rank);
    return ranks > 0;
}

bool show_streams(struct ncs_prompt *p, const char *arguments)
{
    (void)arguments;
    static const char *const states[] = { "waits for what is before it", "may begin", "is at work" };
    struct ncs_rows rows = { 0 };
    struct ncs_str out = { 0 };
    prompt_look(p);
    for (size_t i = 0; i < p->snapshot.ops; i++) {
        const struct ncs_snap_op *op = &p->snapshot.op[i];
        struct ncs_str text = { 0 };
        bool lone = op->parts == 1 && op->call && op->call->number;
        if (lone)
            ncs_call_describe(op->call, &text);
        else if (op->parts)
            ncs_str_addf(&text, "a group of %zu calls", op->parts);
        else
            ncs_str_add(&text, op->kind);
        ncs_str_addf(&text, ": %s", awaits_ranks(&p->snapshot, op) ? "waits for the other ranks" : states[op->state]);
        ncs_rows_add(&rows, op->rank, text.text, op->call ? op->call->place.line : 0, false);
        ncs_str_free(&text);
    }
    if (p->snapshot.ops)
        ncs_rows_print(&rows, NULL, true, &out);
    else
        ncs_str_add(&out, "nothing is on any stream\n");
    prompt_write(p, &out);
    return true;
}

/* ---- buffers ---- */

struct held {
    char *name, *text;
    int *rank;
    size_t ranks, room;
};

struct holdings {
    struct held *held;
    size_t count, room;
    int rank;
};

static void on_holding(void *arg, const struct ncs_holding *h)
{
    struct holdings *all = arg;
    const char *name = h->name ? h->name : "(no name)";
    size_t i = 0;
    if (strcmp(h->class, "buffer") != 0)
        return;
    while (i < all->count && (strcmp(all->held[i].name, name) != 0 || strcmp(all->held[i].text, h->text) != 0))
        i++;
    if (i == all->count) {
        struct held new = { .name = ncs_copy_text(name), .text = ncs_copy_text(h->text) };
        NCS_PUSH(all->held, all->count, all->room, new);
    }
    NCS_PUSH(all->held[i].rank, all->held[i].ranks, all->held[i].room, all->rank);
}

static int show_by_name(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->rank[0] - y->rank[0];
}

bool show_buffers(struct ncs_prompt *p, const char *arguments)
{
    (void)arguments;
    struct holdings all = { 0 };
    struct ncs_str out = { 0 };
    size_t width = 0, wide = 0;
    for (all.rank = 0; all.rank < prompt_ranks(p); all.rank++)
        ncs_session_holdings(p->session, all.rank, on_holding, &all);
    if (all.count)
        qsort(all.held, all.count, sizeof *all.held, show_by_name);
    struct ncs_str *who = ncs_new(all.count * sizeof *who);
    for (size_t i = 0; i < all.count; i++) {
        ncs_str_add_many_ranks(&who[i], all.held[i].rank, all.held[i].ranks);
        width = strlen(all.held[i].name) > width ? strlen(all.held[i].name) : width;
        wide = who[i].bytes > wide ? who[i].bytes : wide;
    }
    for (size_t i = 0; i < all.count; i++) {
        bool same = i > 0 && strcmp(all.held[i].name, all.held[i - 1].name) == 0;
        ncs_str_addf(&out, "%-*s  %-*s  %s\n", (int)width, same ? "" : all.held[i].name, (int)wide, who[i].text,
                     all.held[i].text);
    }
    for (size_t i = 0; i < all.count; i++) {
        ncs_str_free(&who[i]);
        ncs_free(all.held[i].name);
        ncs_free(all.held[i].text);
        ncs_free(all.held[i].rank);
    }
    if (!all.count)
        ncs_str_add(&out, "there is no buffer; cuda.buffer(\"float32\", 8) makes one\n");
    ncs_free(who);
    ncs_free(all.held);
    prompt_write(p, &out);
    return true;
}

/* ---- waits, findings ---- */

bool show_waits(struct ncs_prompt *p, const char *arguments)
{
    (void)arguments;
    struct ncs_str out = { 0 };
    prompt_look(p);
    prompt_waiting(p, true, &out);
    if (!out.bytes && !format_waiting_streams(&p->snapshot, &out))
        ncs_str_add(&out, "nobody waits\n");
    prompt_write(p, &out);
    return true;
}

static void add_findings_of(const struct ncs_prompt *p, const struct ncs_diagnosis *d, struct ncs_str *out)
{
    struct ncs_result now = *ncs_run_so_far(p->run);
    now.diagnosis = *d;
    struct ncs_report_run run = { .scenario = p->scenario, .result = &now };
    struct ncs_text t = { .run = &run, .result = &now, .style = &p->style, .out = out };
    ncs_text_findings(&t);
}

/* Ranks wait for calls that others may still make. */
static void look_ahead(struct ncs_prompt *p, struct ncs_str *out)
{
    struct ncs_diagnosis ahead;
    prompt_waiting(p, true, out);
    ncs_run_look_ahead(p->run, &ahead);
    if (ahead.findings) {
        ncs_str_add(out, "This is no hang yet: the ranks at the prompt can still make the calls. "
                         "If nobody types more:\n");
        add_findings_of(p, &ahead, out);
    } else {
        ncs_str_add(out, "This is no hang yet: the ranks at the prompt can still make the calls.\n");
    }
    ncs_diagnosis_free(&ahead);
}

bool show_why(struct ncs_prompt *p, const char *arguments)
{
    (void)arguments;
    struct ncs_str out = { 0 };
    prompt_look(p);
    if (p->state.findings)
        add_findings_of(p, &p->state, &out);
    else if (prompt_somebody_waits(p))
        look_ahead(p, &out);
    else if (!format_waiting_streams(&p->snapshot, &out))
        ncs_str_add(&out, "nothing is wrong so far\n");
    prompt_write_lines(p, &out);
    return true;
}

/* ---- the past ---- */

static void show_call(const struct ncs_call *c, struct ncs_str *out)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    ncs_str_addf(out, "rank %-3d %-24s", c->rank, info->name);
    if (c->number) {
        ncs_str_add(out, "  ");
        ncs_call_describe(c, out);
    }
    if (!c->returned)
        ncs_str_add(out, "  (has not returned)");
    else if (c->rc && info->result == NCS_RESULT_NCCL)
        ncs_str_addf(out, "  %s", ncs_nccl_result_name(c->rc));
    else if (c->rc && info->result == NCS_RESULT_CUDA)
        ncs_str_addf(out, "  %s", ncs_cuda_error_name(c->rc));
    if (c->place.line)
        ncs_str_addf(out, "  line %d", c->place.line);
    if (c->label) {
        ncs_str_add(out, "  \"");
        ncs_safe_line(out, c->label);
        ncs_str_add(out, "\"");
    }
    ncs_str_add(out, "\n");
}

bool show_journal(struct ncs_prompt *p, const char *arguments)
{
    char *end;
    long n = *arguments ? strtol(arguments, &end, 10) : 20;
    if (*arguments && (*end || n < 1)) {
        prompt_put(p, "error: `%s` is no number of calls", arguments);
        return true;
    }
    const struct ncs_call *first = ncs_run_journal(p->run)->newest;
    struct ncs_str out = { 0 };
    if (!first)
        ncs_str_add(&out, "no call has been made\n");
    while (first && --n > 0 && first->older)
        first = first->older;
    for (const struct ncs_call *c = first; c; c = c->newer)
        show_call(c, &out);
    prompt_write(p, &out);
    return true;
}

bool show_time(struct ncs_prompt *p, const char *arguments)
{
    (void)arguments;
    prompt_look(p);
    prompt_put(p, "%.3f us of virtual time", (double)p->snapshot.now / 1000.0);
    return true;
}
