/* Recordings: whatever the entries of a file are, it is refused with its name, or makes a journal and a state in which every
 * index stands for something, and of which the diagnosis makes findings with words. None of them is more than likely.
 *
 * The input is a row of blocks of 130 bytes: where an entry goes, its index there, and the entry. The rest of the file is
 * sound, but for blocks that write 8 bytes anywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/recording.h"
#include "base/mem.h"
#include "diagnose/finding.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

enum { BLOCK = 2 + sizeof(struct ncs_recording_call), THREADS = 8, COMMS = 16, PAIRS = 16, SITES = 4, LASTING = 64, RING = 128 };
enum { TO_RING, TO_LASTING, TO_THREAD, TO_ANYWHERE, TORN = 4, LATER = 8 };

/* The functions that entries name by index. Seeds depend on the order. */
/* clang-format off */
static const char *const names[] = {
    "ncclGetUniqueId", "ncclCommInitRank", "ncclCommInitRankConfig", "ncclCommInitRankScalable", "ncclCommInitAll",
    "ncclCommSplit", "ncclCommShrink", "ncclCommGetUniqueId", "ncclCommGrow", "ncclCommDestroy", "ncclCommAbort",
    "ncclCommFinalize", "ncclAllReduce", "ncclBroadcast", "ncclBcast", "ncclReduce", "ncclAllGather", "ncclReduceScatter",
    "ncclAlltoAll", "ncclSend", "ncclRecv", "ncclGroupStart", "ncclGroupEnd", "ncclGroupSimulateEnd",
    "ncclRedOpCreatePreMulSum", "ncclRedOpDestroy", "ncclCommGetAsyncError", "ncclCommWindowRegister", "ncclPutSignal",
    "ncclSignal", "ncclWaitSignal", "ncclMemAlloc", "ncclCommCount", "cudaStreamSynchronize", "cudaEventRecord",
    "cudaStreamWaitEvent", "cudaEventSynchronize", "cudaEventQuery", "cudaStreamQuery", "cudaDeviceSynchronize", "cudaMemcpy",
};
/* clang-format on */
enum { NAMES = sizeof names / sizeof *names };

static void hold(bool condition)
{
    if (!condition)
        abort();
}

/* ---- the file ---- */

static void lay_out(struct ncs_recording_head *h)
{
    static const uint32_t entries[NCS_RECORDING_AREAS] = { NAMES, THREADS, COMMS, PAIRS, SITES, LASTING, RING };
    static const uint32_t sizes[NCS_RECORDING_AREAS] = {
        sizeof(struct ncs_recording_function), sizeof(struct ncs_recording_thread), sizeof(struct ncs_recording_comm),
        sizeof(struct ncs_recording_pair),     sizeof(struct ncs_recording_site),   sizeof(struct ncs_recording_call),
        sizeof(struct ncs_recording_call)
    };
    *h = (struct ncs_recording_head){ .version = NCS_RECORDING_VERSION,
                                      .order = NCS_RECORDING_ORDER,
                                      .bytes = sizeof *h,
                                      .rank = -1,
                                      .nranks = -1,
                                      .nccl = 23007,
                                      .sites = SITES };
    memcpy(h->magic, NCS_RECORDING_MAGIC, sizeof h->magic);
    for (int i = 0; i < NCS_RECORDING_AREAS; i++) {
        h->area[i].at = h->bytes;
        h->area[i].entries = entries[i];
        h->area[i].bytes = sizes[i];
        h->bytes += (uint64_t)entries[i] * sizes[i];
    }
}

static unsigned char *make_file(struct ncs_recording_head *h)
{
    lay_out(h);
    unsigned char *file = ncs_new(h->bytes);
    for (size_t i = 0; i < NAMES; i++) {
        struct ncs_recording_function fn = { .nargs = 0 };
        int known = ncs_fn_from_name(names[i]);
        hold(known >= 0);
        snprintf(fn.name, sizeof fn.name, "%s", names[i]);
        fn.nargs = (uint32_t)ncs_fn_info[known].nargs;
        memcpy(file + h->area[NCS_RECORDING_FUNCTIONS].at + i * sizeof fn, &fn, sizeof fn);
    }
    return file;
}

