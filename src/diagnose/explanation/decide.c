/* Decides which of several readings of a hang is reported. A run that can be repeated tries them
 * (room run). A record, another program or real hardware cannot be repeated, so the calls decide:
 * an explanation with which all ranks go on in a rehearsal is likelier than the waits alone, if no
 * other one is as small. */
#include <string.h>

#include "api/meeting.h"
#include "base/mem.h"
#include "diagnose/rules/rule.h"

/* True if something still waits because of the finding. An unmatched message blocks no host if its
 * rank only launched it, but its stream waits. */
static bool leaves_waiting(const struct ncs_finding *f)
{
    return f->blockeds || strcmp(f->rule, "recv-without-send") == 0 || strcmp(f->rule, "send-without-recv") == 0;
}

struct ncs_finding *ncs_first_cause(struct ncs_finding *finding, size_t findings)
{
    for (size_t i = 0; i < findings; i++)
        if (finding[i].level == NCS_LEVEL_ERROR && leaves_waiting(&finding[i]))
            return &finding[i];
    /* All hosts have ended, and only their streams wait: such a finding blocks no rank. */
    for (size_t i = 0; i < findings; i++)
        if (finding[i].level == NCS_LEVEL_ERROR && ncs_finding_is_by_waiting(&finding[i]))
            return &finding[i];
    return NULL;
}

void ncs_finding_doubt(struct ncs_finding *f, const char *doubt)
{
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "%s%s%s", f->otherwise ? f->otherwise : "", f->otherwise ? "; " : "", doubt);
    ncs_free(f->otherwise);
    f->otherwise = ncs_str_take(&s);
    f->certainty = NCS_LIKELY;
}

/* ---- changes in place ---- */

/* The finding's communicator. Of several with its name, such as the parts of a split, the one of its
 * first culprit. NULL = none. */
static const struct ncs_comm_info *comm_of(const struct ncs_journal *j, const struct ncs_finding *f)
{
    const struct ncs_comm_info *first = NULL;
    for (size_t c = 0; f->comm && c < j->comms; c++) {
        if (strcmp(j->comm[c]->name, f->comm) != 0)
            continue;
        for (int k = 0; f->culprits && k < j->comm[c]->members; k++)
            if (j->comm[c]->member[k].rank == f->culprit[0].rank)
                return j->comm[c];
        first = first ? first : j->comm[c];
    }
    return first;
}

/* True if the culprits made the call where all others made theirs: then it is the call that was
 * meant, with a wrong argument, and none is missing. A recorded call may lack its place, which
 * proves nothing. */
static bool is_at_one_place(const struct ncs_journal *j, const struct ncs_finding *f)
{
    const struct ncs_comm_info *comm = comm_of(j, f);
    const struct ncs_call *first = NULL;
    for (int r = 0; comm && f->call && r < comm->nranks; r++) {
        const struct ncs_call *c = ncs_journal_call(j, comm->number, r, f->call);
        if (first && c && !(c->unsaid & NCS_UNSAID_PLACE) &&
            (c->place.line != first->place.line || c->place.file != first->place.file))
            return false;
        first = first ? first : c;
    }
    return first != NULL;
}

static bool is_mismatch(const struct ncs_finding *f)
{
    static const char *const mismatches[] = { "count-mismatch", "dtype-mismatch",     "kind-mismatch",
                                              "op-mismatch",    "p2p-count-mismatch", "root-mismatch" };
    for (size_t i = 0; i < sizeof mismatches / sizeof *mismatches; i++)
        if (strcmp(f->rule, mismatches[i]) == 0)
            return true;
    return false;
}

/* True if the finding changes only an argument. No explanation by a missing or an extra call is
 * smaller. */
static bool changes_argument(const struct ncs_journal *j, const struct ncs_finding *f)
{
    if (is_mismatch(f))
        return is_at_one_place(j, f);
    if (strcmp(f->rule, "wrong-peer") == 0)
        return true;
    for (size_t i = 0; i < f->repairs; i++)
        if (f->repair[i].kind != NCS_EDIT_ARGUMENT || strcmp(f->repair[i].argument, "peer") != 0)
            return false;
    return f->repairs > 0;
}

