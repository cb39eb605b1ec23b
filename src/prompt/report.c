/* Prints the effects of the last line: replies, failures, and waiting ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/fill.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/safe.h"
#include "prompt/private.h"
#include "prompt/reference.h"
#include "report/page.h"
#include "report/waits.h"

/* ---- replies ---- */

static bool same_reply(const struct ncs_reply *a, const struct ncs_reply *b)
{
    return a->kind == b->kind && a->line == b->line &&
           (a->text == b->text || (a->text && b->text && strcmp(a->text, b->text) == 0));
}

struct fold {
    const struct ncs_reply *reply;
    int *rank;
    size_t ranks, room;
};

static void add_to_fold(struct fold **fold, size_t *folds, size_t *room, const struct ncs_reply *r)
{
    size_t i = 0;
    while (i < *folds && !same_reply((*fold)[i].reply, r))
        i++;
    if (i == *folds) {
        struct fold new = { .reply = r };
        NCS_PUSH(*fold, *folds, *room, new);
    }
    struct fold *f = &(*fold)[i];
    NCS_PUSH(f->rank, f->ranks, f->room, r->rank);
    for (size_t k = f->ranks - 1; k > 0 && f->rank[k - 1] > f->rank[k]; k--) {
        f->rank[k] = f->rank[k - 1];
        f->rank[k - 1] = r->rank;
    }
}

/* Orders lines by number, entries of one line by first rank. */
static int by_line(const void *a, const void *b)
{
    const struct fold *x = a, *y = b;
    if (x->reply->line != y->reply->line)
        return x->reply->line < y->reply->line ? -1 : 1;
    return x->rank[0] - y->rank[0];
}

void prompt_help(const struct ncs_prompt *p, const char *topic, struct ncs_str *out)
{
    size_t count;
    struct ncs_str page = { 0 }, reference = { 0 };
    bool in_lua = ncs_reference(topic, &reference);
    if (in_lua)
        ncs_fill_lines(out, reference.text, prompt_columns(p));
    ncs_str_free(&reference);
    bool explained = ncs_explain(topic, prompt_columns(p), &page);
    if (explained)
        ncs_str_addf(out, "%s%s", in_lua ? "\n" : "", page.text);
    ncs_str_free(&page);
    if (in_lua || explained)
        return;
    const char *const *names = ncs_explained(&count);
    const char *near = ncs_nearest(topic, names, count);
    ncs_str_addf(out, "there is no page about `%s`%s%s%s\n", topic, near ? "; did you mean `" : "", near ? near : "",
                 near ? "`?" : "");
}

static void add_reply(struct ncs_prompt *p, const struct ncs_reply *r, const char *who, int width, struct ncs_str *out)
{
    switch (r->kind) {
    case NCS_REPLY_NOTHING: break;
    case NCS_REPLY_VALUES:
    case NCS_REPLY_ERROR:
        ncs_str_addf(out, "%-*s  %s", width, who, r->kind == NCS_REPLY_ERROR ? "error: " : "");
        ncs_safe_line(out, r->text);
        ncs_str_add(out, "\n");
        break;
    case NCS_REPLY_HELP:
        if (*r->text)
            prompt_help(p, r->text, out);
        else
            prompt_overview(p, out);
        break;
    case NCS_REPLY_INTERRUPTED:
        ncs_str_addf(out, "%-*s  interrupted", width, who);
        if (ncs_run_so_far(p->run)->skip_reason)
            ncs_str_addf(out, ": %s", ncs_run_so_far(p->run)->skip_reason);
        ncs_str_add(out, "\n");
        break;
    }
}

static void remember_reply(struct ncs_prompt *p, const struct ncs_reply *r)
{
    struct last_reply *last = &p->last[r->rank];
    p->helped |= r->kind == NCS_REPLY_HELP;
    if (r->kind != NCS_REPLY_VALUES && r->kind != NCS_REPLY_ERROR)
        return;
    ncs_free(last->text);
    *last = (struct last_reply){ ncs_copy_text(r->text), r->kind == NCS_REPLY_ERROR };
}

