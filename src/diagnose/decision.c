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

static void note_decision(struct ncs_finding *f, struct ncs_why why, const char *fmt, va_list args)
{
    if (!ncs_decisions_kept)
        return;
    ncs_str_addf(&f->weighed, "%s: ", ncs_decision_name(why.decision));
    ncs_str_addv(&f->weighed, fmt, args);
    add_place_of_code(&f->weighed, why.file, why.line);
}

void ncs_decided(struct ncs_finding *f, struct ncs_why why, const char *fmt, ...)
{
    va_list args;
    f->decided = why.decision;
    va_start(args, fmt);
    note_decision(f, why, fmt, args);
    va_end(args);
}

void ncs_kept(struct ncs_finding *f, struct ncs_why why, const char *fmt, ...)
{
    va_list args;
    f->kept = why.decision;
    va_start(args, fmt);
    note_decision(f, why, fmt, args);
    va_end(args);
}

void ncs_weighed_loser(struct ncs_finding *f, const struct ncs_finding *loser)
{
    if (!ncs_decisions_kept)
        return;
    ncs_str_addf(&f->weighed, "before it, %s, decided by %s: %s\n", loser->rule, ncs_decision_name(loser->decided),
                 loser->why ? ncs_sentence_text(loser->why) : "");
    const char *end;
    for (const char *at = loser->weighed.bytes ? loser->weighed.text : ""; (end = strchr(at, '\n')) != NULL; at = end + 1)
        ncs_str_addf(&f->weighed, "  %.*s\n", (int)(end - at), at);
}

void ncs_weighed_at(struct ncs_str *weighed, const char *file, int line, const char *fmt, ...)
{
    va_list args;
    if (!ncs_decisions_kept)
        return;
    va_start(args, fmt);
    ncs_str_addv(weighed, fmt, args);
    va_end(args);
    add_place_of_code(weighed, file, line);
}
