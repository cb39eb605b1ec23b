/* The problems of a run at places of files, for the formats that annotate sources. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/format.h"
#include "report/text.h"

struct problems {
    const struct ncs_report_run *run;
    void (*add)(const struct ncs_report_problem *p, struct ncs_str *out);
    struct ncs_str *out;
    struct ncs_str file; /* room for a name */
};

/* The file of a line: a module's if only calls of the module are on it. NULL = it is not known which file is meant. */
static const char *problem_file(const struct ncs_report_run *run, int line)
{
    const char *own = run->scenario->file, *module = NULL;
    const struct ncs_journal *j = run->result->journal;
    bool in_own = false;
    for (const struct ncs_call *c = j ? j->oldest : NULL; c; c = c->newer)
        if (c->place.line == line && c->place.file && own && strcmp(c->place.file, own) != 0)
            module = c->place.file;
        else if (c->place.line == line)
            in_own = true;
    return !module ? own : in_own ? NULL : module;
}

/* The path of a source file from the folder that the program is in, if the file is below it. */
static const char *problem_path(const char *path)
{
    char here[4096];
    size_t bytes = getcwd(here, sizeof here) ? strlen(here) : 0;
    return bytes && strncmp(path, here, bytes) == 0 && path[bytes] == '/' ? path + bytes + 1 : path;
}

/* Fills in the place. One that is no line of a file, as train_step+0x1a2, leaves the program alone. */
static void problem_locate(struct problems *to, int line, struct ncs_report_problem *p)
{
    const struct ncs_report_run *run = to->run;
    const struct ncs_report_places *places = run->places;
    const char *name = ncs_report_place(run, line), *colon = name ? strrchr(name, ':') : NULL, *file = NULL;
    struct ncs_report_source at;
    ncs_str_clear(&to->file);
    if (colon && places->source && places->source(places->arg, line, &at) && at.path) {
        file = problem_path(at.path);
        p->line = at.line;
    } else if (colon && colon[1 + strspn(colon + 1, "0123456789")] == '\0') { /* "/job/train.py:26" */
        ncs_str_add_bytes(&to->file, name, (size_t)(colon - name));
        file = to->file.text;
        p->line = atoi(colon + 1);
    } else if (!name && (file = problem_file(run, line)) != NULL) {
        p->line = line;
    }
    p->file = file ? file : run->scenario->file;
}

/* Adds the problem, with its text, which it frees. */
static void problem_add(struct problems *to, struct ncs_report_problem *p, struct ncs_str *text)
{
    struct ncs_str whole = { 0 };
    if (to->run->name)
        ncs_str_addf(&whole, "%s: ", to->run->name);
    ncs_str_add(&whole, text->text);
    ncs_report_name_places(to->run, &whole);
    p->text = whole.text;
    to->add(p, to->out);
    ncs_str_free(&whole);
    ncs_str_free(text);
}

static void problem_of_complaint(struct problems *to, const struct ncs_complaint *c)
{
    const struct ncs_source *source = to->run->complaints->source;
    struct ncs_report_problem p = { .level = c->warning ? "warning" : "error",
                                    .rule = ncs_verdict_name(NCS_INVALID),
                                    .file = source->file };
    struct ncs_str text = { 0 };
    p.line = ncs_source_line(source, c->at.at, &p.column);
    ncs_str_addf(&text, "%s%s%s", c->text, c->hint ? "\nhint: " : "", c->hint ? c->hint : "");
    problem_add(to, &p, &text);
}

static bool problem_is_error(const struct ncs_report_run *run, const struct ncs_finding *f)
{
    bool fails = f->level == NCS_LEVEL_ERROR && !run->as_expected;
    for (size_t i = 0; i < run->failing.rules && !fails; i++)
        fails = strcmp(run->failing.rule[i], f->rule) == 0;
    return fails;
}

/* True if an earlier finding says the same of the same line, for another rank. */
static bool problem_is_known(const struct ncs_diagnosis *d, size_t which)
{
    const struct ncs_finding *f = &d->finding[which];
    for (size_t i = 0; i < which; i++)
        if (strcmp(d->finding[i].rule, f->rule) == 0 && d->finding[i].culprits && f->culprits &&
            d->finding[i].culprit[0].line == f->culprit[0].line)
            return true;
    return false;
}

static void problem_of_finding(struct problems *to, const struct ncs_finding *f, bool is_error)
{
    struct ncs_report_problem p = { .level = is_error ? "error" : "note", .rule = f->rule };
    struct ncs_str text = { 0 };
    int line = f->culprits ? f->culprit[0].line : 0;
    for (size_t i = 0; i < f->rows && !line; i++) /* a culprit that never came: where others wait for it */
        line = f->row[i].line;
    problem_locate(to, line, &p);
    ncs_str_addf(&text, "%s%s", f->certainty == NCS_LIKELY ? "likely: " : "",
                 f->why     ? ncs_sentence_text(f->why)
                 : f->title ? f->title
                            : f->rule);
    if (f->fix)
        ncs_str_addf(&text, "\nfix: %s", ncs_sentence_text(f->fix));
    ncs_str_addf(&text, "\nmore: ncclscript explain %s", f->rule);
    problem_add(to, &p, &text);
}

/* The outcome as a whole, where no finding says it. */
static void problem_of_verdict(struct problems *to)
{
    struct ncs_report_problem p = { .level = "error", .rule = ncs_verdict_name(to->run->result->verdict) };
    struct ncs_str text = { 0 };
    problem_locate(to, ncs_report_line(to->run), &p);
    ncs_report_message(to->run, &text);
    problem_add(to, &p, &text);
}

/* True if an error of the findings is what the run fails by. */
static bool problem_has_cause(const struct ncs_report_run *run)
{
    const struct ncs_result *r = run->result;
    bool waits = r->verdict == NCS_HANG || r->verdict == NCS_LOST || (!r->wrongs && !r->expects && !r->errors);
    return run->failing.rules || (waits && ncs_first_error(&r->diagnosis));
}

void ncs_report_problems(const struct ncs_report_run *run, bool notes,
                         void (*add)(const struct ncs_report_problem *p, struct ncs_str *out), struct ncs_str *out)
{
    struct problems to = { run, add, out, { 0 } };
    const struct ncs_diagnosis *d = &run->result->diagnosis;
    bool differs = run->difference && run->difference[0];
    for (size_t i = 0; run->complaints && i < run->complaints->count; i++)
        problem_of_complaint(&to, &run->complaints->item[i]);
    for (size_t i = 0; i < d->findings; i++) {
        bool is_error = problem_is_error(run, &d->finding[i]);
        if ((is_error || (notes && d->finding[i].level == NCS_LEVEL_NOTE)) && !problem_is_known(d, i))
            problem_of_finding(&to, &d->finding[i], is_error);
    }
    if (!run->as_expected && run->result->verdict != NCS_SKIPPED && !(run->complaints && run->complaints->errors) &&
        (differs || !problem_has_cause(run)))
        problem_of_verdict(&to);
    ncs_str_free(&to.file);
}
