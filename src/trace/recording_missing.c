/* Ranks that left no recording. The other ranks' collectives need them: so such a rank has made the collectives that all
 * others have made, but the last one, on the communicator of all ranks. */
#include <string.h>

#include "base/mem.h"
#include "trace/recording_play.h"

/* The call by which a process joined the communicator of all ranks; NULL = none that is known. */
static const struct recorded_call *join_of(const struct recorded_file *f, int ranks, uint64_t id)
{
    for (size_t i = 0; i < f->calls; i++) {
        const struct recorded_call *c = &f->call[i];
        const unsigned char *at = ncs_fn_info[c->fn].at;
        if (ncs_fn_info[c->fn].joins == NCS_JOINS_ONE && at[NCS_ARG_ID] && at[NCS_ARG_COMM_OUT] &&
            (int)c->raw.arg[at[NCS_ARG_NRANKS] - 1] == ranks && c->end != UINT64_MAX && c->raw.rc == 0 &&
            (!id || c->raw.arg[at[NCS_ARG_ID] - 1] == id))
            return c;
    }
    return NULL;
}

static uint64_t handle_of_join(const struct recorded_call *join)
{
    return join->raw.arg[ncs_fn_info[join->fn].at[NCS_ARG_COMM_OUT] - 1];
}

static uint32_t collectives_of(const struct recorded_file *f, uint64_t handle)
{
    for (int i = 0; i < f->comms; i++)
        if (f->comm[i].handle == handle)
            return f->comm[i].collectives;
    return 0;
}

/* How many collectives every present rank has made, and the last one that some rank has seen to be over. */
static uint32_t common_collectives(const struct recording *r, uint64_t id)
{
    uint32_t least = UINT32_MAX, most = 0, over = 0;
    for (size_t i = 0; i < r->files; i++) {
        const struct recorded_file *f = &r->file[i];
        const struct recorded_call *join = f->left_out ? NULL : join_of(f, r->ranks, id);
        if (!join)
            continue;
        uint32_t made = collectives_of(f, handle_of_join(join));
        least = made < least ? made : least;
        most = made > most ? made : most;
        for (size_t k = 0; k < f->calls; k++) {
            const struct recorded_call *c = &f->call[k];
            const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
            if (c->over && info->counted && !info->pair && c->raw.ordinal > over &&
                c->raw.arg[info->at[NCS_ARG_COMM] - 1] == handle_of_join(join))
                over = c->raw.ordinal;
        }
    }
    if (!most)
        return 0;
    uint32_t common = least == most ? least - 1 : least;
    return common > over ? common : over;
}

static void copy_call(struct recorded_file *to, const struct recorded_call *from, int file)
{
    struct recorded_call copy = *from;
    copy.file = file;
    copy.list = NULL;
    copy.words = 0;
    copy.over = false;
    copy.raw.thread = 0;
    copy.raw.site = 0;
    copy.raw.depth = 0;
    NCS_PUSH(to->call, to->calls, to->room, copy);
}

/* A file for the rank, of the calls that it must have made. */
static void imply_file(struct recording *r, const struct recorded_file *model, const struct recorded_call *join, int rank)
{
    struct recorded_file *f = &r->file[r->files];
    const struct ncs_fn_info *info = &ncs_fn_info[join->fn];
    uint32_t most = common_collectives(r, join->raw.arg[info->at[NCS_ARG_ID] - 1]);
    *f = (struct recorded_file){ .path = "", .head = model->head, .rank = rank, .implied = true, .cut = model->cut };
    f->head.ended = 0;
    f->threads = 1;
    f->thread = ncs_new(2 * sizeof *f->thread);
    f->thread[0] = (struct recorded_thread){ .rank = rank, .used = true };
    copy_call(f, join, (int)r->files);
    f->call[0].raw.arg[info->at[NCS_ARG_RANK] - 1] = (uint64_t)rank;
    f->call[0].raw.arg[NCS_RECORDING_DEVICE] = (uint64_t)-1;
    for (size_t i = 0; i < model->calls; i++) {
        const struct recorded_call *c = &model->call[i];
        const struct ncs_fn_info *of = &ncs_fn_info[c->fn];
        if (of->counted && !of->pair && !of->one_sided && c->raw.ordinal > 0 && c->raw.ordinal <= most && !c->left_out &&
            c->raw.arg[of->at[NCS_ARG_COMM] - 1] == handle_of_join(join))
            copy_call(f, c, (int)r->files);
    }
    struct ncs_recording_comm *comm = ncs_new(sizeof *comm);
    *comm = (struct ncs_recording_comm){ .handle = handle_of_join(join), .calls = most, .collectives = most };
    f->comm = comm;
    f->comms = 1;
    r->files++;
}