static void prompt_report_replies(struct ncs_prompt *p)
{
    size_t count, folds = 0, room = 0, width = 0;
    const struct ncs_reply *reply = ncs_session_replies(p->session, &count);
    struct fold *fold = NULL;
    struct ncs_str out = { 0 };
    for (size_t i = 0; i < count; i++) {
        add_to_fold(&fold, &folds, &room, &reply[i]);
        remember_reply(p, &reply[i]);
    }
    if (folds)
        qsort(fold, folds, sizeof *fold, by_line);
    struct ncs_str *who = ncs_new(folds * sizeof *who);
    for (size_t i = 0; i < folds; i++) {
        ncs_str_add_many_ranks(&who[i], fold[i].rank, fold[i].ranks);
        if (who[i].bytes > width)
            width = who[i].bytes;
    }
    for (size_t i = 0; i < folds; i++) {
        add_reply(p, fold[i].reply, who[i].text, (int)width, &out);
        ncs_str_free(&who[i]);
        ncs_free(fold[i].rank);
    }
    ncs_free(who);
    ncs_free(fold);
    ncs_session_forget(p->session);
    prompt_write(p, &out);
}

/* ---- failures ---- */

/* Selects the new wrong results; the list is ordered by calls, not by time. */
static struct ncs_wrong *new_wrongs(struct ncs_prompt *p, struct ncs_result *r)
{
    struct ncs_wrong *new = ncs_new(r->wrongs * sizeof *new);
    size_t count = 0;
    for (size_t i = 0; i < r->wrongs; i++) {
        uint64_t call = r->wrong[i].call->id;
        if (ncs_map_number(&p->wrongs_reported, call))
            continue;
        ncs_map_put_number(&p->wrongs_reported, call, 1);
        new[count++] = r->wrong[i];
    }
    uint64_t since = r->wrong_count - p->wrongs_counted;
    p->wrongs_counted = r->wrong_count;
    r->wrong = new;
    r->wrongs = count;
    r->wrong_count = since > count ? since : count;
    return new;
}

static void prompt_report_failures(struct ncs_prompt *p)
{
    struct ncs_result new = *ncs_run_so_far(p->run);
    struct ncs_str out = { 0 };
    size_t expects = new.expects;
    /* Compares serials, not counts: a thread that joins another takes over its error. */
    for (; new.errors &&new.error->serial <= p->errors_reported; new.errors--)
        new.error++;
    if (new.errors)
        p->errors_reported = new.error[new.errors - 1].serial;
    if (p->expects_reported) { /* nothing may be added to no address, not even zero */
        new.expect += p->expects_reported;
        new.expects -= p->expects_reported;
    }
    new.expect_failed = new.expects;
    struct ncs_wrong *wrong = new_wrongs(p, &new);
    struct ncs_report_run run = { .scenario = p->scenario, .result = &new };
    struct ncs_text t = { .run = &run, .result = &new, .style = &p->style, .out = &out };
    if (new.errors)
        ncs_text_errors(&t);
    if (new.wrong_count)
        ncs_text_wrongs(&t);
    if (new.expects)
        ncs_text_expects(&t);
    p->expects_reported = expects;
    ncs_free(wrong);
    prompt_write(p, &out);
}

/* ---- waiting ranks ---- */

void prompt_waiting(struct ncs_prompt *p, bool all, struct ncs_str *out)
{
    static const struct ncs_waits_words words = { "is at the prompt", "are at the prompt", ":waits" };
    ncs_waits_tree_in(&p->state, all, &words, out);
}

bool prompt_somebody_waits(const struct ncs_prompt *p)
{
    for (int r = 0; r < prompt_ranks(p); r++)
        if (prompt_busy(p, r))
            return true;
    return false;
}

static void prompt_report_waiting(struct ncs_prompt *p)
{
    struct ncs_str now = { 0 };
    if (prompt_somebody_waits(p))
        prompt_waiting(p, false, &now);
    bool same = now.bytes == p->waiting_printed.bytes && (!now.bytes || strcmp(now.text, p->waiting_printed.text) == 0);
    ncs_str_clear(&p->waiting_printed);
    if (now.bytes)
        ncs_str_add(&p->waiting_printed, now.text);
    if (same)
        ncs_str_free(&now);
    else
        prompt_write(p, &now);
}

void prompt_report(struct ncs_prompt *p)
{
    prompt_report_replies(p);
    prompt_look(p);
    prompt_report_failures(p);
    prompt_report_waiting(p);
}
