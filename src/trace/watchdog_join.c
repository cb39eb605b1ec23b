/* Makes calls of what watchdog lines say: for each rank of a group those from the last completed one to the one that
 * ran out of time. Where dumps of other ranks are there, the group is theirs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/watchdog.h"

enum { WATCH_WINDOW = 256 }; /* calls of a rank that are looked at */

struct watch_join {
    struct watchdog *w;
    struct watch_group *g;
    int comm;
    bool known;              /* the communicator is that of dumps, with calls */
    int64_t first, last;     /* numbers of the calls that are made */
    struct ncs_map late_at;  /* number -> index + 1 of one that ran out of time, of a known kind */
    struct ncs_map own_late; /* rank and number -> the same, of that rank */
};

/* ---- groups of calls that ran out of time ---- */

static bool watch_is_at(const struct watch_rank *k, int64_t seq)
{
    return k->late == seq || (k->over >= 0 && k->over + 1 == seq);
}

/* The only group in which the rank waits for a call of this number, otherwise the only one that has it or in which others
 * wait for such a call: its own line of the group may be missing. -1 = none, or several. */
static int watch_group_of(struct watchdog *w, const struct watch_late *l)
{
    enum { MOST_GROUPS = 4096, OWN = 0, IN = 1, OTHERS = 2, ANY = 3, WAYS = 4 };
    int found[WAYS] = { 0 }, count[WAYS] = { 0 };
    for (size_t i = 0; i < w->groups && i < MOST_GROUPS; i++) {
        const struct watch_group *g = &w->group[i];
        size_t at = ncs_map_number(&w->group[i].at, (uint64_t)l->rank + 1);
        bool others = false;
        for (size_t k = 0; k < g->ranks && !others; k++)
            others = watch_is_at(&g->of[k], l->seq);
        bool fits[WAYS] = { at && watch_is_at(&g->of[at - 1], l->seq), at, others && !at, true };
        for (int way = 0; way < WAYS; way++)
            if (fits[way]) {
                found[way] = (int)i;
                count[way]++;
            }
    }
    for (int way = 0; way < WAYS; way++)
        if (count[way])
            return count[way] == 1 ? found[way] : -1;
    return -1;
}

static void watch_distribute(struct watchdog *w)
{
    bool unnamed = w->groups == 0; /* lines of PyTorch before 2.2: all are of one group */
    for (size_t i = 0; i < w->lates; i++) {
        struct watch_late *l = &w->late[i];
        if (l->group < 0)
            l->group = unnamed ? ncs_watch_group(w, "0", "default_pg") : watch_group_of(w, l);
        if (l->group < 0) {
            w->homeless++;
            continue;
        }
        struct watch_rank *k = ncs_watch_rank(&w->group[l->group], l->rank);
        l->next = w->group[l->group].late;
        w->group[l->group].late = i + 1;
        if (!k->line) {
            k->line = l->line;
            k->path = l->path;
        }
        k->self = k->self < 0 ? l->self : k->self;
        k->late = k->late < 0 || l->seq < k->late ? l->seq : k->late;
    }
}

/* A rank that waits for a call has completed the ones before it, for a group completes its calls in order. */
static void watch_complete(struct watchdog *w)
{
    for (size_t i = 0; i < w->groups; i++)
        for (size_t n = 0; n < w->group[i].ranks; n++) {
            struct watch_rank *k = &w->group[i].of[n];
            if (k->over < 0)
                k->over = k->late > 0 ? k->late - 1 : 0;
            k->made = k->made < k->late ? k->late : k->made;
            k->made = k->made < k->over ? k->over : k->made;
        }
}

/* ---- the communicator of a group ---- */

