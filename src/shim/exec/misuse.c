#include "shim/exec/exec.h"

#include "base/map.h"
#include "base/mem.h"
#include "shim/exec/places.h"
#include "sim/cuda/outside.h"

enum kind {
    AFTER_DESTROY,
    OPERATOR_AFTER_DESTROY,
    HANDLE_AFTER_DESTROY,
    FREED_TWICE,
    STREAM_ELSEWHERE,
    EVENT_ELSEWHERE,
    MEMORY_ELSEWHERE,
    DEVICE_TAKEN,
    KINDS
};

static const struct {
    const char *text;
    bool fatal; /* the real libraries may crash */
} kinds[KINDS] = {
    [AFTER_DESTROY] = { "called with a communicator after its destroy, where the real library may crash", true },
    [OPERATOR_AFTER_DESTROY] = { "called with an operator after its destroy", true },
    [HANDLE_AFTER_DESTROY] = { "called with a stream, an event, a window or a registration after its end, "
                               "where the real library may crash",
                               true },
    [FREED_TWICE] = { "freed twice", true },
    [STREAM_ELSEWHERE] = { "given a stream of another device than the communicator's, which fails", false },
    [EVENT_ELSEWHERE] = { "given an event of one device and a stream of another, which fails", false },
    [MEMORY_ELSEWHERE] = { "given memory of another device than the communicator's, which only peer "
                           "access allows",
                           false },
    [DEVICE_TAKEN] = { "joined a communicator from a device that another rank of it has, which fails", false },
};

/* Calls of one function that made the same mistake. */
struct noted {
    enum kind kind;
    enum ncs_fn fn;
    uint64_t count;
    int line; /* of the first */
};

static struct noted *noted;
static size_t noteds, noted_room;
static bool has_noted;       /* the call that is looked at */
static struct ncs_map ended; /* handles and memory that were freed and whose address is not in use again */

#define ENDED_MOST 65536 /* further freed addresses are not remembered */

static void note(enum kind kind, const struct ncs_call *call)
{
    has_noted = true;
    for (size_t i = 0; i < noteds; i++)
        if (noted[i].kind == kind && noted[i].fn == call->fn) {
            noted[i].count++;
            return;
        }
    struct noted n = { kind, call->fn, 1, call->place.line };
    NCS_PUSH(noted, noteds, noted_room, n);
}

/* ---- after the end ---- */

static bool has_ended(const void *p)
{
    return p && ncs_map_get(&ended, ncs_map_key(p));
}

static void has_begun(const void *p)
{
    if (ended.count > 0)
        ncs_map_remove(&ended, ncs_map_key(p));
}

static void ends(const void *p)
{
    static char mark;
    if (p && ended.count < ENDED_MOST)
        ncs_map_put(&ended, ncs_map_key(p), &mark);
}

/* True if the communicator was destroyed by an older call and no new one has its address. */
static bool misuse_is_gone(const struct ncs_journal *journal, const struct ncs_call *call, const void *handle)
{
    int comm, rank;
    if (!handle || !ncs_journal_find(journal, handle, &comm, &rank))
        return false;
    uint64_t gone = journal->comm[comm]->member[rank].gone;
    return gone && gone < call->id;
}

static bool is_handle(enum ncs_kind kind)
{
    return kind == NCS_ARG_STREAM || kind == NCS_ARG_EVENT || kind == NCS_ARG_WINDOW || kind == NCS_ARG_REGISTRATION;
}

static bool makes_handle(enum ncs_kind kind)
{
    return kind == NCS_ARG_EVENT_OUT || kind == NCS_ARG_WINDOW_OUT || kind == NCS_ARG_REGISTRATION_OUT;
}

static void look_at_failure(const struct ncs_journal *journal, const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    bool gone = false, ended_handle = false;
    for (int i = 0; i < info->nargs; i++) {
        enum ncs_kind kind = info->arg[i].kind;
        const void *p = call->arg[i].p;
        gone |= kind == NCS_ARG_COMM && misuse_is_gone(journal, call, p);
        ended_handle |= is_handle(kind) && has_ended(p);
    }
    if (gone)
        note(AFTER_DESTROY, call);
    else if (ended_handle)
        note(HANDLE_AFTER_DESTROY, call);
    else if (call->redop && call->redop->destroyed && call->redop->destroyed < call->id)
        note(OPERATOR_AFTER_DESTROY, call);
    else if (info->ends == NCS_ENDS_MEMORY && has_ended(call->arg[0].p))
        note(FREED_TWICE, call);
}

