/* Turns the journal of a dry run into the lines and faults of a plan. */
#include "report/plan.h"

#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/safe.h"
#include "driver/dry_run.h"
#include "report/plan_words.h"

/* Calls that change nothing and end at once. */
static bool is_look(const struct ncs_call *call)
{
    static const char *const parts[] = { "Get",          "Query",    "Peek",      "CommCount", "CommUserRank",
                                         "CommCuDevice", "MemStats", "CanAccess", "Choose" };
    const char *name = ncs_fn_info[call->fn].name;
    if (call->fn == NCS_FN_ncclGetUniqueId || call->fn == NCS_FN_ncclCommGetUniqueId)
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

/* ---- lines ---- */

/* Takes the text over. */
static void plan_add_line(struct ncs_call_plan_rank *r, struct ncs_call_plan_line line)
{
    struct ncs_call_plan_line *last = r->lines ? &r->line[r->lines - 1] : NULL;
    if (last && last->line == line.line && last->thread == line.thread && last->depth == line.depth &&
        last->unknown == line.unknown && strcmp(last->text, line.text) == 0) {
        last->times++;
        ncs_free(line.text);
        return;
    }
    line.times = 1;
    NCS_PUSH(r->line, r->lines, r->room, line);
}

/* Adds the reason why NCCL would refuse the call, if the driver of plans refused it: "root = 9:
 * world has ranks 0 to 3". False = it did not. */
static bool add_refusal(const struct ncs_journal *j, const struct ncs_call *call, struct ncs_str *out)
{
    const struct ncs_comm_info *comm = call->comm >= 0 ? j->comm[call->comm] : NULL;
    int number;
    const char *what = comm && call->number ? ncs_call_stray(call, comm->nranks, &number) : NULL;
    if (!what)
        return false;
    ncs_str_addf(out, ": %s = %d: %s has ", what, number, comm->name);
    if (comm->nranks == 1)
        ncs_str_add(out, "rank 0 alone");
    else
        ncs_str_addf(out, "ranks 0 to %d", comm->nranks - 1);
    return true;
}

static void plan_add_call(struct ncs_call_plan *plan, const struct ncs_journal *j, struct ncs_call_words *w,
                          const struct ncs_call *call, int *depth)
{
    struct ncs_str text = { 0 };
    bool end = ncs_fn_info[call->fn].closes_group;
    struct ncs_call_plan_line line = { .line = call->place.line,
                                       .thread = call->thread,
                                       .unknown = ncs_driver_dry_run_unknown(call->id) };
    ncs_call_plan_describe(w, j, call, &text);
    if (call->returned && call->rc != 0 && call->rc != ncclInProgress) {
        ncs_str_addf(&text, ": fails with %s",
                     ncs_fn_info[call->fn].result == NCS_RESULT_NCCL ? ncs_nccl_result_name(call->rc)
                                                                     : ncs_cuda_error_name(call->rc));
        add_refusal(j, call, &text);
    }
    line.text = ncs_str_take(&text);
    *depth -= end && *depth > 0;
    line.depth = *depth;
    *depth += call->fn == NCS_FN_ncclGroupStart;
    if (!call->opening && !call->ending && !is_look(call))
        plan_add_line(&plan->rank[call->rank], line);
    else
        ncs_free(line.text);
}

/* ---- faults ---- */

static void add_fault(struct ncs_call_plan *plan, struct ncs_place place, int rank, bool unsure, char *text)
{
    struct ncs_call_plan_fault *f = NULL;
    for (size_t i = 0; i < plan->faults && !f; i++)
        if (plan->fault[i].place.line == place.line && strcmp(plan->fault[i].text, text) == 0)
            f = &plan->fault[i];
    if (f) {
        f->unsure = f->unsure && unsure;
        ncs_free(text);
    } else {
        struct ncs_call_plan_fault fault = { .place = place, .text = text, .unsure = unsure };
        NCS_PUSH(plan->fault, plan->faults, plan->faults_room, fault);
        f = &plan->fault[plan->faults - 1];
    }
    size_t at = f->ranks;
    while (at > 0 && f->rank[at - 1] > rank)
        at--;
    if (at > 0 && f->rank[at - 1] == rank)
        return;
    f->rank = ncs_resize(f->rank, (f->ranks + 1) * sizeof *f->rank);
    memmove(f->rank + at + 1, f->rank + at, (f->ranks++ - at) * sizeof *f->rank);
    f->rank[at] = rank;
}

static bool plan_check_extent(const struct ncs_call_words *w, const struct ncs_call *call, int nranks, struct ncs_str *text)
{
    size_t count = ncs_call_count(call), width = ncs_dtype_bytes(ncs_call_dtype(call));
    for (int send = 1; send >= 0; send--) {
        const void *p = send ? ncs_call_sendbuff(call) : ncs_call_recvbuff(call);
        const struct ncs_call_plan_memory *m = p ? ncs_call_plan_find(w, p) : NULL;
        size_t blocks = send ? ncs_call_reads(call, nranks) : ncs_call_writes(call, nranks);
        if (!m || !width || !blocks)
            continue;
        size_t room = (m->bytes - ((uintptr_t)p - m->base)) / width / blocks;
        if (count <= room)
            continue;
        ncs_str_addf(text, "count %zu%s is beyond the %s buffer, which has room for %zu", count,
                     blocks > 1 ? " for each rank" : "", send ? "send" : "receive", room);
        return false;
    }
    return true;
}

static void check_call(struct ncs_call_plan *plan, const struct ncs_journal *j, const struct ncs_call_words *w,
                       const struct ncs_call *call)
{
    struct ncs_str text = { 0 };
    const struct ncs_comm_info *comm = call->comm >= 0 ? j->comm[call->comm] : NULL;
    uint64_t unknown = ncs_driver_dry_run_first(call->rank);
    if (!ncs_fn_info[call->fn].counted || !comm)
        return;
    if (!plan_check_extent(w, call, comm->nranks, &text))
        add_fault(plan, call->place, call->rank, unknown && call->id > unknown, ncs_str_take(&text));
}

/* The call that returned the error. */
static const struct ncs_call *last_failed(const struct ncs_journal *j, const struct ncs_run_error *e)
{
    const struct ncs_call *call = j->newest;
    while (call &&
           (call->rank != e->rank || call->thread != e->thread || !call->returned || call->rc != e->code || call->id > e->order))
        call = call->older;
    return call;
}

/* Adds the error message. The driver of plans has no messages of NCCL, so calls that it refused get
 * the reason above. */
static void add_error_message(const struct ncs_result *r, const struct ncs_run_error *e, struct ncs_str *out)
{
    const struct ncs_call *call = e->kind == NCS_KIND_NCCL ? last_failed(r->journal, e) : NULL;
    struct ncs_str refusal = { 0 };
    if (call && add_refusal(r->journal, call, &refusal))
        ncs_str_addf(out, "%s: %s%s", e->call, e->name, refusal.text);
    else
        ncs_str_add(out, e->message);
    ncs_str_free(&refusal);
}

static void add_errors(struct ncs_call_plan *plan, const struct ncs_result *r)
{
    for (size_t i = 0; i < r->errors; i++) {
        const struct ncs_run_error *e = &r->error[i];
        uint64_t unknown = ncs_driver_dry_run_first(e->rank);
        struct ncs_str text = { 0 }, message = { 0 };
        add_error_message(r, e, &message);
        ncs_str_addf(&text, "stops with an error: %s", message.text);
        plan_add_line(&plan->rank[e->rank],
                      (struct ncs_call_plan_line){ .line = e->place.line, .thread = e->thread, .text = ncs_str_take(&text) });
        add_fault(plan, e->place, e->rank, unknown && e->order >= unknown, ncs_str_take(&message));
    }
}

static void plan_add_waits(struct ncs_call_plan *plan, const struct ncs_result *r)
{
    for (size_t i = 0; i < r->diagnosis.waits; i++) {
        const struct ncs_wait_line *wait = &r->diagnosis.wait[i];
        struct ncs_str text = { 0 };
        ncs_str_addf(&text, "waits in %s", wait->in);
        if (wait->peers) {
            ncs_str_addf(&text, " for rank%s ", wait->peers == 1 ? "" : "s");
            ncs_str_add_ranks(&text, wait->peer, wait->peers);
        }
        ncs_str_add(&text, ": the plan ends here");
        plan_add_line(
            &plan->rank[ncs_process_of(&r->diagnosis, wait->rank)],
            (struct ncs_call_plan_line){ .line = wait->place.line, .thread = wait->thread, .text = ncs_str_take(&text) });
    }
}

/* ---- a plan ---- */

void ncs_call_plan_make(const struct ncs_result *r, struct ncs_call_plan *plan)
{
    const struct ncs_journal *j = r->journal;
    plan->ranks = r->ranks;
    plan->rank = ncs_new((size_t)r->ranks * sizeof *plan->rank);
    if (!j)
        return;
    struct ncs_call_words *words = ncs_new((size_t)r->ranks * sizeof *words);
    int *depth = ncs_new((size_t)r->ranks * sizeof *depth);
    plan->dropped = j->dropped;
    for (const struct ncs_call *call = j->oldest; call; call = call->newer) {
        if (call->rank < 0 || call->rank >= r->ranks)
            continue;
        plan_add_call(plan, j, &words[call->rank], call, &depth[call->rank]);
        check_call(plan, j, &words[call->rank], call);
    }
    if (r->skip_reason)
        plan->end = ncs_copy_text(r->skip_reason);
    else if (r->stop == NCS_STOP_BUDGET)
        plan->end = ncs_copy_text("it polls for what only a run brings about, or is too long");
    else if (r->verdict == NCS_TIMEOUT || r->verdict == NCS_INTERRUPTED)
        plan->end = ncs_copy_text("it takes too long");
    add_errors(plan, r);
    if (!plan->end) /* otherwise they were stopped, and do not wait */
        plan_add_waits(plan, r);
    for (int i = 0; i < r->ranks; i++)
        ncs_call_words_free(&words[i]);
    ncs_free(words);
    ncs_free(depth);
}

void ncs_call_plan_free(struct ncs_call_plan *plan)
{
    for (int i = 0; i < plan->ranks; i++)
        NCS_FREE_EACH(plan->rank[i].line, plan->rank[i].lines, text);
    for (size_t i = 0; i < plan->faults; i++) {
        ncs_free(plan->fault[i].text);
        ncs_free(plan->fault[i].rank);
    }
    ncs_free(plan->fault);
    ncs_free(plan->end);
    ncs_free(plan->name);
    ncs_free(plan->rank);
    *plan = (struct ncs_call_plan){ 0 };
}

bool ncs_call_plan_same(const struct ncs_call_plan *plan, int a, int b)
{
    const struct ncs_call_plan_rank *x = &plan->rank[a], *y = &plan->rank[b];
    if (x->lines != y->lines)
        return false;
    for (size_t i = 0; i < x->lines; i++)
        if (x->line[i].line != y->line[i].line || x->line[i].times != y->line[i].times ||
            x->line[i].thread != y->line[i].thread || x->line[i].depth != y->line[i].depth ||
            x->line[i].unknown != y->line[i].unknown || strcmp(x->line[i].text, y->line[i].text) != 0)
            return false;
    return true;
}

static void plan_add_rank(const struct ncs_call_plan_rank *r, struct ncs_str *out)
{
    for (size_t i = 0; i < r->lines; i++) {
        const struct ncs_call_plan_line *l = &r->line[i];
        ncs_str_addf(out, "    line %4d  %*s", l->line, 2 * l->depth, "");
        if (l->thread > 0)
            ncs_str_addf(out, "thread %d: ", l->thread);
        ncs_safe_line(out, l->text);
        if (l->times > 1)
            ncs_str_addf(out, ", %d times", l->times);
        ncs_str_add(out, l->unknown ? ", values that only a run knows\n" : "\n");
    }
    if (!r->lines)
        ncs_str_add(out, "    no calls\n");
}

void ncs_call_plan_text(const struct ncs_call_plan *plan, struct ncs_str *out)
{
    bool *done = ncs_new((size_t)plan->ranks * sizeof *done);
    int *same = ncs_new((size_t)plan->ranks * sizeof *same);
    if (plan->dropped)
        ncs_str_addf(out, "  the first %llu calls of all ranks are not kept\n", (unsigned long long)plan->dropped);
    for (int i = 0; i < plan->ranks; i++) {
        size_t count = 0;
        for (int k = i; !done[i] && k < plan->ranks; k++)
            if (!done[k] && (k == i || ncs_call_plan_same(plan, i, k)))
                same[count++] = k;
        if (!count)
            continue;
        ncs_str_addf(out, "  rank%s ", count == 1 ? "" : "s");
        ncs_str_add_ranks(out, same, count);
        ncs_str_add(out, "\n");
        plan_add_rank(&plan->rank[i], out);
        for (size_t k = 0; k < count; k++)
            done[same[k]] = true;
    }
    if (plan->end && plan->ranks) {
        ncs_str_add(out, "  the plan ends early: ");
        ncs_safe_line(out, plan->end);
        ncs_str_add(out, "\n");
    }
    ncs_free(done);
    ncs_free(same);
}