/* True if the finding neither adds nor removes calls: it changes arguments, or the order of two
 * calls. */
static bool changes_in_place(const struct ncs_journal *j, const struct ncs_finding *f)
{
    if (is_mismatch(f) || changes_argument(j, f))
        return changes_argument(j, f);
    for (size_t i = 0; i < f->repairs; i++)
        if (f->repair[i].kind != NCS_EDIT_SWAP)
            return false;
    return f->repairs > 0;
}

/* ---- calls out of step ---- */

/* The culprits' ranks without repetition, in `rank`; returns their number. */
static size_t decide_ranks_of(const struct ncs_finding *f, int *rank)
{
    size_t ranks = 0;
    for (size_t i = 0; i < f->culprits; i++)
        if (!ranks || rank[ranks - 1] != f->culprit[i].rank)
            rank[ranks++] = f->culprit[i].rank;
    return ranks;
}

bool ncs_diagnosis_may_be_shifted(const struct ncs_diagnosis *d, const struct ncs_journal *j, const struct ncs_finding *f)
{
    bool kinds = strcmp(f->rule, "kind-mismatch") == 0; /* no argument: another call */
    return kinds || (!d->in_step && is_mismatch(f) && is_at_one_place(j, f));
}

void ncs_finding_doubt_step(struct ncs_finding *f)
{
    struct ncs_str s = { 0 };
    int *rank = ncs_new((f->culprits + 1) * sizeof *rank);
    ncs_str_add(&s, "it could also be that a call before this one is missing, or one too many, on ");
    ncs_format_ranks(&s, rank, decide_ranks_of(f, rank));
    ncs_str_add(&s, ": then the calls are out of step");
    ncs_finding_doubt(f, s.text);
    ncs_str_free(&s);
    ncs_free(rank);
}

/* ---- what else it could be ---- */

/* Adds the other reading, whose contents f owns then: "it could also be that rank 3 made 3 calls on
 * world, the other 4, if rank 2 made the calls that were meant". Only the first one gets a
 * sentence. */
static void add_other(struct ncs_finding *f, struct ncs_finding other, struct ncs_why why)
{
    struct ncs_str s = { 0 };
    int *rank = ncs_new((f->culprits + 1) * sizeof *rank);
    size_t room = f->others;
    f->certainty = NCS_LIKELY;
    if (ncs_decisions_kept)
        ncs_format_candidate(&s, &other);
    ncs_weighed(f, why, "named beside it, or: %s: %s", s.bytes ? s.text : "", other.why ? ncs_sentence_text(other.why) : "");
    ncs_str_clear(&s);
    if (!f->otherwise && f->culprits && other.why) {
        ncs_str_addf(&s, "it could also be that %s", ncs_sentence_text(other.why));
        if (!ncs_same_culprits(f, &other)) {
            ncs_str_add(&s, ", if ");
            ncs_format_ranks(&s, rank, decide_ranks_of(f, rank));
            ncs_str_add(&s, " made the calls that were meant");
        }
        if (other.tried)
            ncs_str_addf(&s, "; tried: %s", other.tried);
        f->otherwise = ncs_str_take(&s);
    }
    ncs_free(rank);
    NCS_PUSH(f->other, f->others, room, other);
}

bool ncs_finding_names_all(const struct ncs_finding *f, const struct ncs_finding *other)
{
    for (size_t k = 0; k < other->culprits; k++) {
        bool named = false;
        for (size_t i = 0; i < f->culprits; i++)
            named |= f->culprit[i].rank == other->culprit[k].rank;
        if (!named)
            return false;
    }
    return true;
}

/* A copy with rule, communicator, culprits and why alone, for `others`. The caller frees its
 * contents. */
static struct ncs_finding in_short(const struct ncs_finding *f)
{
    struct ncs_finding s = { .rule = f->rule,
                             .candidate = f->candidate,
                             .comm = f->comm ? ncs_copy_text(f->comm) : NULL,
                             .why = ncs_sentence_copy(f->why),
                             .tried = ncs_copy_text(f->tried) };
    size_t room = 0;
    for (size_t i = 0; i < f->culprits; i++)
        NCS_PUSH(s.culprit, s.culprits, room, f->culprit[i]);
    return s;
}

