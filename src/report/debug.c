/* --debug=diagnosis: why each finding won, the candidates and alternatives, and the trials. */
#include "base/safe.h"
#include "report/text.h"

static void add_debug(const struct ncs_text *t, const char *line)
{
    ncs_str_add(t->out, "  debug  ");
    ncs_safe_line(t->out, line);
    ncs_str_add(t->out, "\n");
}

/* A line each. */
static void add_weighed(const struct ncs_text *t, const struct ncs_str *weighed, struct ncs_str *line)
{
    for (size_t at = 0, end; at < weighed->bytes; at = end + 1) {
        for (end = at; weighed->text[end] != '\n';)
            end++;
        ncs_str_clear(line);
        ncs_str_add(line, "  ");
        ncs_str_add_bytes(line, weighed->text + at, end - at);
        add_debug(t, line->text);
    }
}

static void add_trial(const struct ncs_text *t, const struct ncs_trial *trial, struct ncs_str *line)
{
    ncs_str_clear(line);
    ncs_str_add(line, "  trial");
    if (trial->candidate)
        ncs_str_addf(line, " of candidate %zu", trial->candidate);
    ncs_str_addf(line, ": %s:", trial->rule);
    for (size_t i = 0; i < trial->edits; i++)
        ncs_str_addf(line, "%s %s", i ? ";" : "", trial->edit[i].text ? trial->edit[i].text : "?");
    ncs_str_addf(line, ": %s", ncs_verdict_name(trial->verdict));
    ncs_str_add(line, trial->partial || trial->verdict == NCS_MEMORY ? ", no evidence"
                      : ncs_trial_goes_on(trial)                     ? ", stands"
                      : trial->one_of_several                        ? ", kept as one of several mistakes"
                                                                     : ", refuted");
    if (trial->partial)
        ncs_str_add(line, ": only a part of the edits was made");
    if (trial->verdict == NCS_HANG && trial->moved)
        ncs_str_add(line, ", other ranks went on");
    if (trial->returns)
        ncs_str_addf(line, ", applied %zu more time%s", trial->returns, trial->returns > 1 ? "s" : "");
    if (trial->behind)
        ncs_str_addf(line, ", %zu change%s behind it", trial->behind, trial->behind > 1 ? "s" : "");
    if (trial->diagnosed)
        ncs_str_addf(line, ", the finding is %s%s%s", trial->gone ? "gone" : "still there", trial->left ? ", what is left: " : "",
                     trial->left ? trial->left : "");
    add_debug(t, line->text);
}

void ncs_text_debug(const struct ncs_text *t)
{
    const struct ncs_diagnosis *d = &t->result->diagnosis;
    struct ncs_str line = { 0 };
    for (size_t i = 0; i < d->findings && ncs_decisions_kept; i++) {
        const struct ncs_finding *f = &d->finding[i];
        ncs_str_clear(&line);
        ncs_str_addf(&line, "finding %zu, ", i + 1);
        ncs_format_candidate(&line, f);
        ncs_str_addf(&line, ", decided by %s: %s", ncs_decision_name(f->decided), ncs_decision_text(f->decided));
        if (f->kept)
            ncs_str_addf(&line, "; kept by %s: %s", ncs_decision_name(f->kept), ncs_decision_text(f->kept));
        add_debug(t, line.text);
        add_weighed(t, &f->weighed, &line);
    }
    if (d->weighed.bytes)
        add_debug(t, "explanations, the cheapest first:");
    add_weighed(t, &d->weighed, &line);
    for (size_t i = 0; i < t->result->proof.trials && ncs_decisions_kept; i++)
        add_trial(t, &t->result->proof.trial[i], &line);
    ncs_str_free(&line);
}
