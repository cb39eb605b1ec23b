/* Replaces parties in findings. The party of a process as such becomes the process's first rank, edits name the process
 * whose calls they change, and the first culprit is introduced with its communicator, device and thread. */
#include "diagnose/party.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* The party that stands in reports: a thread that drives no rank of a communicator counts to its process's first rank. */
static int parties_settle(const struct ncs_parties *p, int party)
{
    if (party < 0 || (size_t)party >= p->count || p->of[party].device >= 0)
        return party;
    for (size_t i = 0; i < p->count; i++)
        if (p->of[i].rank == p->of[party].rank && p->of[i].device >= 0)
            return (int)i;
    return party;
}

static bool is_settled(const struct ncs_parties *p, int party)
{
    return parties_settle(p, party) == party;
}

/* ---- numbers ---- */

/* The party's rank in the communicator of that name, else in its widest one. */
static int comm_rank_of(const struct ncs_parties *p, const char *comm, int party)
{
    if (party < 0 || (size_t)party >= p->count)
        return -1;
    for (size_t c = 0; c < p->journal->comms && comm; c++)
        for (int i = 0; strcmp(p->journal->comm[c]->name, comm) == 0 && i < p->journal->comm[c]->members; i++)
            if (p->member[c][i] == party)
                return i;
    return p->of[party].comm_rank;
}

static size_t keep_settled(const struct ncs_parties *p, int *party, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_settled(p, party[i]))
            party[kept++] = party[i];
    return kept;
}

static void settle_culprits(const struct ncs_parties *p, struct ncs_finding *f)
{
    size_t count = f->culprits;
    f->culprits = 0; /* refilled in place: two parties may become one rank */
    for (size_t i = 0; i < count; i++) {
        struct ncs_culprit c = f->culprit[i];
        c.rank = parties_settle(p, c.rank);
        c.comm_rank = comm_rank_of(p, f->comm, c.rank);
        if (!ncs_finding_blames(f, c.rank))
            f->culprit[f->culprits++] = c;
    }
}

static bool parties_has_row(const struct ncs_finding *f, int party)
{
    for (size_t i = 0; i < f->rows; i++)
        if (f->row[i].rank == party)
            return true;
    return false;
}

static void settle_rows(const struct ncs_parties *p, struct ncs_finding *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->rows; i++) {
        struct ncs_finding_row row = f->row[i];
        int party = parties_settle(p, row.rank);
        if (party != row.rank && parties_has_row(f, party)) {
            ncs_sentence_free(row.said);
            continue;
        }
        row.rank = party;
        row.comm_rank = comm_rank_of(p, f->comm, party);
        f->row[kept++] = row;
    }
    f->rows = kept;
}

static void settle_edits(const struct ncs_parties *p, struct ncs_finding *f)
{
    for (size_t i = 0; i < f->repairs; i++) {
        struct ncs_edit *e = &f->repair[i];
        e->of_party = e->rank >= 0 && (size_t)e->rank < p->count;
        e->device = e->of_party ? p->of[e->rank].device : -1;
        e->thread = e->of_party ? p->of[e->rank].thread : -1;
        e->rank = ncs_process_of_party(p, e->rank);
        e->model = ncs_process_of_party(p, e->model);
    }
}

/* ---- texts ---- */

/* The first number behind "rank " or "ranks " at `at`; NULL = this is another word, such as "franking". */
static const char *number_after(const char *at, const char *text)
{
    if (at > text && isalpha((unsigned char)at[-1]))
        return NULL;
    at += strlen("rank");
    at += *at == 's';
    return *at == ' ' && isdigit((unsigned char)at[1]) ? at + 1 : NULL;
}

/* "rank 2" of a party becomes "rank 2 of comm1 (device 2, thread 3)". */
static void introduce(const struct ncs_parties *p, int party, struct ncs_str *s)
{
    const struct ncs_party *who = &p->of[party];
    const struct ncs_comm_info *info = who->comm >= 0 ? p->journal->comm[who->comm] : NULL;
    bool processes = false, threads = false;
    if (who->rank < 0) { /* it never joined, so it has no device */
        if (info)
            ncs_str_addf(s, " of %s", info->name);
        return;
    }
    if (info && who->comm_rank == party)
        ncs_str_addf(s, " of %s (", info->name);
    else if (info)
        ncs_str_addf(s, " (rank %d of %s, ", who->comm_rank, info->name);
    else
        ncs_str_add(s, " (");
    for (size_t i = 0; i < p->count; i++) {
        processes |= p->of[i].rank >= 0 && p->of[i].rank != who->rank;
        threads |= p->of[i].device >= 0 && p->of[i].rank == who->rank && p->of[i].thread != who->thread;
    }
    ncs_str_addf(s, "device %d", who->device);
    if (processes)
        ncs_str_addf(s, " of process %d", who->rank);
    if (threads && who->thread >= 0)
        ncs_str_addf(s, ", thread %d", who->thread);
    ncs_str_add(s, ")");
}

/* A copy of the text with numbers of processes replaced by those of their first ranks. The first culprit that the text
 * names alone is introduced, if *introduced is not set; then it is set. Texts are searched, because rules write
 * sentences and know no parties. */
