/* Brings the parts of each meeting together by the journal's numbers, and tells the observer when the last
 * part is over. */
#include "api/meeting.h"
#include "api/types.h"
#include "base/mem.h"
#include "driver/far/far.h"
#include "driver/stage.h"
#include "driver/world.h"

struct meeting {
    struct ncs_meeting_key key;
    int expected, arrived;
    struct stage_part **part; /* by rank; of a pair: the send, the receive */
    struct meeting *next;     /* with the same key, or among all open ones */
};

bool ncs_meet_extent(const struct ncs_call *call, int nranks, size_t *in, size_t *out)
{
    size_t bytes;
    return !ncs_call_is_one_sided(call) &&
           !__builtin_mul_overflow(ncs_call_count(call), ncs_dtype_bytes(ncs_call_dtype(call)), &bytes) &&
           !__builtin_mul_overflow(bytes, ncs_call_reads(call, nranks), in) &&
           !__builtin_mul_overflow(bytes, ncs_call_writes(call, nranks), out);
}

/* ---- finding ---- */

static struct meeting *meet_find(const struct ncs_meeting_key *key, int expected)
{
    struct meeting *m = ncs_map_get(&ncs_real.meetings.open, ncs_meeting_hash(key));
    while (m && !ncs_meeting_is(&m->key, key))
        m = m->next;
    if (m)
        return m;
    m = ncs_new(sizeof *m);
    *m = (struct meeting){ .key = *key, .expected = expected };
    m->part = ncs_new((size_t)expected * sizeof *m->part);
    m->next = ncs_map_get(&ncs_real.meetings.open, ncs_meeting_hash(key));
    ncs_map_put(&ncs_real.meetings.open, ncs_meeting_hash(key), m);
    return m;
}

static void take_off(struct meeting *m)
{
    struct meeting *head = ncs_map_get(&ncs_real.meetings.open, ncs_meeting_hash(&m->key)), *before = head;
    if (head == m) {
        ncs_map_remove(&ncs_real.meetings.open, ncs_meeting_hash(&m->key));
        if (m->next)
            ncs_map_put(&ncs_real.meetings.open, ncs_meeting_hash(&m->key), m->next);
        return;
    }
    while (before->next != m)
        before = before->next;
    before->next = m->next;
}

/* ---- telling ---- */

/* Brings the copies here that another process has made. */
static void fetch(struct stage_part *p)
{
    size_t in, out, all;
    if (!p->memory || far_process_of(p->memory) == 0 || p->lost || !ncs_meet_extent(p->call, p->line->nranks, &in, &out))
        return;
    const unsigned char *there = p->memory;
    all = (in + 15) / 16 * 16 + (out + 15) / 16 * 16 + 16; /* as ncs_copy_make_room has laid them out */
    p->fetched = ncs_room(all);
    if (!p->fetched || !far_read(there, p->fetched, all)) {
        p->in = p->out = p->scalar = NULL;
        p->lost = p->fetched ? NCS_UNVERIFIED_COPY : NCS_UNVERIFIED_ROOM;
        return;
    }
    p->in = p->in ? p->fetched + ((const unsigned char *)p->in - there) : NULL;
    p->out = p->out ? p->fetched + ((const unsigned char *)p->out - there) : NULL;
    p->scalar = p->scalar ? p->fetched + ((const unsigned char *)p->scalar - there) : NULL;
}

static void tell(const struct meeting *m)
{
    size_t count = (size_t)m->expected;
    struct ncs_call **calls = ncs_new(count * sizeof *calls);
    for (size_t i = 0; i < count; i++) {
        calls[i] = m->part[i]->call;
        fetch(m->part[i]);
    }
    ncs_real.meetings.told = m;
    if (ncs_real.meetings.observer.mismatch && !ncs_calls_agree(calls, count))
        ncs_real.meetings.observer.mismatch(ncs_real.meetings.observer.self, calls, count);
    if (ncs_real.meetings.observer.before)
        ncs_real.meetings.observer.before(ncs_real.meetings.observer.self, calls, count);
    for (size_t i = 0; i < count && ncs_real.meetings.observer.finished; i++)
        if (ncs_call_is_composed(calls[i]))
            ncs_real.meetings.observer.finished(ncs_real.meetings.observer.self, calls[i]);
    if (ncs_real.meetings.observer.after && !ncs_call_is_composed(calls[0]))
        ncs_real.meetings.observer.after(ncs_real.meetings.observer.self, calls, count);
    ncs_real.meetings.told = NULL;
    ncs_free(calls);
}

const void *ncs_meet_staged(const struct ncs_call *call, enum ncs_staged what)
{
    for (int i = 0; ncs_real.meetings.told && i < ncs_real.meetings.told->expected; i++) {
        const struct stage_part *p = ncs_real.meetings.told->part[i];
        if (p->call != call || ncs_stage_line_is_broken(call->comm))
            continue;
        return what == NCS_STAGED_INPUT ? p->in : what == NCS_STAGED_OUTPUT ? p->out : p->scalar;
    }
    return NULL;
}

enum ncs_unverified ncs_meet_unstaged(const struct ncs_call *call)
{
    for (int i = 0; ncs_real.meetings.told && i < ncs_real.meetings.told->expected; i++)
        if (ncs_real.meetings.told->part[i]->call == call && ncs_real.meetings.told->part[i]->lost)
            return ncs_real.meetings.told->part[i]->lost;
    return NCS_UNVERIFIED_CUT_SHORT;
}

void ncs_meet_free(struct stage_part *part)
{
    if (part->memory)
        ncs_pinned_give(part->arena, part->memory);
    ncs_call_unpin(part->call);
    ncs_free(part->fetched);
    ncs_free(part);
}

static void free_meeting(struct meeting *m)
{
    for (int i = 0; i < m->expected; i++)
        if (m->part[i])
            ncs_meet_free(m->part[i]);
    ncs_free(m->part);
    ncs_free(m);
}

void ncs_meet_arrive(struct stage_part *part)
{
    if (part->call->fn == NCS_FN_ncclPutSignal || ncs_call_count(part->call) == 0) {
        /* Nothing shows when a put has reached its peer's window, so this is the earliest safe moment. */
        if (ncs_real.meetings.observer.after && part->call->fn == NCS_FN_ncclPutSignal)
            ncs_real.meetings.observer.after(ncs_real.meetings.observer.self, &part->call, 1);
        ncs_meet_free(part);
        return;
    }
    bool pair = ncs_call_is_pair(part->call);
    int place = pair ? part->call->fn == NCS_FN_ncclRecv : part->call->comm_rank, expected = pair ? 2 : part->line->nranks;
    struct ncs_meeting_key key;
    if (!ncs_call_meets(part->call, &key) || place >= expected) { /* its call or group failed after all */
        ncs_meet_free(part);
        return;
    }
    struct meeting *m = meet_find(&key, expected);
    if (place >= m->expected || m->part[place]) {
        ncs_meet_free(part);
        return;
    }
    m->part[place] = part;
    if (++m->arrived < m->expected)
        return;
    take_off(m);
    tell(m);
    free_meeting(m);
}

void ncs_meet_observe(const struct ncs_observer *o)
{
    ncs_real.meetings.observer = o ? *o : (struct ncs_observer){ 0 };
}

static void free_chain(void *value, void *arg)
{
    (void)arg;
    for (struct meeting *m = value, *next; m; m = next) {
        next = m->next;
        free_meeting(m);
    }
}

void ncs_meet_close(void)
{
    ncs_map_each(&ncs_real.meetings.open, free_chain, NULL);
    ncs_map_free(&ncs_real.meetings.open);
}
