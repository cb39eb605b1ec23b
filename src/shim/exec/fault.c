#include "shim/exec/exec.h"

#include <string.h>

#include "base/mem.h"
#include "run/fault_text.h"
#include "shim/exec/places.h"
#include "shim/shim.h"

/* A fault of the list on one rank. */
struct waiting {
    const struct ncs_fault_text *fault;
    int rank;      /* -1: threads that have none */
    uint64_t uses; /* calls of the rank that it has counted, or the number of the last one */
    bool over;     /* it happened */
};

struct stopped {
    const char *what;
    int rank;        /* -1 = it had none */
    int thread_rank; /* by which the journal knows the thread */
    struct ncs_place place;
};

static const struct ncs_machine *faulty;
static struct ncs_journal *fault_journal;
static struct ncs_fault_list faults;
static struct waiting *waiting;
static size_t waitings, waiting_room;
static struct stopped *stopped;
static size_t stops, stops_room;

/* ---- when ---- */

static struct waiting *waiting_of(const struct ncs_fault_text *fault, int rank)
{
    for (size_t i = 0; i < waitings; i++)
        if (waiting[i].fault == fault && waiting[i].rank == rank)
            return &waiting[i];
    struct waiting w = { .fault = fault, .rank = rank };
    NCS_PUSH(waiting, waitings, waiting_room, w);
    return &waiting[waitings - 1];
}

static bool is_on_comm(const struct ncs_fault_text *f, const struct ncs_call *call)
{
    const struct ncs_comm_info *comm = fault_journal->comm[call->comm];
    return f->comm ? strcmp(f->comm, comm->name) == 0 : comm->serial == 1;
}

/* True if the fault waits for calls like this one. */
static bool is_counted_by(const struct ncs_fault_text *f, const struct ncs_call *call)
{
    if (f->call || f->comm)
        return call->number && call->comm >= 0 && is_on_comm(f, call);
    return (f->fn < 0 || (enum ncs_fn)f->fn == call->fn) && (!f->at || ncs_places_is(call->place.line, f->at));
}

/* A fault of a communicator waits for a call that names one; one of a result, for a call that has one. */
static bool can_happen(const struct ncs_fault_text *f, const struct ncs_call *call)
{
    if (ncs_fault_is_of_comm(f->kind))
        return call->comm >= 0;
    if (ncs_fault_info[f->kind].needs == NCS_FAULT_NEEDS_elements)
        return call->number && ncs_call_recvbuff(call) && ncs_call_writes(call, 1) > 0 && ncs_call_count(call) > 0;
    return f->kind != NCS_FAULT_FAIL || ncs_fault_can_fail(call->fn);
}

static bool fault_comes(const struct ncs_fault_text *f, struct waiting *w, const struct ncs_call *call)
{
    if (w->over || !is_counted_by(f, call))
        return false;
    w->uses = f->call ? call->number : w->uses + 1;
    w->over = w->uses >= (f->call ? f->call : f->nth) && can_happen(f, call);
    return w->over;
}

/* ---- what happens ---- */

/* Stops the calling thread for good: does not return. */
static void stop_thread(const struct ncs_fault_text *f, struct ncs_call *call)
{
    struct ncs_place place = call->place;
    struct stopped s = { .rank = ncs_exec_rank_of(fault_journal, call),
                         .thread_rank = call->rank,
                         .place = place,
                         .what = f->kind == NCS_FAULT_KILL ? "--fault kill" : "--fault stall" };
    NCS_PUSH(stopped, stops, stops_room, s);
    ncs_journal_take_back(fault_journal, call);
    if (f->kind == NCS_FAULT_KILL)
        faulty->die(s.what, place);
    faulty->end(NCS_END_KILLED, s.what, place);
}

static void inject(const struct ncs_fault_text *f, struct ncs_call *call)
{
    const union ncs_arg *comm = ncs_call_arg(call, NCS_ARG_COMM);
    ncs_checks_distrust();
    if (f->kind == NCS_FAULT_LINK && f->peer >= fault_journal->comm[call->comm]->nranks)
        return;
    faulty->inject(&(struct ncs_injection){ .kind = ncs_fault_info[f->kind].injects,
                                            .comm = comm ? comm->p : NULL,
                                            .call = call,
                                            .first = f->first,
                                            .count = f->count,
                                            .peer = f->peer,
                                            .nanoseconds = f->nanoseconds,
                                            .code = f->code });
}

/* Returns the code that the call gets without being made; 0 = make the call. */
static int fault_carry_out(const struct ncs_fault_text *f, struct ncs_call *call)
{
    switch (f->kind) {
    case NCS_FAULT_KILL:
    case NCS_FAULT_STALL: stop_thread(f, call); return 0;
    case NCS_FAULT_SLOW: faulty->sleep(f->nanoseconds); return 0;
    case NCS_FAULT_FAIL: return f->code;
    default: inject(f, call); return 0;
    }
}

