/* A folder may hold recordings of several starts of a job: it was started again by hand, or torchrun has started its
 * processes anew. The newest start counts. Nothing in a file names its start, as launchers and hosts agree on no name. But
 * - processes that share a communicator, by the id that NCCL draws, are of one start;
 * - two processes of one rank are of two starts, and so are processes whose launchers gave different numbers of ranks;
 * - the processes of a later start have opened their files later. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "trace/recording.h"

/* What one process is in its job. */
struct started {
    size_t file;
    int64_t *rank;
    size_t ranks, room; /* that it is; several if it has several of its largest communicator */
    uint64_t id;        /* of that communicator; 0 = unknown */
    int64_t nranks;     /* of it; 0 = the process has joined none */
    size_t unit;        /* index of a file of its unit */
    int64_t time;       /* when the latest process of its unit opened its file */
    bool chosen;
};

struct starts {
    struct recording *r;
    struct started *p;
    size_t files; /* by file */
    bool by_launcher;
    size_t rival, conflict; /* a file of the newest start, and one that cannot be of the same; by file + 1 */
    struct ncs_map taken;   /* rank + 1 -> index + 1 of a chosen file */
};

/* ---- what each file says ---- */

static void look_at_ranks(struct started *p, const struct recorded_file *f)
{
    for (size_t i = 0; i < f->calls; i++) {
        uint64_t id;
        int64_t rank, nranks;
        if (!ncs_recorded_join(&f->call[i], &id, &rank, &nranks) || nranks < p->nranks)
            continue;
        if (nranks > p->nranks || id != p->id)
            p->ranks = 0;
        p->nranks = nranks;
        p->id = id;
        if (p->ranks >= NCS_RECORD_RANKS)
            continue;
        for (int64_t k = rank < 0 ? 0 : rank; k < (rank < 0 ? nranks : rank + 1); k++)
            NCS_PUSH(p->rank, p->ranks, p->room, k);
    }
}

static void set_rank(struct started *p, int64_t rank)
{
    p->ranks = 0;
    if (rank >= 0)
        NCS_PUSH(p->rank, p->ranks, p->room, rank);
}

static bool shares_rank(const struct started *a, const struct started *b)
{
    struct ncs_map has = { 0 };
    bool shares = false;
    if (a->ranks == 1 && b->ranks == 1)
        return a->rank[0] == b->rank[0];
    for (size_t i = 0; i < a->ranks; i++)
        ncs_map_put_number(&has, (uint64_t)a->rank[i] + 1, 1);
    for (size_t i = 0; i < b->ranks && !shares; i++)
        shares = ncs_map_number(&has, (uint64_t)b->rank[i] + 1) != 0;
    ncs_map_free(&has);
    return shares;
}

/* The launcher's number is no rank if processes of one number are different ranks of one communicator: a script under srun
 * has started them itself. */
static bool launcher_tells_ranks(const struct starts *s)
{
    struct ncs_map first = { 0 };
    bool tells = true;
    for (size_t i = 0; i < s->files && tells; i++) {
        const struct started *p = &s->p[i];
        int rank = s->r->file[i].head.rank;
        if (!p->nranks)
            continue;
        tells = rank >= 0 && rank < NCS_RECORD_RANKS;
        size_t other = tells ? ncs_map_number(&first, (uint64_t)rank + 1) : 0;
        if (other)
            tells = p->id != s->p[other - 1].id || p->nranks != s->p[other - 1].nranks || shares_rank(p, &s->p[other - 1]);
        else if (tells)
            ncs_map_put_number(&first, (uint64_t)rank + 1, i + 1);
    }
    ncs_map_free(&first);
    return tells;
}

static void open_starts(struct starts *s, struct recording *r)
{
    *s = (struct starts){ .r = r, .p = ncs_new((r->files + 1) * sizeof *s->p), .files = r->files };
    for (size_t i = 0; i < r->files; i++) {
        s->p[i] = (struct started){ .file = i, .unit = i, .time = r->file[i].head.opened.real };
        look_at_ranks(&s->p[i], &r->file[i]);
    }
    s->by_launcher = launcher_tells_ranks(s);
    for (size_t i = 0; i < r->files; i++)
        if (s->by_launcher || !s->p[i].nranks)
            set_rank(&s->p[i], r->file[i].head.rank);
}