void ncs_recorded_imply(struct recording *r)
{
    enum { MOST_RANKS = 4096, MOST_IMPLIED = 256 };
    const struct recorded_file *model = NULL;
    const struct recorded_call *join = NULL;
    size_t files = r->files;
    for (size_t i = 0; i < files && !join; i++)
        if (!r->file[i].left_out && !r->file[i].several && (join = join_of(&r->file[i], r->ranks, 0)))
            model = &r->file[i];
    for (int rank = 0; join && rank < r->ranks && r->ranks <= MOST_RANKS && r->files < files + MOST_IMPLIED; rank++)
        if (!r->record->rank[rank].source) {
            size_t at = (size_t)(model - r->file);
            size_t call = (size_t)(join - model->call);
            r->file = ncs_resize(r->file, (r->files + 1) * sizeof *r->file);
            model = &r->file[at];
            join = &model->call[call];
            imply_file(r, model, join, rank);
        }
}

/* ---- ranks of a communicator of which no call is known that made it ---- */

static size_t unknown_members(const struct ncs_comm_info *info, bool *there, int ranks)
{
    size_t unknown = 0;
    memset(there, 0, (size_t)ranks * sizeof *there);
    for (int k = 0; k < info->members; k++) {
        unknown += info->member[k].rank < 0;
        if (info->member[k].rank >= 0 && info->member[k].rank < ranks)
            there[info->member[k].rank] = true;
    }
    return unknown;
}

/* Keeps those that may be the unknown ones; false = there are more or fewer of them. */
static bool find_strangers(const struct recorded_play *p, bool *there, size_t unknown)
{
    const struct record *record = p->r->record;
    bool damaged = p->damaged || p->strangers || p->r->unknown;
    size_t all = 0, without = 0;
    for (int k = 0; k < p->r->ranks; k++) {
        all += !there[k];
        without += !there[k] && !record->rank[k].source;
    }
    if (without != unknown && (all != unknown || damaged))
        return false;
    for (int k = 0; k < p->r->ranks && all != unknown; k++)
        there[k] |= record->rank[k].source != NULL;
    return true;
}

static void name_members(struct ncs_comm_info *info, const bool *there, int ranks)
{
    int next = 0;
    for (int k = 0; k < info->members; k++) {
        while (next < ranks && there[next])
            next++;
        if (info->member[k].rank < 0)
            info->member[k].rank = next++;
    }
}

void ncs_recorded_find_members(struct recorded_play *p)
{
    const struct ncs_journal *j = p->journal;
    bool *there = ncs_new(((size_t)p->r->ranks + 1) * sizeof *there);
    bool *called = ncs_new(((size_t)j->comms + 1) * sizeof *called);
    for (const struct ncs_call *c = j->oldest; c; c = c->newer)
        if (c->number && c->comm >= 0)
            called[c->comm] = true;
    for (size_t i = 0; i < (size_t)j->comms; i++) {
        size_t unknown = called[i] ? unknown_members(j->comm[i], there, p->r->ranks) : 0;
        called[i] = false;
        if (!unknown)
            continue;
        called[i] = !find_strangers(p, there, unknown);
        if (called[i])
            ncs_record_note(p->r->record, "the calls on %s are not compared: the recordings do not show %zu of its %d ranks",
                            j->comm[i]->name, unknown, j->comm[i]->nranks);
        else
            name_members(j->comm[i], there, p->r->ranks);
    }
    for (struct ncs_call *c = j->oldest; c; c = c->newer)
        if (c->number && c->comm >= 0 && called[c->comm])
            ncs_map_put(&p->over, c->id, c);
    ncs_free(there);
    ncs_free(called);
}