static int compare_selves(const void *a, const void *b)
{
    const struct watch_rank *x = a, *y = b;
    return x->self != y->self ? (x->self > y->self) - (x->self < y->self) : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The communicator that dumps have for the group; -1 = none. *strange: the dumps have the group, without these ranks. */
static int watch_dumped(const struct watch_join *j, bool *strange)
{
    const struct record *r = j->w->record;
    char named[96];
    snprintf(named, sizeof named, "pg %.64s", j->g->name);
    *strange = false;
    for (size_t i = 0; i < r->comms && r->numbered; i++) {
        const char *name = r->comm[i].name ? r->comm[i].name : "";
        if (strcmp(name, named) != 0 && strcmp(name, j->g->desc ? j->g->desc : "default_pg") != 0)
            continue;
        for (size_t k = 0; k < j->g->ranks && k < 8; k++)
            if (ncs_record_is_member(&r->comm[i], j->g->of[k].rank))
                return (int)i;
        *strange |= strcmp(name, "default_pg") == 0;
    }
    return -1;
}

/* Without dumps: the ranks of a group that numbers its ranks as the run does are all up to the highest; of others, those
 * that are seen. That a rank has no line says something only if most ranks have one: people paste the lines of a few, and
 * nothing is known of the rest. */
static int watch_add_comm(struct watch_join *j)
{
    struct record *r = j->w->record;
    struct watch_group *g = j->g;
    bool whole = true;
    int most = -1, seen = (int)g->ranks;
    char name[96];
    for (size_t i = 0; i < g->ranks; i++) {
        whole &= g->of[i].self < 0 || g->of[i].self == g->of[i].rank;
        most = g->of[i].rank > most ? g->of[i].rank : most;
    }
    if (whole && r->ranks > most + 1 && strcmp(g->name, "0") == 0)
        most = r->ranks - 1;
    bool few = whole && (seen < 2 || (most + 1 - seen) * 2 > seen);
    whole &= !few;
    bool described = g->desc && g->desc[0] && strcmp(g->desc, "undefined") != 0;
    snprintf(name, sizeof name, described ? "%.64s" : "pg %.64s", described ? g->desc : g->name);
    int comm = ncs_record_add_comm(r, whole ? most + 1 : seen, name, j->w->err);
    if (comm < 0 || !ncs_record_has_rank(r, most, j->w->err))
        return -1;
    if (!whole)
        qsort(g->of, g->ranks, sizeof *g->of, compare_selves);
    for (int k = 0; k < r->comm[comm].nranks; k++)
        r->comm[comm].rank[k] = whole ? k : g->of[k].rank;
    r->guessed = true; /* the lines do not say how many ranks there are */
    if (seen == 1)
        ncs_record_note(r, "%s: only one rank left lines of its watchdog: nothing tells who is missing", r->comm[comm].name);
    else if (few)
        ncs_record_note(r, "%s: %d of %d ranks left lines of their watchdog, too few to tell from them who is missing",
                        r->comm[comm].name, seen, most + 1);
    if (!whole && !r->trace->doubt)
        r->trace->doubt = ncs_copy_text("it could also be that a group has other ranks than those with lines of its "
                                        "watchdog");
    return comm;
}

/* ---- calls ---- */

/* A call of this number as a line, or the dump of another rank, has it; otherwise a collective of an unknown kind. */
static struct record_call watch_call(const struct watch_join *j, const struct watch_rank *k, int comm_rank, int64_t seq)
{
    size_t at = ncs_map_number(&j->late_at, (uint64_t)seq + 1);
    struct record_call c = { .fn = NCS_FN_ncclAllReduce,
                             .comm = j->comm,
                             .comm_rank = comm_rank,
                             .count = 1,
                             .dtype = -1,
                             .seq = seq,
                             .apart = true,
                             .state = seq <= k->over ? RECORD_OVER : RECORD_UNKNOWN,
                             .unsaid = NCS_UNSAID_OP | NCS_UNSAID_ROOT | NCS_UNSAID_DTYPE | NCS_UNSAID_PLACE };
    size_t own = ncs_map_number(&j->own_late, ncs_hash((uint64_t)k->rank, (uint64_t)seq));
    const struct watch_late *l = own ? &j->w->late[own - 1] : at ? &j->w->late[at - 1] : NULL; /* its own line first */
    if (!l) {
        c.unsaid |= NCS_UNSAID_KIND | NCS_UNSAID_COUNT;
        return c;
    }
    c.fn = (enum ncs_fn)l->fn;
    c.count = l->count;
    if (!l->sized || c.fn == NCS_FN_ncclAlltoAll)
        c.unsaid |= NCS_UNSAID_COUNT;
    return c;
}

/* Another group may have made calls of the rank's lines before. */
static bool watch_has_dump(const struct record *r, int rank)
{
    return r->rank[rank].source && r->rank[rank].word != ncs_reader_watchdog.word;
}

/* A rank of the group, by its number in the run, and its number in the group. */
static bool add_watched(struct watch_join *j, struct watch_rank *k, int comm_rank)
{
    struct record *r = j->w->record;
    int64_t last = k->made < j->last ? k->made : j->last, from = j->first < last ? j->first : last;
    if (watch_has_dump(r, k->rank))
        return true;
    r->rank[k->rank].source = k->path;
    r->rank[k->rank].word = ncs_reader_watchdog.word;
    r->rank[k->rank].spoilt = false;
    r->rank[k->rank].window |= from > 1;
    for (int64_t seq = from > 0 ? from : 1; seq <= last; seq++) {
        struct record_call *c = ncs_record_add(r, k->rank, j->w->err);
        if (!c)
            return false;
        *c = watch_call(j, k, comm_rank, seq);
        c->place = seq == k->late ? ncs_record_line(r, k->path, k->line) : 0;
    }
    return true;
}

/* The calls of another rank's dump, up to the last that the line counts. */
static bool add_like_dump(struct watch_join *j, struct watch_rank *k, int comm_rank, int model)
{
    struct record *r = j->w->record;
    if (watch_has_dump(r, k->rank))
        return true;
    r->rank[k->rank].source = k->path;
    r->rank[k->rank].word = ncs_reader_watchdog.word;
    r->rank[k->rank].spoilt = false;
    r->rank[k->rank].cut = r->rank[model].cut;
    for (size_t i = 0; i < r->rank[model].calls; i++) {
        const struct record_call *from = &r->rank[model].call[i];
        if (from->comm != j->comm || !ncs_record_is_collective(from) || from->seq > k->made)
            continue;
        struct record_call *c = ncs_record_add(r, k->rank, j->w->err), own = r->rank[model].call[i];
        if (!c)
            return false;
        if (own.seq == k->late)
            own = watch_call(j, k, comm_rank, own.seq);
        if (own.unsaid & NCS_UNSAID_KIND)
            own = r->rank[model].call[i];
        own.comm_rank = comm_rank;
        own.apart = true;
        own.state = own.seq <= k->over ? RECORD_OVER : RECORD_UNKNOWN;
        own.place = own.seq == k->late ? ncs_record_line(r, k->path, k->line) : 0;
        own.group = 0;
        *c = own;
    }
    return true;
}

/* The rank of the group with most calls in dumps; -1 = none. */
static int watch_model(const struct watch_join *j)
{
    const struct record *r = j->w->record;
    int model = -1;
    size_t most = 0;
    for (int k = 0; k < r->comm[j->comm].nranks; k++) {
        int rank = r->comm[j->comm].rank[k];
        size_t calls = 0;
        for (size_t i = 0; rank >= 0 && i < r->rank[rank].calls; i++)
            calls += r->rank[rank].call[i].comm == j->comm;
        model = calls > most ? rank : model;
        most = calls > most ? calls : most;
    }
    return model;
}

static bool join_ranks(struct watch_join *j)
{
    struct record *r = j->w->record;
    int model = j->known ? watch_model(j) : -1;
    bool ok = true;
    for (int k = 0; k < r->comm[j->comm].nranks && ok; k++) {
        int rank = r->comm[j->comm].rank[k];
        size_t at = rank >= 0 ? ncs_map_number(&j->g->at, (uint64_t)rank + 1) : 0;
        struct watch_rank *own = NULL;
        for (size_t i = 0; i < j->g->ranks && at && !own; i++) /* they may have been sorted */
            own = j->g->of[(at - 1 + i) % j->g->ranks].rank == rank ? &j->g->of[(at - 1 + i) % j->g->ranks] : NULL;
        if (own)
            ok = model >= 0 ? add_like_dump(j, own, k, model) : add_watched(j, own, k);
        else if (!j->known)
            ncs_record_doubt(r, rank, true, "it could also be that rank %d waits like the others: it has no line of %s", rank,
                             r->comm[j->comm].name);
    }
    return ok;
}

static void find_window(struct watch_join *j)
{
    int64_t first = INT64_MAX, late = -1, made = 0;
    for (size_t i = 0; i < j->g->ranks; i++) {
        const struct watch_rank *k = &j->g->of[i];
        first = k->over < first ? k->over : first;
        late = k->late > late ? k->late : late;
        made = k->made > made ? k->made : made;
    }
    j->last = late >= 0 ? late : made;
    j->first = j->last - first > WATCH_WINDOW ? j->last - WATCH_WINDOW : first;
    for (size_t i = j->g->late; i; i = j->w->late[i - 1].next) { /* the first line of a number is seen last, and stays */
        const struct watch_late *l = &j->w->late[i - 1];
        if (l->fn < 0)
            continue;
        ncs_map_put_number(&j->own_late, ncs_hash((uint64_t)l->rank, (uint64_t)l->seq), i);
        ncs_map_put_number(&j->late_at, (uint64_t)l->seq + 1, i);
    }
}

/* A collective needs all ranks, so no rank completes many that another has not made. Lines that say so are of several
 * groups, where they do not name them, or of several runs. */
static bool watch_contradicts(const struct watch_join *j)
{
    enum { AHEAD = 16 }; /* the root of a broadcast gets a little ahead */
    const struct watch_rank *least = &j->g->of[0], *most = least;
    for (size_t i = 0; i < j->g->ranks; i++) {
        least = j->g->of[i].made < least->made ? &j->g->of[i] : least;
        most = j->g->of[i].over > most->over ? &j->g->of[i] : most;
    }
    if (most->over <= least->made + AHEAD)
        return false;
    ncs_record_note(j->w->record,
                    "the lines of the watchdog are of several groups or runs: rank %d has completed call %" PRId64
                    ", and rank %d has made %" PRId64,
                    most->rank, most->over, least->rank, least->made);
    return true;
}

static bool join_group(struct watchdog *w, int index)
{
    struct watch_join j = { .w = w, .g = &w->group[index] };
    if (j.g->ranks == 0)
        return true;
    if (watch_contradicts(&j)) {
        w->homeless++;
        return true;
    }
    find_window(&j);
    bool strange;
    j.comm = watch_dumped(&j, &strange);
    if (strange && j.comm < 0) {
        ncs_record_note(w->record,
                        "the lines of the watchdog of rank %d are of another job than the dumps: default_pg of the "
                        "dumps does not have this rank",
                        j.g->of[0].rank);
        ncs_map_free(&j.late_at);
        ncs_map_free(&j.own_late);
        return true;
    }
    j.known = j.comm >= 0 && watch_model(&j) >= 0;
    if (j.comm < 0)
        j.comm = watch_add_comm(&j);
    bool ok = j.comm >= 0 && join_ranks(&j);
    ncs_map_free(&j.late_at);
    ncs_map_free(&j.own_late);
    return ok || ncs_fail_at(w->err, j.g->of[0].path, 0, 0);
}

/* A rank that is behind in one group and waits in another one may only come later to the first. */
static void doubt_waiting(struct watchdog *w)
{
    struct ncs_map waits = { 0 }; /* rank + 1 -> how many groups it waits in */
    for (size_t i = 0; i < w->groups; i++)
        for (size_t k = 0; k < w->group[i].ranks; k++)
            if (w->group[i].of[k].late > w->group[i].of[k].over) {
                uint64_t key = (uint64_t)w->group[i].of[k].rank + 1;
                ncs_map_put_number(&waits, key, ncs_map_number(&waits, key) + 1);
            }
    for (size_t i = 0; i < w->groups; i++) {
        int64_t late = -1;
        for (size_t k = 0; k < w->group[i].ranks; k++)
            late = w->group[i].of[k].late > late ? w->group[i].of[k].late : late;
        for (size_t k = 0; k < w->group[i].ranks; k++) {
            const struct watch_rank *own = &w->group[i].of[k];
            if (own->rank >= w->record->ranks) /* its group is left out */
                continue;
            if (own->made < late && ncs_map_number(&waits, (uint64_t)own->rank + 1) && !watch_has_dump(w->record, own->rank))
                ncs_record_doubt(w->record, own->rank, false,
                                 "it could also be that rank %d comes to the call later: it waits "
                                 "in another group, and the lines do not order calls of several groups",
                                 own->rank);
        }
    }
    ncs_map_free(&waits);
}

/* ---- words ---- */

static void note_watchdog(const struct watchdog *w, bool used)
{
    struct record *r = w->record;
    if (!used)
        ncs_record_note(r, "the lines of the watchdog are not used: NCCL's log has the calls");
    else
        ncs_record_note(r, "lines of the watchdog count calls and name the one that ran out of time: they have no data "
                           "types, operators, roots and places in the program");
    if (w->homeless && used)
        ncs_record_note(r, "calls ran out of time in groups that these lines do not tell apart");
    if (w->pairs)
        ncs_record_note(r, "%zu send%s or receive%s ran out of time: the watchdog does not name the peer", w->pairs,
                        w->pairs == 1 ? "" : "s", w->pairs == 1 ? "" : "s");
    if (w->again)
        ncs_record_note(r, "the counts of the watchdog go back: the log has several runs, and the first one is read");
}

bool ncs_watch_join(struct watchdog *w)
{
    struct record *r = w->record;
    bool used = r->numbered || r->calls == 0, ok = true;
    if (used) {
        watch_distribute(w);
        watch_complete(w);
        r->numbered = r->knows_ends = true;
        for (size_t i = 0; i < w->groups && ok; i++)
            ok = join_group(w, (int)i);
    }
    if (ok && used)
        doubt_waiting(w);
    r->waiting += w->pairs + w->homeless + (used ? 0 : w->lates);
    if (ok)
        note_watchdog(w, used);
    return ok;
}