/* ---- units: processes that share communicators ---- */

static size_t unit_of(struct starts *s, size_t i)
{
    while (s->p[i].unit != i)
        i = s->p[i].unit = s->p[s->p[i].unit].unit;
    return i;
}

static void join_units(struct starts *s)
{
    struct ncs_map first = { 0 };
    for (size_t i = 0; i < s->files; i++) {
        const struct recorded_file *f = &s->r->file[i];
        for (size_t k = 0; k < f->calls; k++) {
            uint64_t id;
            int64_t rank, nranks;
            if (!ncs_recorded_join(&f->call[k], &id, &rank, &nranks) || !id)
                continue;
            uint64_t key = ncs_hash(id, (uint64_t)nranks) | 1;
            size_t other = ncs_map_number(&first, key);
            if (other)
                s->p[unit_of(s, i)].unit = unit_of(s, other - 1);
            else
                ncs_map_put_number(&first, key, i + 1);
        }
    }
    ncs_map_free(&first);
}

/* With NCCL_COMM_ID all starts have the same id: a unit that has a rank twice is taken apart. */
static void part_units(struct starts *s)
{
    struct ncs_map there = { 0 }, twice = { 0 };
    for (size_t i = 0; i < s->files; i++)
        for (size_t k = 0; k < s->p[i].ranks; k++) {
            uint64_t key = ncs_hash(unit_of(s, i) + 1, (uint64_t)s->p[i].rank[k] + 1) | 1;
            size_t other = ncs_map_number(&there, key);
            if (other && other != i + 1)
                ncs_map_put_number(&twice, unit_of(s, i) + 1, 1);
            ncs_map_put_number(&there, key, i + 1);
        }
    size_t *unit = ncs_new((s->files + 1) * sizeof *unit);
    for (size_t i = 0; i < s->files; i++)
        unit[i] = ncs_map_number(&twice, unit_of(s, i) + 1) ? i : unit_of(s, i);
    for (size_t i = 0; i < s->files; i++)
        s->p[i].unit = unit[i];
    for (size_t i = 0; i < s->files; i++)
        if (s->p[i].time > s->p[unit[i]].time)
            s->p[unit[i]].time = s->p[i].time;
    for (size_t i = 0; i < s->files; i++)
        s->p[i].time = s->p[unit[i]].time;
    ncs_free(unit);
    ncs_map_free(&there);
    ncs_map_free(&twice);
}

/* ---- the newest start ---- */

/* The newest unit first; those in no communicator last. */
static int compare_started(const void *left, const void *right)
{
    const struct started *a = left, *b = right;
    if (!a->nranks != !b->nranks)
        return a->nranks ? -1 : 1;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    if (a->unit != b->unit)
        return a->unit > b->unit ? -1 : 1;
    return a->file > b->file ? -1 : a->file < b->file;
}

/* The index + 1 of a chosen process that the process cannot be of one start with; 0 = none. */
static size_t opponent_of(struct starts *s, const struct started *p)
{
    const struct ncs_recording_head *h = &s->r->file[p->file].head;
    for (size_t k = 0; k < p->ranks; k++) {
        size_t other = ncs_map_number(&s->taken, (uint64_t)p->rank[k] + 1);
        if (other)
            return other;
    }
    const struct started *first = &s->p[0]; /* the newest */
    const struct ncs_recording_head *of = &s->r->file[first->file].head;
    bool other_size = first->chosen && h->nranks > 0 && of->nranks > 0 && h->nranks != of->nranks &&
                      strcmp(h->rank_by, of->rank_by) == 0;
    return other_size ? 1 : 0;
}

static void choose(struct starts *s, size_t at)
{
    s->p[at].chosen = true;
    for (size_t k = 0; k < s->p[at].ranks; k++)
        ncs_map_put_number(&s->taken, (uint64_t)s->p[at].rank[k] + 1, at + 1);
}

