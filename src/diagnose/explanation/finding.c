/* Turns an explanation into a cause, asks the one rule that has the words for it, and adds the
 * edits. Also rates explanations: whether one is likelier than the others, and sure. */
#include "diagnose/explanation/explain.h"

#include "base/mem.h"

/* True if all changes are of one kind: no rule has words for a mixture. */
static bool of_one_kind(const struct ncs_explanation *c)
{
    for (size_t i = 1; i < c->changes; i++)
        if (c->change[i].kind != c->change[0].kind)
            return false;
    return true;
}

/* The first change of a call; NULL = all are of hosts. Barriers, keys and threads beside calls
 * appear in the edits alone. */
static const struct ncs_change *finding_first_call(const struct ncs_explanation *e)
{
    for (size_t i = 0; i < e->changes; i++)
        if (!e->change[i].host)
            return &e->change[i];
    return NULL;
}

/* The position of an inserted or removed call among the collectives of its rank on that
 * communicator. */
static uint32_t position_of(const struct ncs_explanations *s, const struct ncs_change *c)
{
    const struct ncs_course *course = &s->courses.of[c->course];
    uint32_t at = s->q->comm[c->comm].seq[c->comm_rank].base;
    for (size_t i = 0; i < c->step && i < course->steps; i++) {
        const struct ncs_call *call = course->step[i].call;
        if (call->number && call->comm == c->comm && call->comm_rank == c->comm_rank && ncs_position(s->q, call) != UINT32_MAX)
            at = ncs_position(s->q, call) + 1;
    }
    return at;
}

/* The unmet wait for the finding's rows, the earliest one on the communicator: at which the rank is
 * missed, or (missed: false) waits. A meeting of calls that disagree always fits. */
static const struct ncs_unmet *finding_unmet_of(const struct ncs_explanations *s, int comm, int comm_rank, bool missed)
{
    const struct ncs_unmet *best = NULL;
    for (size_t i = 0; i < s->q->unmets; i++) {
        const struct ncs_unmet *n = &s->q->unmet[i];
        if (n->comm != comm || !n->call || ncs_is_meeting(n) || n->kind == NCS_UNMET_GATE)
            continue;
        bool fits = n->kind == NCS_UNMET_STUCK;
        for (size_t k = 0; k < n->absents && missed; k++)
            fits |= n->absent[k].comm_rank == comm_rank;
        for (size_t k = 0; k < n->presents && !missed; k++)
            fits |= n->present[k]->comm_rank == comm_rank;
        if (fits && (!best || n->call->number < best->call->number))
            best = n;
    }
    return best;
}

/* The number of the next counted call on its communicator from the step on. */
static uint32_t number_at(const struct ncs_explanations *s, const struct ncs_change *c)
{
    const struct ncs_course *course = &s->courses.of[c->course];
    for (size_t i = c->step; i < course->steps; i++)
        if (course->step[i].call->number && course->step[i].call->comm == c->comm &&
            course->step[i].call->comm_rank == c->comm_rank)
            return course->step[i].call->number;
    return s->q->journal->comm[c->comm]->member[c->comm_rank].calls + 1;
}

static struct ncs_edit edit_of(const struct ncs_explanations *s, const struct ncs_change *c)
{
    if (c->host)
        return ncs_host_edit(s, c);
    const struct ncs_call *m = c->model;
    struct ncs_edit e = { .kind = NCS_EDIT_DELETE,
                          .rank = s->courses.of[c->course].rank,
                          .comm = c->comm,
                          .comm_rank = c->comm_rank,
                          .call = m->number,
                          .model = -1,
                          .other_comm = -1,
                          .other_comm_rank = -1,
                          .line = m->place.line };
    if (c->like)
        e.place = c->like->call->place;
    if (c->kind == NCS_CHANGE_PUT_IN) {
        e.kind = NCS_EDIT_INSERT;
        e.call = number_at(s, c);
        e.model = m->rank;
        e.model_comm_rank = m->comm_rank;
        e.model_call = m->number;
        e.answer = c->answer;
        e.before = ncs_edit_before(&s->courses.of[c->course], c->step);
        e.in_order = true;
        if (!c->answer && c->peer >= 0 && c->peer != ncs_step_peer(m)) {
            e.argument = "peer";
            e.value = c->peer;
        }
    } else if (c->kind == NCS_CHANGE_PEER) {
        e.kind = NCS_EDIT_ARGUMENT;
        e.argument = "peer";
        e.value = c->peer;
    } else if (c->kind == NCS_CHANGE_COMM) {
        e.kind = NCS_EDIT_ARGUMENT;
        e.argument = "comm";
        e.comm = m->comm;
        e.comm_rank = m->comm_rank;
        e.value = e.other_comm = c->comm;
        e.other_comm_rank = c->comm_rank;
    }
    return e;
}