static void put_thread(unsigned char *file, const struct ncs_recording_head *h, unsigned index, uint32_t state,
                       const struct ncs_recording_call *now)
{
    struct ncs_recording_thread t = { .tid = index, .state = state };
    if (now)
        t.now = *now;
    memcpy(file + h->area[NCS_RECORDING_THREADS].at + index % THREADS * sizeof t, &t, sizeof t);
}

static void put_call(unsigned char *file, struct ncs_recording_head *h, unsigned where, unsigned index,
                     struct ncs_recording_call *call)
{
    enum ncs_recording_area area = where % 4 == TO_LASTING ? NCS_RECORDING_LASTING : NCS_RECORDING_RING;
    unsigned room = h->area[area].entries, at = index % room;
    uint64_t *next = &h->next[area - NCS_RECORDING_LASTING];
    call->seq = where & TORN ? call->seq : at + 1 + (where & LATER ? room : 0);
    if (call->seq > *next && call->seq < 4 * RING)
        *next = call->seq;
    memcpy(file + h->area[area].at + at * sizeof *call, call, sizeof *call);
}

static void put_block(unsigned char *file, struct ncs_recording_head *h, const unsigned char *block)
{
    struct ncs_recording_call call;
    unsigned where = block[0], index = block[1];
    memcpy(&call, block + 2, sizeof call);
    if (where % 4 == TO_THREAD)
        put_thread(file, h, index, 1 + (where & TORN) / TORN, &call);
    else if (where % 4 == TO_ANYWHERE)
        memcpy(file + sizeof *h + call.seq % (h->bytes - sizeof *h - 8), &call.begin, 8);
    else
        put_call(file, h, where, index, &call);
}

/* ---- what is held ---- */

static void look_at_state(const struct ncs_trace *t)
{
    const struct ncs_snapshot *s = &t->snapshot;
    for (size_t i = 0; i < s->waits; i++)
        hold(s->wait[i].index >= 0 && (size_t)s->wait[i].index < (s->wait[i].kind == NCS_WAIT_OP ? s->ops : s->jobs));
    for (size_t i = 0; i < s->contexts; i++)
        hold(s->context[i].wait + s->context[i].waits <= s->waits && s->context[i].rank >= 0 && s->context[i].rank < t->ranks);
    for (size_t i = 0; i < t->notes; i++)
        hold(t->note[i] && *t->note[i]);
    for (const struct ncs_call *c = t->journal->oldest; c; c = c->newer)
        hold(!c->place.line || ncs_trace_place(t, c->place.line));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    struct ncs_trace trace = { 0 };
    struct ncs_error err = { 0 };
    struct ncs_recording_head head;
    unsigned char *file = make_file(&head);
    for (unsigned i = 0; i < THREADS; i++)
        put_thread(file, &head, i, 1, NULL);
    for (size_t at = 0; at + BLOCK <= bytes; at += BLOCK)
        put_block(file, &head, data + at);
    if (bytes % BLOCK > 8) /* the rest of the input changes the head */
        memcpy((char *)&head + data[bytes - 1] * 16, data + bytes - bytes % BLOCK, 8);
    memcpy(file, &head, sizeof head);
    size_t size = head.bytes;
    lay_out(&head);
    size = size < head.bytes ? size : head.bytes;
    if (!ncs_trace_read_bytes(&trace, "fuzz", file, size, &err)) {
        hold(err.status == NCS_BAD_INPUT && err.text[0] && strcmp(err.file, "fuzz") == 0);
    } else if (strcmp(trace.kind, "recordings") == 0) {
        struct ncs_diagnosis d;
        look_at_state(&trace);
        ncs_diagnose(trace.journal, &trace.snapshot, NULL, 0, &d);
        for (size_t i = 0; i < d.findings; i++)
            hold(d.finding[i].rule && ncs_sentence_text(d.finding[i].why) && ncs_sentence_text(d.finding[i].fix));
        ncs_diagnosis_free(&d);
    }
    ncs_trace_free(&trace);
    ncs_free(file);
    return 0;
}