/* Takes units, the newest first, up to one that cannot be of the same start. Returns the time of that one. */
static int64_t choose_units(struct starts *s)
{
    for (size_t i = 0, end; i < s->files && s->p[i].nranks; i = end) {
        for (end = i; end < s->files && s->p[end].nranks && s->p[end].unit == s->p[i].unit; end++) {
            size_t other = opponent_of(s, &s->p[end]);
            if (!other)
                continue;
            s->rival = s->p[other - 1].file + 1;
            s->conflict = s->p[end].file + 1;
            return s->p[i].time;
        }
        for (size_t k = i; k < end; k++)
            choose(s, k);
    }
    return INT64_MIN;
}

/* Processes in no communicator, as a child that only asks for NCCL's version, do not stand in for one that is. */
static size_t choose_others(struct starts *s, int64_t since)
{
    size_t left = 0;
    bool joined = s->files && s->p[0].nranks;
    for (size_t i = 0; i < s->files; i++) {
        struct started *p = &s->p[i];
        if (p->nranks)
            continue;
        if (p->time >= since && !opponent_of(s, p) && (p->ranks || !joined))
            choose(s, i);
        else
            left++;
    }
    return left;
}

/* ---- notes ---- */

static const char *brief_name(const struct recording *r, size_t file)
{
    const char *slash = strrchr(r->file[file].path, '/');
    return slash ? slash + 1 : r->file[file].path;
}

/* Appends up to three names of files that are not chosen. */
static void add_left_names(const struct starts *s, struct ncs_str *out, bool joined, size_t left)
{
    size_t named = 0;
    for (size_t i = 0; i < s->files && named < 3; i++)
        if (!s->p[i].chosen && (s->p[i].nranks > 0) == joined)
            ncs_str_addf(out, "%s%.100s", named++ ? ", " : "", brief_name(s->r, s->p[i].file));
    if (left > named)
        ncs_str_addf(out, " and %zu other%s", left - named, left - named == 1 ? "" : "s");
}

static void note_earlier(const struct starts *s, size_t left)
{
    struct ncs_str names = { 0 };
    const struct recording *r = s->r;
    const struct ncs_recording_head *a = &r->file[s->rival - 1].head, *b = &r->file[s->conflict - 1].head;
    add_left_names(s, &names, true, left);
    if (a->nranks > 0 && b->nranks > 0 && a->nranks != b->nranks)
        ncs_record_note(r->record,
                        "%zu recording%s of an earlier start %s left out: %s; %.100s is newer, and its launcher has "
                        "started %d ranks, not %d",
                        left, left == 1 ? "" : "s", left == 1 ? "is" : "are", names.text, brief_name(r, s->rival - 1),
                        (int)a->nranks, (int)b->nranks);
    else
        ncs_record_note(r->record,
                        "%zu recording%s of an earlier start %s left out: %s; %.100s is a newer recording of a rank "
                        "that %.100s has too",
                        left, left == 1 ? "" : "s", left == 1 ? "is" : "are", names.text, brief_name(r, s->rival - 1),
                        brief_name(r, s->conflict - 1));
    ncs_str_free(&names);
}

static void note_others(const struct starts *s, size_t left)
{
    struct ncs_str names = { 0 };
    add_left_names(s, &names, false, left);
    ncs_record_note(s->r->record, "%zu recording%s left out, as %s joined no communicator: %s", left, left == 1 ? " is" : "s are",
                    left == 1 ? "its process has" : "their processes have", names.text);
    ncs_str_free(&names);
}

bool ncs_recorded_find_start(struct recording *r)
{
    struct starts s;
    size_t earlier = 0;
    open_starts(&s, r);
    join_units(&s);
    part_units(&s);
    if (s.files)
        qsort(s.p, s.files, sizeof *s.p, compare_started);
    size_t others = choose_others(&s, choose_units(&s));
    for (size_t i = 0; i < s.files; i++) {
        r->file[s.p[i].file].left_out = !s.p[i].chosen;
        earlier += !s.p[i].chosen && s.p[i].nranks;
        ncs_free(s.p[i].rank);
    }
    if (earlier)
        note_earlier(&s, earlier);
    if (others)
        note_others(&s, others);
    ncs_map_free(&s.taken);
    ncs_free(s.p);
    return s.by_launcher;
}