/* Collectives that are missing or in excess on one communicator. Changes on other communicators
 * appear in the edits alone. */
static bool format_shift(const struct ncs_explanation *b, struct ncs_cause *r, struct ncs_drafts *all)
{
    const struct ncs_explanations *s = b->of;
    const struct ncs_change *first = finding_first_call(b);
    bool skipped = first->kind == NCS_CHANGE_PUT_IN;
    const struct ncs_unmet *n = finding_unmet_of(s, first->comm, first->comm_rank, skipped);
    if (!n)
        return false;
    struct ncs_call_divergence p = { .how = skipped ? NCS_DIVERGENCE_SKIPPED : NCS_DIVERGENCE_EXTRA };
    size_t room = 0;
    for (size_t i = 0; i < b->changes; i++) {
        const struct ncs_change *c = &b->change[i];
        if (c->comm != first->comm)
            continue;
        p.shift += c->comm_rank == first->comm_rank;
        if (!p.minority_size || p.minority[p.minority_size - 1] != c->comm_rank)
            NCS_PUSH(p.minority, p.minority_size, room, c->comm_rank);
    }
    p.at = position_of(s, first);
    p.number = first->model->number;
    /* any rank that made the right calls will do */
    p.model = skipped ? first->model->comm_rank : n->absents ? n->absent[0].comm_rank : -1;
    for (int k = 0; p.model < 0 && k < s->q->journal->comm[first->comm]->nranks; k++)
        p.model = k != first->comm_rank ? k : -1;
    r->kind = n->kind == NCS_UNMET_STUCK ? NCS_CAUSE_DIFFER : NCS_CAUSE_ABSENT;
    r->unmet = n;
    r->divergence = &p;
    r->rule = skipped ? "skipped-call" : "extra-call";
    size_t absent_room = 0;
    for (size_t i = 0; i < n->absents && r->kind == NCS_CAUSE_ABSENT; i++)
        if (!skipped || n->absent[i].comm_rank == first->comm_rank)
            NCS_PUSH(r->absent, r->absents, absent_room, &n->absent[i]);
    if (r->kind == NCS_CAUSE_DIFFER) {
        r->call = n->present;
        r->calls = n->presents;
    }
    bool any = (r->kind == NCS_CAUSE_DIFFER || r->absents) && p.model >= 0 &&
               ncs_call_at(s->q, first->comm, skipped ? p.model : p.minority[0], p.at);
    if (any)
        ncs_judge(s->q, r, all);
    ncs_free(r->absent);
    ncs_free(p.minority);
    return any;
}

/* A missing send or receive for which a call waits. */
static bool format_answer(const struct ncs_explanation *b, struct ncs_cause *r, struct ncs_drafts *all)
{
    const struct ncs_explanations *s = b->of;
    const struct ncs_change *first = finding_first_call(b);
    for (size_t i = 0; i < s->q->unmets; i++) {
        const struct ncs_unmet *n = &s->q->unmet[i];
        if (n->kind != NCS_UNMET_PAIR || n->call != first->model || !n->absents)
            continue;
        const struct ncs_absent *absent = &n->absent[0];
        r->kind = NCS_CAUSE_ABSENT;
        r->unmet = n;
        r->absent = &absent;
        r->absents = 1;
        r->rule = ncs_is_send(n->call) ? "send-without-recv" : "recv-without-send";
        ncs_judge(s->q, r, all);
        return true;
    }
    return false;
}

static bool format_elsewhere(const struct ncs_explanation *b, struct ncs_cause *r, struct ncs_drafts *all)
{
    const struct ncs_call **call = ncs_new(b->changes * sizeof *call);
    for (size_t i = 0; i < b->changes; i++)
        call[i] = b->change[i].model;
    r->kind = NCS_CAUSE_ELSEWHERE;
    r->rule = "wrong-comm";
    r->call = call;
    r->calls = b->changes;
    r->comm = b->change[0].comm;
    r->unmet = finding_unmet_of(b->of, call[0]->comm, call[0]->comm_rank, false);
    if (!r->unmet) /* the wrong call met others, so only the ranks of the right communicator wait */
        r->unmet = finding_unmet_of(b->of, b->change[0].comm, b->change[0].comm_rank, true);
    bool fine = r->unmet != NULL;
    if (fine)
        ncs_judge(b->of->q, r, all);
    ncs_free(call);
    return fine;
}