void ncs_diagnosis_prefer(struct ncs_diagnosis *d, size_t alternative, bool surely, struct ncs_why why)
{
    struct ncs_alternative swap = { .finding = d->finding, .findings = d->findings };
    d->finding = d->alternative[alternative].finding;
    d->findings = d->alternative[alternative].findings;
    d->alternative[alternative] = swap;
    struct ncs_finding *first = ncs_first_cause(d->finding, d->findings);
    const struct ncs_finding *before = ncs_first_cause(swap.finding, swap.findings);
    if (first && before)
        ncs_weighed_loser(first, before);
    if (!surely && first && before)
        add_other(first, in_short(before), why);
}

/* If exactly half of the ranks made calls that the other half did not, either half may be wrong:
 * fills *out with the reading that blames the other half. False = the culprits are not half of the
 * ranks. */
static bool turned_round(const struct ncs_diagnosis *d, const struct ncs_journal *j, const struct ncs_finding *f,
                         struct ncs_finding *out)
{
    bool skipped = strcmp(f->rule, "skipped-call") == 0;
    const struct ncs_comm_info *comm = comm_of(j, f);
    if (!comm || !f->culprits || (!skipped && strcmp(f->rule, "extra-call") != 0))
        return false;
    int *rank = ncs_new((size_t)(comm->nranks + 1) * sizeof *rank);
    int *comm_rank = ncs_new((size_t)(comm->nranks + 1) * sizeof *comm_rank);
    size_t ranks = 0, culprit_room = 0;
    for (int r = 0; r < comm->nranks; r++) {
        int own = ncs_number_of(d, &comm->member[r]);
        bool blamed = false;
        for (size_t i = 0; i < f->culprits; i++)
            blamed |= f->culprit[i].rank == own;
        comm_rank[ranks] = r;
        rank[ranks] = own;
        ranks += !blamed;
    }
    bool tied = ranks * 2 == (size_t)comm->nranks;
    if (tied) {
        struct ncs_str s = { 0 };
        *out = (struct ncs_finding){ .rule = skipped ? "extra-call" : "skipped-call", .comm = ncs_copy_text(comm->name) };
        for (size_t i = 0; i < ranks; i++) {
            struct ncs_culprit c = { .rank = rank[i], .call = f->call, .comm_rank = comm_rank[i] };
            NCS_PUSH(out->culprit, out->culprits, culprit_room, c);
        }
        ncs_format_ranks(&s, rank, ranks);
        ncs_str_addf(&s, " %s on %s", skipped ? "made too many calls" : "made too few calls", comm->name);
        out->why = ncs_plain(ncs_str_take(&s));
    }
    ncs_free(rank);
    ncs_free(comm_rank);
    return tied;
}

/* The rank that the other reading of an unmatched message blames, in *out: the one that made the message, where its
 * counterpart is inserted; the one that did not make its counterpart, where the message is left out. False = there is no other
 * reading. */
static bool other_end(const struct ncs_journal *j, const struct ncs_edit *e, struct ncs_culprit *out)
{
    if (e->comm < 0 || (size_t)e->comm >= j->comms || e->of_host)
        return false;
    const struct ncs_call *left_out = e->kind == NCS_EDIT_DELETE ? ncs_journal_call(j, e->comm, e->comm_rank, e->call) : NULL;
    int rank = e->kind == NCS_EDIT_INSERT && e->answer  ? e->model_comm_rank
               : left_out && ncs_call_is_pair(left_out) ? ncs_call_peer(left_out)
                                                        : -1;
    if (rank < 0 || rank >= j->comm[e->comm]->members)
        return false;
    *out = (struct ncs_culprit){ .call = left_out ? 0 : e->model_call, .line = left_out ? 0 : e->line, .comm_rank = rank };
    return true;
}

/* An unmatched message may lack its counterpart, or be one too many itself: fills *out with the
 * second reading. */
