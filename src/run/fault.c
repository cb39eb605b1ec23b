#include "run/fault.h"

#include <stdio.h>

#include "base/mem.h"
#include "run/private.h"

/* A fault that waits for its call. */
struct armed {
    struct ncs_fault fault;
    uint64_t uses;              /* of fault.fn so far, or the rank's calls on the communicator */
    int comm;                   /* number of fault.comm; -1 = none, or not known yet */
    const struct ncs_call *due; /* the call that it has waited for; NULL = none so far */
    struct armed *next;
};

bool ncs_run_can_fault(const struct ncs_run *run, enum ncs_fault_kind kind)
{
    return run->machine->inject || ncs_fault_info[kind].injects == NCS_INJECT_HOST;
}

/* Stops the rank or the thread for ever. Nothing here may own memory, because the stack is dropped.
 * The pending call is taken back from the journal. */
static void fault_stop(struct ncs_run *run, const struct ncs_fault *f, struct ncs_call *call)
{
    char why[64];
    struct ncs_place place = call ? call->place : f->place;
    snprintf(why, sizeof why, f->place.line ? "%s at line %d" : "%s", ncs_fault_info[f->kind].what, f->place.line);
    if (call)
        ncs_journal_take_back(run->journal, call);
    struct run_rank *rank = &run->rank[ncs_local->rank];
    rank->death = f->place;
    if (f->kind == NCS_FAULT_STALL) {
        rank->halted |= ncs_local == &rank->local;
        run->machine->end(NCS_END_KILLED, why, place);
        return;
    }
    rank->dead = true;
    run->machine->die(why, place);
}

/* How many elements the call writes: on its own rank, or (a put) in its peer's window. */
static uint64_t count_written(const struct ncs_run *run, const struct ncs_call *call)
{
    uint64_t count = ncs_call_count(call);
    if (call->fn == NCS_FN_ncclPutSignal)
        return count;
    int nranks = call->comm >= 0 ? run->journal->comm[call->comm]->nranks : 1;
    return ncs_call_recvbuff(call) ? count * ncs_call_writes(call, nranks) : 0;
}

/* False if the call does not write the elements that the fault is to spoil. Then the rank's script is told so when the
 * call returns. */
static bool can_spoil(struct ncs_run *run, const struct ncs_fault *f, const struct ncs_call *call)
{
    uint64_t written = count_written(run, call), last = f->first + (f->count ? f->count - 1 : 0);
    if (last < written)
        return true;
    struct ncs_str s = { 0 }, what = { 0 };
    ncs_call_describe(call, &what);
    ncs_str_add(&s, ncs_fault_info[f->kind].what);
    if (f->place.line)
        ncs_str_addf(&s, " at line %d", f->place.line);
    ncs_str_addf(&s, " cannot spoil element %llu of ", (unsigned long long)last + 1);
    if (call->number)
        ncs_str_addf(&s, "call %u, ", (unsigned)call->number);
    if (written)
        ncs_str_addf(&s, "%s: it writes %llu element%s", what.text, (unsigned long long)written, written == 1 ? "" : "s");
    else
        ncs_str_addf(&s, "%s: it writes no data on this rank", what.bytes ? what.text : ncs_fn_info[call->fn].name);
    ncs_str_free(&what);
    char **misfit = &run->rank[call->rank].misfit;
    ncs_free(*misfit);
    *misfit = ncs_str_take(&s);
    return false;
}

char *ncs_run_take_misfit(struct ncs_run *run, int rank)
{
    char *misfit = run->rank[rank].misfit;
    run->rank[rank].misfit = NULL;
    return misfit;
}

static void fault_inject(struct ncs_run *run, const struct ncs_fault *f, struct ncs_call *call)
{
    int comm, comm_rank;
    if (ncs_fault_info[f->kind].needs == NCS_FAULT_NEEDS_elements && !can_spoil(run, f, call))
        return;
    ncs_verify_trust(run->verify, false);
    if (ncs_fault_info[f->kind].needs == NCS_FAULT_NEEDS_elements) {
        char what[80];
        snprintf(what, sizeof what, f->place.line ? "%s at line %d" : "%s", ncs_fault_info[f->kind].what, f->place.line);
        ncs_verify_spoilt(run->verify, call, what);
    }
    if (f->kind == NCS_FAULT_ASYNC && run->hazards && ncs_journal_find(run->journal, f->comm, &comm, &comm_rank))
        ncs_hazards_broken(run->hazards, ncs_local->rank, comm, comm_rank,
                           (struct ncs_broken){ f->place.line || !call ? f->place : call->place, f->code });
    run->machine->inject(&(struct ncs_injection){ .kind = ncs_fault_info[f->kind].injects,
                                                  .comm = f->comm,
                                                  .call = call,
                                                  .first = f->first,
                                                  .count = f->count,
                                                  .peer = f->peer,
                                                  .nanoseconds = f->nanoseconds,
                                                  .code = f->code });
}