static char *name_ranks(const struct ncs_parties *p, const struct ncs_finding *f, const char *text, bool *introduced)
{
    struct ncs_str s = { 0 };
    const char *rest = text;
    ncs_str_add(&s, "");
    for (const char *at = text; (at = strstr(at, "rank")) != NULL;) {
        const char *number = number_after(at, text);
        at += strlen("rank");
        while (number && isdigit((unsigned char)*number)) {
            char *end;
            long party = strtol(number, &end, 10);
            bool known = party >= 0 && (size_t)party < p->count, alone = at[0] == ' ';
            if (known && !is_settled(p, (int)party)) {
                ncs_str_addf(&s, "%.*s%d", (int)(number - rest), rest, parties_settle(p, (int)party));
                rest = end;
            }
            if (known && alone && !*introduced && ncs_finding_blames(f, (int)party) && *end != '\'' &&
                strncmp(end, " of ", 4) != 0) {
                ncs_str_addf(&s, "%.*s", (int)(end - rest), rest);
                introduce(p, (int)party, &s);
                rest = end;
                *introduced = true;
            }
            bool more = !alone && (strncmp(end, ", ", 2) == 0 || strncmp(end, "..", 2) == 0);
            number = more ? end + 2 : NULL;
        }
    }
    ncs_str_add(&s, rest);
    return ncs_str_take(&s);
}

/* ---- sentences: their facts are asked ---- */

struct named { /* the argument of a naming */
    const struct ncs_parties *p;
    const struct ncs_finding *f;
};

static int named_number(void *arg, int rank)
{
    const struct ncs_parties *p = ((const struct named *)arg)->p;
    bool known = rank >= 0 && (size_t)rank < p->count;
    return known && !is_settled(p, rank) ? parties_settle(p, rank) : rank;
}

static bool named_introduce(void *arg, int rank, struct ncs_str *out)
{
    const struct named *n = arg;
    if (rank < 0 || (size_t)rank >= n->p->count || !ncs_finding_blames(n->f, rank))
        return false;
    introduce(n->p, rank, out);
    return true;
}

static char *named_plain(void *arg, const char *text, bool *introduced)
{
    const struct named *n = arg;
    return name_ranks(n->p, n->f, text, introduced);
}

static void name_text(const struct ncs_parties *p, struct ncs_finding *f, char **text, bool *introduced)
{
    if (!*text)
        return;
    char *named = name_ranks(p, f, *text, introduced);
    ncs_free(*text);
    *text = named;
}

static void name_weighed(const struct ncs_parties *p, struct ncs_str *weighed)
{
    bool no_more = true;
    char *named = weighed->bytes ? name_ranks(p, NULL, weighed->text, &no_more) : NULL;
    ncs_str_clear(weighed);
    ncs_str_add(weighed, named ? named : "");
    ncs_free(named);
}

static void name_finding(const struct ncs_parties *p, struct ncs_finding *f)
{
    bool no_more = true;
    settle_culprits(p, f);
    struct named named = { p, f };
    struct ncs_naming naming = { &named, named_number, named_introduce, named_plain, false };
    ncs_sentence_name(f->why, &naming);
    ncs_sentence_name(f->fix, &naming);
    naming.introduced = true;
    ncs_sentence_name(f->evidence, &naming);
    name_text(p, f, &f->otherwise, &no_more);
    for (size_t i = 0; i < f->others; i++) {
        settle_culprits(p, &f->other[i]);
        ncs_sentence_name(f->other[i].why, &naming);
    }
    name_weighed(p, &f->weighed);
    for (size_t i = 0; i < f->rows; i++)
        ncs_sentence_name(f->row[i].said, &naming);
    for (size_t i = 0; i < f->priors; i++) {
        name_text(p, f, &f->prior[i].text, &no_more);
        f->prior[i].ranks = keep_settled(p, f->prior[i].rank, f->prior[i].ranks);
    }
    settle_rows(p, f);
    settle_edits(p, f);
    f->blockeds = keep_settled(p, f->blocked, f->blockeds);
    f->bystanders = keep_settled(p, f->bystander, f->bystanders);
    for (size_t i = 0; i < f->cycles; i++) {
        f->cycle[i].rank = parties_settle(p, f->cycle[i].rank);
        f->cycle[i].waits_for = parties_settle(p, f->cycle[i].waits_for);
    }
}

void ncs_name_parties(const struct ncs_parties *p, struct ncs_diagnosis *d)
{
    name_weighed(p, &d->weighed);
    for (size_t i = 0; i < d->findings; i++)
        name_finding(p, &d->finding[i]);
    for (size_t i = 0; i < d->alternatives; i++)
        for (size_t k = 0; k < d->alternative[i].findings; k++)
            name_finding(p, &d->alternative[i].finding[k]);
    for (size_t i = 0; i < d->waits; i++) {
        struct ncs_wait_line *w = &d->wait[i];
        w->rank = parties_settle(p, w->rank);
        w->comm_rank = comm_rank_of(p, w->comm, w->rank);
        w->peers = keep_settled(p, w->peer, w->peers);
    }
    for (size_t i = 0, room = 0; i < p->count; i++)
        NCS_PUSH(d->party, d->parties, room, p->of[i]);
}

int ncs_number_of(const struct ncs_diagnosis *d, const struct ncs_member *member)
{
    for (size_t i = 0; i < d->parties; i++)
        if (d->party[i].rank == member->rank && d->party[i].device == member->device)
            return (int)i;
    return member->rank;
}

bool ncs_is_thread_of(const struct ncs_diagnosis *d, int rank, int process, int thread)
{
    bool first = true;
    if (rank < 0 || (size_t)rank >= d->parties || d->party[rank].rank != process)
        return !d->parties && rank == process;
    if (d->party[rank].thread == thread)
        return true;
    for (size_t i = 0; i < d->parties; i++)
        if (d->party[i].rank == process && d->party[i].device >= 0) {
            if (d->party[i].thread == thread)
                return false;
            first &= i >= (size_t)rank;
        }
    return first;
}

int ncs_number_of_thread(const struct ncs_diagnosis *d, int process, int thread)
{
    for (size_t i = 0; i < d->parties; i++)
        if (ncs_is_thread_of(d, (int)i, process, thread))
            return (int)i;
    return process;
}