static bool message_turned_round(const struct ncs_diagnosis *d, const struct ncs_journal *j, const struct ncs_finding *f,
                                 struct ncs_finding *out)
{
    bool sent = strcmp(f->rule, "send-without-recv") == 0;
    struct ncs_culprit c;
    if ((!sent && strcmp(f->rule, "recv-without-send") != 0) || f->repairs != 1 || !other_end(j, &f->repair[0], &c))
        return false;
    const struct ncs_comm_info *comm = j->comm[f->repair[0].comm];
    bool inserts = f->repair[0].kind == NCS_EDIT_INSERT;
    struct ncs_str s = { 0 };
    size_t room = 0;
    c.rank = ncs_number_of(d, &comm->member[c.comm_rank]);
    ncs_format_ranks(&s, &c.rank, 1);
    ncs_str_addf(&s, " made a %s too %s on %s", sent == inserts ? "send" : "receive", inserts ? "many" : "few", comm->name);
    *out = (struct ncs_finding){ .rule = inserts ? "extra-call" : f->rule,
                                 .comm = ncs_copy_text(comm->name),
                                 .why = ncs_plain(ncs_str_take(&s)) };
    NCS_PUSH(out->culprit, out->culprits, room, c);
    return true;
}

/* ---- the decision ---- */

bool ncs_finding_is_likelier(const struct ncs_journal *j, const struct ncs_finding *f, const struct ncs_finding *than)
{
    /* A mismatch may name both sides, so fewer culprits would not make another finding likelier:
     * one side of a mismatch is wrong in any case. */
    if (is_mismatch(than) && !is_mismatch(f) && is_at_one_place(j, than))
        return false;
    return f->culprits < than->culprits || !changes_in_place(j, than);
}

/* True if the finding, or one of its alternatives, already blames the same ranks. */
static bool is_reported(const struct ncs_finding *f, const struct ncs_finding *other)
{
    for (size_t i = 0; i < f->others; i++)
        if (ncs_same_culprits(&f->other[i], other))
            return true;
    return ncs_same_culprits(f, other);
}

void ncs_diagnosis_add_other(struct ncs_diagnosis *d, const struct ncs_journal *j, size_t alternative)
{
    struct ncs_finding *first = ncs_first_cause(d->finding, d->findings);
    const struct ncs_alternative *a = &d->alternative[alternative];
    const struct ncs_finding *f = ncs_first_cause(a->finding, a->findings);
    bool smaller = first && f && (!changes_argument(j, first) || f->repairs < first->repairs);
    struct ncs_why why;
    if (NCS_BY(&why, NOTHING, smaller && f->culprits <= first->culprits && !is_reported(first, f)))
        add_other(first, in_short(f), why);
}

void ncs_diagnosis_doubt(struct ncs_diagnosis *d, const struct ncs_journal *j)
{
    struct ncs_finding *first = ncs_first_cause(d->finding, d->findings);
    if (!first || changes_in_place(j, first))
        return;
    for (size_t i = 0; i < d->alternatives; i++) {
        const struct ncs_alternative *a = &d->alternative[i];
        const struct ncs_finding *f = ncs_first_cause(a->finding, a->findings);
        if (f && a->as_good)
            ncs_diagnosis_add_other(d, j, i);
    }
}

/* True if the cause may be certain without a trial (diagnose/README.md, rule 21). A call too many at a place that others come to
 * may be one of the next round. */
static bool decide_is_shown(const struct ncs_diagnosis *d, const struct ncs_finding *first)
{
    size_t sure = 0, known = 0;
    for (size_t i = 0; i < d->alternatives; i++) {
        sure += d->alternative[i].sure;
        known += d->alternative[i].sure && d->alternative[i].known;
    }
    bool removes = first->repairs && first->repair[0].kind == NCS_EDIT_DELETE;
    bool alone = known > 0 && known == sure && (first->by_place || !removes);
    bool named = !first->culprits || first->culprit[0].rank >= 0;
    return named && !first->cycles && (alone || is_mismatch(first) || !ncs_finding_is_by_waiting(first));
}