static void fault_mark(struct ncs_run *run, const struct ncs_fault *f, const struct ncs_call *call)
{
    struct ncs_place place = f->place.line || !call ? f->place : call->place;
    if (run->timeline)
        ncs_timeline_mark(run->timeline, ncs_local->rank, ncs_local->thread, place, ncs_fault_info[f->kind].what);
}

/* Carries the fault out. Returns the code that the call gets without being made; 0
 * = make the call. */
static int happen(struct ncs_run *run, const struct ncs_fault *f, struct ncs_call *call)
{
    fault_mark(run, f, call);
    switch (f->kind) {
    case NCS_FAULT_KILL:
    case NCS_FAULT_STALL: fault_stop(run, f, call); return 0;
    case NCS_FAULT_SLOW: run->machine->sleep(f->nanoseconds); return 0;
    case NCS_FAULT_FAIL: return f->code;
    default: fault_inject(run, f, call); return 0;
    }
}

/* True if the call writes a result that can be corrupted: on its own rank, or (a put) in
 * its peer's window. */
static bool writes(const struct ncs_call *call)
{
    bool anywhere = call->fn == NCS_FN_ncclPutSignal || (ncs_call_recvbuff(call) && ncs_call_writes(call, 1) > 0);
    return anywhere && ncs_call_count(call) > 0;
}

static bool is_on(const struct ncs_run *run, const void *handle, const struct ncs_call *call)
{
    int comm, comm_rank;
    return ncs_journal_find(run->journal, handle, &comm, &comm_rank) && comm == call->comm;
}

/* Keeps the communicator in the journal, because a note may name it after all
 * ranks have ended it. */
static void set_comm(struct ncs_run *run, struct armed *a, int comm)
{
    if (comm >= 0 && comm != a->comm)
        ncs_journal_keep_comm(run->journal, comm);
    a->comm = comm;
}

static bool fault_is_due(struct ncs_run *run, struct armed *a, const struct ncs_call *call)
{
    const struct ncs_fault *f = &a->fault;
    bool about_comm = ncs_fault_is_of_comm(f->kind);
    if (f->fn >= 0 ? (enum ncs_fn)f->fn != call->fn : !call->number)
        return false;
    if (f->comm && !(f->fn >= 0 && about_comm) && !is_on(run, f->comm, call))
        return false;
    if (f->fn >= 0)
        return ++a->uses == f->nth;
    a->uses = call->number;
    set_comm(run, a, f->comm ? call->comm : -1);
    return f->call ? f->call == call->number : writes(call);
}

static void mark_due(struct ncs_run *run, const struct ncs_call *call)
{
    for (struct armed *a = run->rank[call->rank].armed; a; a = a->next)
        if (!a->due && fault_is_due(run, a, call))
            a->due = call;
}

/* Takes the first fault that waits for exactly this call. */
static bool take_due(struct ncs_run *run, const struct ncs_call *call, struct ncs_fault *fault)
{
    struct armed **link = &run->rank[call->rank].armed, *a;
    while ((a = *link) && a->due != call)
        link = &a->next;
    if (!a)
        return false;
    *fault = a->fault;
    *link = a->next;
    ncs_free(a);
    return true;
}

/* On real hardware a stopped rank comes back at the end of the run. It must not call any more: the
 * objects of its call may be freed. */
static int over(const struct ncs_run *run)
{
    return run->real && run->machine->cancelled() ? ncclSystemError : 0;
}

/* Before each call of a rank, on any driver. */
static int before_call(void *arg, struct ncs_call *call)
{
    struct ncs_run *run = arg;
    struct ncs_fault due;
    int rc = 0;
    if (ncs_local->amended) /* the script's own has been here */
        return ncs_run_amend(run, call);
    if (run->rank[call->rank].dead) {
        fault_stop(run, &(struct ncs_fault){ .kind = NCS_FAULT_KILL, .place = run->rank[call->rank].death }, call);
        return over(run);
    }
    call->number = ncs_run_script_number(run, call);
    mark_due(run, call);
    while (!run->machine->cancelled() && take_due(run, call, &due)) {
        int code = happen(run, &due, call);
        rc = rc ? rc : code;
    }
    rc = rc ? rc : over(run);
    return rc || run->machine->cancelled() ? rc : ncs_run_amend(run, call);
}

void ncs_run_watch_calls(struct ncs_run *run)
{
    ncs_journal_fault(run->journal, before_call, run);
}