/* ---- objects that begin and end ---- */

static void look_at_success(const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    for (int i = 0; i < info->nargs; i++) {
        enum ncs_kind kind = info->arg[i].kind;
        const void *p = call->arg[i].p;
        if (kind == NCS_ARG_MEMORY_OUT || kind == NCS_ARG_STREAM_OUT)
            has_begun(p); /* the journal replaced the argument by the new address */
        else if (makes_handle(kind) && p)
            has_begun(*(void *const *)p);
    }
    for (int i = 0; i < info->nargs; i++)
        if (info->ends == NCS_ENDS_HANDLE ? is_handle(info->arg[i].kind) : info->ends == NCS_ENDS_MEMORY && i == 0)
            ends(call->arg[i].p);
}

/* ---- devices ---- */

static bool differ(int a, int b)
{
    return a >= 0 && b >= 0 && a != b;
}

static void look_at_devices(const struct ncs_journal *journal, const struct ncs_call *call)
{
    int device = journal->comm[call->comm]->member[call->comm_rank].device;
    if (device < 0)
        return;
    if (differ(sim_outside_device_of_stream((cudaStream_t)ncs_call_stream(call)), device))
        note(STREAM_ELSEWHERE, call);
    if (differ(sim_outside_device_of_memory(ncs_call_sendbuff(call)), device) ||
        differ(sim_outside_device_of_memory(ncs_call_recvbuff(call)), device))
        note(MEMORY_ELSEWHERE, call);
}

static void look_at_record(const struct ncs_call *call)
{
    int event = sim_outside_device_of_event((cudaEvent_t)call->arg[0].p);
    if (call->rc != 0 && differ(event, sim_outside_device_of_stream((cudaStream_t)call->arg[1].p)))
        note(EVENT_ELSEWHERE, call);
}

static void look_at_joining(const struct ncs_journal *journal, const struct ncs_call *call)
{
    const struct ncs_comm_info *info = journal->comm[call->comm];
    int device = info->member[call->comm_rank].device;
    for (int r = 0; r < info->members; r++)
        if (call->rc == ncclInvalidUsage && r != call->comm_rank && device >= 0 && info->member[r].device == device) {
            note(DEVICE_TAKEN, call);
            return;
        }
}

bool ncs_misuse_look(const struct ncs_journal *journal, const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    has_noted = false;
    if (call->rc == 0)
        look_at_success(call);
    else
        look_at_failure(journal, call);
    if (info->records)
        look_at_record(call);
    else if (call->comm >= 0 && info->counted && call->rc != ncclInvalidArgument)
        look_at_devices(journal, call);
    else if (call->comm >= 0 && info->joins == NCS_JOINS_ONE)
        look_at_joining(journal, call);
    return has_noted;
}

bool ncs_misuse_report(struct ncs_str *out)
{
    bool fatal = false;
    for (int kind = 0; kind < KINDS; kind++) {
        struct ncs_str list = { 0 };
        for (size_t i = 0; i < noteds; i++) {
            if ((int)noted[i].kind != kind)
                continue;
            ncs_str_addf(&list, "%s%s (%llu", list.bytes ? ", " : "", ncs_fn_info[noted[i].fn].name,
                         (unsigned long long)noted[i].count);
            if (noted[i].line)
                ncs_str_add(&list, noted[i].count > 1 ? ", first" : ",");
            ncs_places_add(&list, noted[i].line);
            ncs_str_add(&list, ")");
        }
        if (list.bytes) {
            ncs_str_addf(out, "ncclscript: %s: %s\n", kinds[kind].text, list.text);
            fatal |= kinds[kind].fatal;
        }
        ncs_str_free(&list);
    }
    return fatal;
}