/* True if f leaves a call out, and first makes the same call later: it was moved. */
static bool moves_what_is_left_out(const struct ncs_finding *f, const struct ncs_finding *first)
{
    bool inserts = false, removes = false;
    for (size_t i = 0; f->repairs == 1 && f->repair[0].kind == NCS_EDIT_DELETE && i < first->repairs; i++) {
        const struct ncs_edit *e = &first->repair[i];
        inserts |= e->kind == NCS_EDIT_INSERT && e->rank == f->repair[0].rank;
        removes |= e->kind == NCS_EDIT_DELETE && e->rank == f->repair[0].rank && e->call == f->repair[0].call;
    }
    return inserts && removes;
}

/* True if both blame the same ranks, one for a missing call and the other for one too many: the waits show better than a comparison
 * which it is. A wrong argument or order is no such word: the argument is likelier only where the ranks made the call at one place,
 * the order only where no missing call explains it. */
static bool is_another_word(const struct ncs_finding *f, const struct ncs_finding *first)
{
    if (is_mismatch(first) || first->cycles || (ncs_finding_is_read(first) && !moves_what_is_left_out(f, first)))
        return false;
    bool moves = f->repairs && (f->repair[0].kind == NCS_EDIT_INSERT || f->repair[0].kind == NCS_EDIT_DELETE);
    return moves && ncs_same_culprits(f, first);
}

/* Adds the alternatives that places support as well as the cause: of other ranks, or another mistake of the same ones. */
static void name_as_good(const struct ncs_diagnosis *d, struct ncs_finding *first)
{
    for (size_t i = 0; i < d->alternatives; i++) {
        const struct ncs_alternative *a = &d->alternative[i];
        const struct ncs_finding *f = ncs_first_cause(a->finding, a->findings);
        struct ncs_why why;
        bool good = f && NCS_BY(&why, NOTHING, a->as_good && !a->known && f->culprits <= first->culprits);
        bool named = !good || is_another_word(f, first);
        for (size_t k = 0; k < first->others && !named; k++)
            named = ncs_same_culprits(&first->other[k], f) && strcmp(first->other[k].rule, f->rule) == 0;
        if (!named)
            add_other(first, in_short(f), why);
    }
}

/* True if the call may be the one that the edit inserts like its model, made too late. */
static bool may_be_inserted(const struct ncs_call *own, const struct ncs_call *model, const struct ncs_edit *e)
{
    if (ncs_call_is_pair(model) || ncs_call_is_pair(own))
        return ncs_call_is_pair(model) && ncs_call_is_pair(own) && ncs_is_send(own) == (ncs_is_send(model) != e->answer);
    return ncs_calls_are_alike(own, model) && (own->unsaid & NCS_UNSAID_PLACE || ncs_at_same_place(own, model));
}

static bool comes_later(const struct ncs_journal *j, const struct ncs_edit *e)
{
    const struct ncs_call *model = ncs_journal_call(j, e->comm, e->model_comm_rank, e->model_call), *own;
    for (uint32_t n = e->call; model && (own = ncs_journal_call(j, e->comm, e->comm_rank, n)); n++)
        if (may_be_inserted(own, model, e))
            return true;
    return !model;
}

/* False if the counts of calls contradict the edits: its rank lacks more calls on a communicator than any other rank has made more, or
 * has more too many than any other has made fewer. A call that was only moved is neither. */
static bool decide_is_counted(const struct ncs_journal *j, const struct ncs_finding *f)
{
    for (size_t i = 0; i < f->repairs; i++) {
        const struct ncs_edit *e = &f->repair[i];
        int sign = e->kind == NCS_EDIT_INSERT ? 1 : e->kind == NCS_EDIT_DELETE ? -1 : 0;
        if (!sign || e->of_host || e->comm < 0 || e->comm_rank < 0 || e->comm_rank >= j->comm[e->comm]->members)
            continue;
        const struct ncs_comm_info *comm = j->comm[e->comm];
        int64_t apart = 0, edits = 0, own = comm->member[e->comm_rank].calls;
        for (int r = 0; r < comm->members; r++)
            apart = sign * (comm->member[r].calls - own) > apart ? sign * (comm->member[r].calls - own) : apart;
        for (size_t k = 0; k < f->repairs; k++)
            edits += f->repair[k].kind == e->kind && f->repair[k].comm == e->comm && f->repair[k].comm_rank == e->comm_rank &&
                     (sign < 0 || comes_later(j, &f->repair[k]));
        if (edits > apart)
            return false;
    }
    return true;
}