void ncs_run_fault(struct ncs_run *run, const struct ncs_fault *fault)
{
    ncs_run_watch_calls(run);
    if (!fault->call && fault->fn < 0 && ncs_fault_info[fault->kind].needs != NCS_FAULT_NEEDS_elements) {
        happen(run, fault, NULL);
        return;
    }
    struct armed *a = ncs_new(sizeof *a), **link = &run->rank[ncs_local->rank].armed;
    int comm, comm_rank;
    a->fault = *fault;
    a->comm = -1;
    if (fault->comm && ncs_journal_find(run->journal, fault->comm, &comm, &comm_rank)) {
        set_comm(run, a, comm);
        a->uses = fault->call ? run->journal->comm[comm]->member[comm_rank].calls : 0;
    }
    while (*link)
        link = &(*link)->next;
    *link = a;
}

/* ---- what came of them ---- */

bool ncs_run_lost(const struct ncs_run *run)
{
    for (int r = 0; r < run->options.ranks; r++)
        if (!run->rank[r].dead && !run->rank[r].halted)
            return false;
    return run->result.stop == NCS_STOP_DONE && run->options.ranks > 0;
}

static void report_lost(struct ncs_run *run)
{
    struct ncs_notice *n = ncs_notices_add(&run->notices, NCS_NOTICE_LOST, NULL, 0, NULL);
    size_t room = 0;
    for (int r = 0; n && r < run->options.ranks; r++) {
        struct ncs_notice_fault f = { .what = ncs_fault_info[run->rank[r].dead ? NCS_FAULT_KILL : NCS_FAULT_STALL].what,
                                      .rank = r,
                                      .place = run->rank[r].death,
                                      .comm = -1 };
        NCS_PUSH(n->fault, n->faults, room, f);
    }
}

/* "it waited for call 9 on world, and the rank made 4 there" */
static char *format_unused(const struct ncs_run *run, const struct armed *a)
{
    const struct ncs_fault *f = &a->fault;
    const char *comm = a->comm >= 0 ? run->journal->comm[a->comm]->name : NULL;
    unsigned long long uses = a->uses, nth = f->nth;
    struct ncs_str s = { 0 };
    if (f->fn >= 0) {
        ncs_str_addf(&s, "it waited for use %llu of %s", nth, ncs_fn_info[f->fn].name);
        if (comm && !ncs_fault_is_of_comm(f->kind))
            ncs_str_addf(&s, " on %s", comm);
        ncs_str_addf(&s, " from there on, and the rank made %llu", uses);
    } else if (f->call) {
        ncs_str_addf(&s, "it waited for call %u on %s, and the rank made %llu there", (unsigned)f->call,
                     comm ? comm : "its communicator", uses);
    } else {
        ncs_str_addf(&s, "it waited for the next call%s%s with a result on that rank, and there was none", comm ? " on " : "",
                     comm ? comm : "");
    }
    return ncs_str_take(&s);
}

static void report_unused(struct ncs_run *run, int rank, const struct armed *a)
{
    char *why = format_unused(run, a);
    struct ncs_notice *n = ncs_notices_add(&run->notices, NCS_NOTICE_UNUSED, NULL, 0, why);
    struct ncs_notice_fault f = {
        .what = ncs_fault_info[a->fault.kind].what, .rank = rank, .place = a->fault.place, .comm = a->comm, .call = a->fault.call
    };
    size_t room = 0;
    if (n)
        NCS_PUSH(n->fault, n->faults, room, f);
    ncs_free(why);
}

/* False if the rank was stopped or ended with an error: then it is plain why it never made the
 * later calls, and no note is needed. */
static bool came_to_its_end(const struct ncs_run *run, int rank)
{
    for (size_t i = 0; i < run->result.errors; i++)
        if (run->result.error[i].rank == rank)
            return false;
    return !run->rank[rank].dead && !run->rank[rank].halted;
}

void ncs_run_faults_report(struct ncs_run *run)
{
    if (run->result.stop != NCS_STOP_DONE || run->skipped)
        return;
    if (ncs_run_lost(run))
        report_lost(run);
    for (int r = 0; r < run->options.ranks; r++)
        for (const struct armed *a = run->rank[r].armed; a && came_to_its_end(run, r); a = a->next)
            report_unused(run, r, a);
}

void ncs_run_faults_free(struct ncs_run *run)
{
    for (int r = 0; run->rank && r < run->options.ranks; r++) { /* without a thread for the watch no rank is made */
        for (struct armed *a = run->rank[r].armed, *next; a; a = next) {
            next = a->next;
            ncs_free(a);
        }
        run->rank[r].armed = NULL;
        ncs_free(run->rank[r].misfit);
        run->rank[r].misfit = NULL;
    }
}
