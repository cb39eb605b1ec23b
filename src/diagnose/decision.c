/* The names of decisions, and the lines about them that a finding keeps. */
#include "diagnose/decision.h"

#include <string.h>

#include "diagnose/finding.h"

bool ncs_decisions_kept;

static const struct {
    const char *name, *text;
} decisions[] = {
    [NCS_DECIDED_NOTHING] = { NULL, NULL },
#define NCS_DECISION(id, name, text) [NCS_DECIDED_##id] = { name, text },
#include "diagnose/decisions.def"
#undef NCS_DECISION
};

const char *ncs_decision_name(enum ncs_decision decision)
{
    return decisions[decision].name;
}

const char *ncs_decision_text(enum ncs_decision decision)
{
    return decisions[decision].text;
}

/* " (run/prove.c:150)": the path begins behind the folder of all code. */
static void add_place_of_code(struct ncs_str *s, const char *file, int line)
{
    for (const char *at; (at = strstr(file, "src/")) != NULL;)
        file = at + strlen("src/");
    ncs_str_addf(s, " (%s:%d)\n", file, line);
}

void ncs_weighed_by(struct ncs_str *weighed, struct ncs_why by, const char *fmt, ...)
{
    va_list args;
    if (!ncs_decisions_kept)
        return;
    if (by.decision)
        ncs_str_addf(weighed, "%s: ", ncs_decision_name(by.decision));
    va_start(args, fmt);
    ncs_str_addv(weighed, fmt, args);
    va_end(args);
    add_place_of_code(weighed, by.file, by.line);
}

void ncs_format_candidate(struct ncs_str *out, const struct ncs_finding *f)
{
    if (f->candidate)
        ncs_str_addf(out, "candidate %zu, ", f->candidate);
    ncs_str_add(out, f->rule);
}

void ncs_weighed_loser(struct ncs_finding *f, const struct ncs_finding *loser)
{
    if (!ncs_decisions_kept)
        return;
    ncs_str_add(&f->weighed, "before it, ");
    ncs_format_candidate(&f->weighed, loser);
    ncs_str_addf(&f->weighed, ", decided by %s: %s\n", ncs_decision_name(loser->decided),
                 loser->why ? ncs_sentence_text(loser->why) : "");
    const char *end;
    for (const char *at = loser->weighed.bytes ? loser->weighed.text : ""; (end = strchr(at, '\n')) != NULL; at = end + 1)
        ncs_str_addf(&f->weighed, "  %.*s\n", (int)(end - at), at);
}