/* A cycle shows who waits, and calls of different kinds that not the same ones met. If several ranks are named for either, one rank's
 * mistake is the likelier cause, where places show it and no other rank's as well. NULL = there is none. */
static const struct ncs_alternative *one_behind(const struct ncs_diagnosis *d, const struct ncs_journal *j,
                                                const struct ncs_finding *first, struct ncs_why *why)
{
    const struct ncs_alternative *one = NULL;
    bool effect = first->cycles || (first->culprits > 1 && strcmp(first->rule, "kind-mismatch") == 0);
    for (size_t i = 0; i < d->alternatives && effect && !d->of_two; i++) {
        const struct ncs_alternative *a = &d->alternative[i];
        const struct ncs_finding *f = ncs_first_cause(a->finding, a->findings);
        if (!f || !a->sure || (one && a->tier > one->tier) || (first->cycles && !decide_is_counted(j, f)))
            continue;
        bool same = !one || ncs_same_culprits(f, ncs_first_cause(one->finding, one->findings));
        if (!NCS_BY(why, ONE_BEHIND, f->culprits == 1 && same))
            return NULL;
        one = one ? one : a;
    }
    return one;
}

/* A cause that only a trial could prove is likely. */
static void doubt_untried(const struct ncs_diagnosis *d, const struct ncs_journal *j, struct ncs_finding *first)
{
    if (first->certainty == NCS_CERTAIN && !decide_is_shown(d, first))
        first->certainty = NCS_LIKELY;
    if (first->certainty == NCS_LIKELY && !changes_argument(j, first))
        name_as_good(d, first);
    if (!first->others && ncs_diagnosis_may_be_shifted(d, j, first))
        ncs_finding_doubt_step(first);
}

void ncs_diagnosis_doubt_launched(struct ncs_diagnosis *d, const struct ncs_journal *j)
{
    struct ncs_finding *first = ncs_first_cause(d->finding, d->findings);
    if (first && first->launched && !first->tried && !changes_argument(j, first))
        doubt_untried(d, j, first);
}

void ncs_diagnosis_decide(struct ncs_diagnosis *d, const struct ncs_journal *j)
{
    struct ncs_finding *first = ncs_first_cause(d->finding, d->findings);
    struct ncs_why why = { 0 };
    const struct ncs_alternative *behind = first ? one_behind(d, j, first, &why) : NULL;
    for (size_t i = 0; i < d->alternatives && first; i++) {
        const struct ncs_alternative *a = &d->alternative[i];
        struct ncs_finding *f = ncs_first_cause(a->finding, a->findings);
        if ((a != behind && !a->likelier) || a->known || !f || is_another_word(f, first))
            continue;
        why = a == behind ? why : a->likelier_by;
        ncs_decided(f, why, "instead of %s", first->rule);
        add_other(f, in_short(first), why);
        ncs_diagnosis_prefer(d, i, true, why);
        return;
    }
    if (!first)
        return;
    struct ncs_finding turned;
    doubt_untried(d, j, first);
    if (first->others || changes_in_place(j, first))
        return;
    if (NCS_BY(&why, NOTHING, turned_round(d, j, first, &turned) || message_turned_round(d, j, first, &turned)))
        add_other(first, turned, why);
}

void ncs_diagnosis_soften(struct ncs_diagnosis *d)
{
    for (size_t i = 0; i < d->findings; i++)
        if (d->finding[i].certainty == NCS_CERTAIN)
            d->finding[i].certainty = NCS_LIKELY;
}

void ncs_diagnosis_turn_round(struct ncs_diagnosis *d, const struct ncs_journal *j)
{
    struct ncs_finding turned, *first = ncs_first_cause(d->finding, d->findings);
    struct ncs_why why;
    if (!first || first->others)
        return;
    if (NCS_BY(&why, NOTHING, turned_round(d, j, first, &turned) || message_turned_round(d, j, first, &turned)))
        add_other(first, turned, why);
}