/* Before each call. Every fault of the list counts the call before one happens: a stopped thread does not come back. */
static int exec_before_call(void *arg, struct ncs_call *call)
{
    const struct ncs_fault_text *due[8];
    size_t dues = 0;
    int rc = 0, rank = ncs_exec_rank_of(fault_journal, call);
    (void)arg;
    for (size_t i = 0; i < faults.count; i++) {
        const struct ncs_fault_text *f = &faults.fault[i];
        bool of_rank = f->rank < 0 || f->rank == rank;
        if (of_rank && dues < sizeof due / sizeof *due && fault_comes(f, waiting_of(f, rank), call))
            due[dues++] = f;
    }
    for (size_t i = 0; i < dues; i++) {
        int code = fault_carry_out(due[i], call);
        rc = rc ? rc : code;
    }
    return rc;
}

void ncs_exec_faults_open(const char *text, const struct ncs_machine *machine, struct ncs_journal *journal)
{
    struct ncs_error err = { 0 };
    if (!text)
        return;
    faulty = machine;
    fault_journal = journal;
    if (!ncs_fault_list_read(&faults, text, &err)) {
        ncs_shim_warn("NCCLSCRIPT_FAULTS, line %d: %s", err.line, err.text);
        ncs_fault_list_free(&faults);
        return;
    }
    if (faults.count > 0)
        ncs_journal_fault(journal, exec_before_call, NULL);
}

/* ---- what came of them ---- */

bool ncs_exec_faults_stopped(void)
{
    return stops > 0;
}

/* True if a fault stopped the thread that made the communicator's rank. */
static bool member_is_stopped(const struct ncs_member *m)
{
    for (size_t i = 0; i < stops; i++)
        if (stopped[i].thread_rank == m->rank)
            return true;
    return false;
}

static bool all_are_stopped(void)
{
    for (size_t c = 0; stops > 0 && c < fault_journal->comms; c++)
        for (int i = 0; i < fault_journal->comm[c]->members; i++)
            if (!member_is_stopped(&fault_journal->comm[c]->member[i]))
                return false;
    return stops > 0;
}

bool ncs_exec_faults_lost(struct ncs_notices *notices)
{
    size_t room = 0;
    if (!all_are_stopped())
        return false;
    struct ncs_notice *n = NULL;
    for (size_t i = 0; i < stops; i++) {
        if (stopped[i].rank < 0) /* it has no finding: see ncs_exec_faults_unnamed */
            continue;
        n = n ? n : ncs_notices_add(notices, NCS_NOTICE_LOST, NULL, 0, NULL);
        if (!n)
            break;
        struct ncs_notice_fault f = {
            .what = stopped[i].what, .rank = stopped[i].thread_rank, .place = stopped[i].place, .comm = -1
        };
        NCS_PUSH(n->fault, n->faults, room, f);
    }
    return true;
}

void ncs_exec_faults_unnamed(struct ncs_str *out)
{
    for (size_t i = 0; i < stops; i++)
        if (stopped[i].rank < 0) {
            ncs_str_addf(out, "ncclscript: %s stopped a thread before it joined a communicator", stopped[i].what);
            ncs_places_add(out, stopped[i].place.line);
            ncs_str_add(out, "\n");
        }
}

static bool has_happened(const struct ncs_fault_text *f, uint64_t *uses)
{
    for (size_t i = 0; i < waitings; i++) {
        if (waiting[i].fault == f && waiting[i].over)
            return true;
        if (waiting[i].fault == f && waiting[i].uses > *uses)
            *uses = waiting[i].uses;
    }
    return false;
}

void ncs_exec_faults_unused(const struct ncs_journal *journal, struct ncs_str *out)
{
    for (size_t i = 0; i < faults.count; i++) {
        const struct ncs_fault_text *f = &faults.fault[i];
        uint64_t uses = 0;
        if (has_happened(f, &uses))
            continue;
        ncs_str_addf(out, "ncclscript: the fault `%s` did not happen: ", f->text);
        if (f->rank >= 0)
            ncs_str_addf(out, "rank %d made ", f->rank);
        else
            ncs_str_add(out, "a rank made at most ");
        ncs_str_addf(out, "%llu call%s %s\n", (unsigned long long)uses, uses == 1 ? "" : "s",
                     f->at                 ? "there"
                     : f->fn >= 0          ? "of that function"
                     : f->comm             ? "on that communicator"
                     : journal->comms == 0 ? "on a communicator: the program made none"
                                           : "on the first communicator");
    }
}
