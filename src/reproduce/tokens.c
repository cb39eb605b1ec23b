/* Each rank's calls as tokens, which are merged later. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "reproduce/reader.h"

const char *ncs_reader_place(struct ncs_reader *r, const struct ncs_call *call)
{
    uint64_t key = ncs_hash(ncs_map_key(call->place.file), (uint64_t)call->place.line);
    const char *known = ncs_map_get(&r->text_of, key);
    if (known || !call->place.line || call->unsaid & NCS_UNSAID_PLACE) /* a line of a log is no place of a program */
        return known;
    char *text = call->label ? ncs_copy_text(call->label) : r->source->place(r->source->arg, call);
    struct ncs_str line = { 0 };
    if (text)
        ncs_workload_add_line(&line, text);
    known = ncs_workload_intern_place(r->job, line.text);
    ncs_free(text);
    ncs_str_free(&line);
    if (!call->label)
        ncs_map_put(&r->text_of, key, (void *)known);
    return known;
}

int ncs_reader_stream(struct ncs_reader_rank *rank, const void *stream)
{
    int most = (int)(sizeof rank->stream / sizeof *rank->stream);
    for (int i = 0; i < rank->streams; i++)
        if (rank->stream[i] == stream)
            return i;
    if (rank->streams == most)
        return most - 1;
    rank->stream[rank->streams] = stream;
    return rank->streams++;
}

/* ---- tokens ---- */

/* Each rank of the scenario has one thread. */
void ncs_reader_follow(struct ncs_reader *r, const struct ncs_call *call, int rank)
{
    struct ncs_reader_rank *own = &r->rank[rank];
    own->threads |= own->thread && own->thread != call->thread + 1 && !r->shared;
    own->thread = call->thread + 1;
}

void ncs_reader_add_token(struct ncs_reader *r, int rank, enum ncs_step_kind kind, const struct ncs_workload_call *call)
{
    struct ncs_workload_tokens *t = &r->of[rank];
    const struct ncs_workload_call *c = ncs_workload_intern(r->job, call);
    uint64_t made = ncs_hash(ncs_hash(ncs_hash((uint64_t)kind, (uint64_t)c->fn), (uint64_t)c->family), (uint64_t)c->stream);
    made = kind == NCS_STEP_TEXT ? ncs_hash(made, c->count) : made;
    /* Calls at one place are the same step, whatever their counts and types; without places these decide. */
    struct ncs_step_key key = { .without_place = ncs_hash(ncs_hash(made, c->count), (uint64_t)c->dtype) };
    key.key = c->place ? ncs_hash(made, ncs_map_key(c->place)) : key.without_place;
    if (kind == NCS_STEP_TEXT)
        key.without_place = key.key;
    struct ncs_workload_token token = { kind, c, key };
    NCS_PUSH(t->token, t->count, t->room, token);
}

/* A group of one call is no group. Only then the tokens of its beginning is taken back. */
void ncs_reader_close_group(struct ncs_reader *r, int rank)
{
    struct ncs_reader_rank *own = &r->rank[rank];
    struct ncs_workload_tokens *t = &r->of[rank];
    if (!own->group || own->depth > 0)
        return;
    own->group = 0;
    if (t->count - own->group_at == 2) {
        t->token[own->group_at] = t->token[own->group_at + 1];
        t->count--;
        return;
    }
    struct ncs_workload_call end = *t->token[own->group_at].call;
    end.fn = NCS_FN_ncclGroupEnd;
    ncs_reader_add_token(r, rank, NCS_STEP_GROUP_END, &end);
}

void ncs_reader_open_group(struct ncs_reader *r, int rank, uint64_t group, const struct ncs_workload_call *first)
{
    struct ncs_reader_rank *own = &r->rank[rank];
    if (own->group == group)
        return;
    if (group) { /* the next outermost group: the one before is over */
        int depth = own->depth;
        own->depth = 0;
        ncs_reader_close_group(r, rank);
        own->depth = depth;
    } else {
        ncs_reader_close_group(r, rank);
        return;
    }
    own->group = group;
    own->group_at = r->of[rank].count;
    /* The place of its first call stands for the group: records have no other. */
    struct ncs_workload_call begin = ncs_workload_call_alone(NCS_FN_ncclGroupStart, first->place);
    ncs_reader_add_token(r, rank, NCS_STEP_GROUP, &begin);
}

/* ---- statements ---- */

/* Takes over the text. call: NULL = a step of the host. */
void ncs_reader_add_text(struct ncs_reader *r, int rank, const struct ncs_call *call, char *text, int partner)
{
    const void *stream = call ? ncs_call_stream(call) : NULL;
    struct ncs_workload_call c = ncs_workload_call_alone(call ? call->fn : NCS_FN_COUNT, ncs_workload_intern_place(r->job, text));
    c.partner = partner;
    if (call && call->comm >= 0)
        c.family = r->family_of[call->comm];
    if (call && ncs_fn_info[call->fn].counted)
        c.stream = ncs_reader_stream(&r->rank[rank], stream);
    ncs_free(text);
    if (call)
        ncs_reader_follow(r, call, rank);
    ncs_reader_open_group(r, rank, call ? call->group : 0,
                          &(struct ncs_workload_call){ .place = call ? ncs_reader_place(r, call) : NULL });
    ncs_reader_add_token(r, rank, NCS_STEP_TEXT, &c);
}