/* The unmet wait of a message like this one, by the same rank to the same peer: of several rounds
 * the call that waits may be another one. */
static const struct ncs_unmet *unanswered(const struct ncs_explanations *s, const struct ncs_call *call)
{
    for (size_t i = 0; i < s->q->unmets; i++) {
        const struct ncs_unmet *n = &s->q->unmet[i];
        if (n->kind == NCS_UNMET_PAIR && n->call && n->absents && n->comm == call->comm && n->call->fn == call->fn &&
            n->call->comm_rank == call->comm_rank && ncs_call_peer(n->call) == ncs_call_peer(call))
            return n;
    }
    return NULL;
}

/* A send or receive in excess, which no call answers. False = the rule does not match. */
static bool format_excess(const struct ncs_explanation *b, struct ncs_cause *r, struct ncs_drafts *all)
{
    const struct ncs_call *call = finding_first_call(b)->model;
    r->unmet = unanswered(b->of, call);
    if (!r->unmet)
        return false;
    const struct ncs_absent *absent = &r->unmet->absent[0];
    r->kind = NCS_CAUSE_ABSENT;
    r->absent = &absent;
    r->absents = 1;
    r->excess = call;
    r->rule = ncs_is_send(call) ? "send-without-recv" : "recv-without-send";
    size_t before = all->count;
    ncs_judge(b->of->q, r, all);
    return all->count > before;
}

/* r->call has pairs: the call with the wrong peer, and the call that it should match. */
static bool format_peers(const struct ncs_explanation *b, struct ncs_cause *r, struct ncs_drafts *all)
{
    const struct ncs_call **call = ncs_new(2 * b->changes * sizeof *call);
    for (size_t i = 0; i < b->changes; i++) {
        call[2 * i] = b->change[i].model;
        call[2 * i + 1] = b->change[i].wants;
    }
    r->kind = NCS_CAUSE_ELSEWHERE;
    r->rule = "wrong-peer";
    r->call = call;
    r->calls = 2 * b->changes;
    for (size_t i = 0; i < b->of->q->unmets && !r->unmet; i++)
        if (b->of->q->unmet[i].call == call[0] || b->of->q->unmet[i].call == call[1])
            r->unmet = &b->of->q->unmet[i];
    bool fine = r->unmet != NULL;
    if (fine)
        ncs_judge(b->of->q, r, all);
    ncs_free(call);
    return fine;
}

void ncs_explanation_format_edits(const struct ncs_explanation *e, struct ncs_str *out)
{
    for (size_t i = 0; i < e->changes; i++) {
        struct ncs_edit edit = edit_of(e->of, &e->change[i]);
        char *text = ncs_format_edit(e->of->q, &edit);
        ncs_str_addf(out, "%s%s", i ? "; " : "", text);
        ncs_free(text);
    }
}

bool ncs_explanation_format(const struct ncs_explanation *e, struct ncs_drafts *all)
{
    const struct ncs_change *first = finding_first_call(e);
    if (!of_one_kind(e))
        return false;
    struct ncs_edit *edit = ncs_new(e->changes * sizeof *edit);
    for (size_t i = 0; i < e->changes; i++)
        edit[i] = edit_of(e->of, &e->change[i]);
    struct ncs_cause r = { .comm = -1, .rank = -1, .edit = edit, .edits = e->changes };
    bool message = first && ncs_call_is_pair(first->model), one_sided = first && ncs_call_is_one_sided(first->model);
    bool fine = !first                           ? ncs_format_hosts(e, &r, all)
                : first->kind == NCS_CHANGE_COMM ? format_elsewhere(e, &r, all)
                : first->kind == NCS_CHANGE_PEER ? first->wants && format_peers(e, &r, all)
                : first->answer                  ? format_answer(e, &r, all)
                : message ? first->kind == NCS_CHANGE_LEAVE_OUT && e->changes == 1 && format_excess(e, &r, all)
                          : !one_sided && format_shift(e, &r, all);
    /* no rule has words: some of its own (text.c) */
    struct ncs_why why;
    if (NCS_BY(&why, WORDED, !fine && first && first->kind != NCS_CHANGE_COMM))
        fine = ncs_explanation_word(e, edit, why, all);
    ncs_free(edit);
    return fine;
}

/* True if the communicator is a part of a split with parts of several sizes: then some rank may be
 * in the wrong part, with a right course. */
static bool may_be_misplaced(const struct ncs_journal *j, int comm)
{
    const struct ncs_comm_info *own = j->comm[comm];
    for (size_t c = 0; c < j->comms && own->split; c++)
        if (j->comm[c]->parent == own->parent && j->comm[c]->split == own->split && j->comm[c]->nranks != own->nranks)
            return true;
    return false;
}

/* Compares costs, without the decision between inserting a call and leaving one out: that depends
 * on which ranks are right. */
static bool is_as_cheap(const struct ncs_cost *a, const struct ncs_cost *b)
{
    return a->ranks == b->ranks && a->size == b->size && a->further == b->further && !a->kind == !b->kind;
}

/* The changes of both are sorted by course. */
static bool change_same_courses(const struct ncs_explanation *a, const struct ncs_explanation *b)
{
    size_t i = 0, k = 0;
    while (i < a->changes && k < b->changes && a->change[i].course == b->change[k].course) {
        size_t course = a->change[i].course;
        while (i < a->changes && a->change[i].course == course)
            i++;
        while (k < b->changes && b->change[k].course == course)
            k++;
    }
    return i == a->changes && k == b->changes;
}

/* True if an explanation that blames other courses is as cheap. Only those behind e need a look:
 * the list is sorted. */
static bool has_equal(const struct ncs_explanation *e)
{
    for (const struct ncs_explanation *o = e + 1; o < e->of->best + e->of->count; o++)
        if (is_as_cheap(&o->cost, &e->cost) && !change_same_courses(o, e))
            return true;
    return false;
}

bool ncs_explanation_is_of_messages(const struct ncs_explanation *e)
{
    return e->change[0].kind <= NCS_CHANGE_LEAVE_OUT && ncs_call_is_pair(e->change[0].model);
}

bool ncs_explanation_brings_closer(const struct ncs_explanation *e)
{
    return e->cost.further < 0;
}

bool ncs_explanation_is_as_good(const struct ncs_explanation *e)
{
    /* If two hosts wait for each other at a barrier, no change brings either of them
     * closer to others. */
    bool close = ncs_explanation_brings_closer(e) || !finding_first_call(e);
    return is_as_cheap(&e->cost, &e->of->best[0].cost) && close;
}

/* True if most ranks of the communicator (for hosts: of the run) would have to be wrong. */
static bool blames_most(const struct ncs_explanation *e)
{
    bool host = e->change[0].host != NULL;
    size_t all = host ? e->of->courses.count : (size_t)e->of->q->journal->comm[e->change[0].comm]->nranks;
    return 2 * e->cost.ranks > all;
}

static bool some_may_be_misplaced(const struct ncs_explanations *s)
{
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->best[i].changes; k++)
            if (!s->best[i].change[k].host && may_be_misplaced(s->q->journal, s->best[i].change[k].comm))
                return true;
    return false;
}

size_t ncs_explanation_tier(const struct ncs_explanation *e)
{
    size_t tier = 0;
    for (const struct ncs_explanation *o = e->of->best; o < e; o++)
        tier += !is_as_cheap(&o->cost, &o[1].cost);
    return tier;
}

static bool blames_few(const struct ncs_explanation *e)
{
    return !blames_most(e) && !some_may_be_misplaced(e->of);
}

bool ncs_explanation_is_sure(const struct ncs_explanation *e)
{
    return blames_few(e) && ncs_explanation_brings_closer(e);
}

bool ncs_explanation_is_placed(const struct ncs_explanation *e)
{
    for (size_t i = 0; i < e->changes; i++)
        if (e->change[i].answer && !e->change[i].like)
            return false;
    return e->cost.further <= 0 && !some_may_be_misplaced(e->of);
}

bool ncs_explanation_is_likelier(const struct ncs_explanation *e)
{
    return e == e->of->best && !has_equal(e) && blames_few(e);
}

size_t ncs_explanations_count(const struct ncs_explanations *e)
{
    return e ? e->count : 0;
}

const struct ncs_explanation *ncs_explanation_at(const struct ncs_explanations *e, size_t i)
{
    return &e->best[i];
}
