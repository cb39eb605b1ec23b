/* ncclscript score: how well a tool's reports agree with what is true of the scenarios. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/corpus.h"
#include "cli/output.h"
#include "report/corpus.h"

enum { ALL, FORMAT, HELP };

static const char *const formats[] = { "text", "json", NULL };

static const struct ncs_option options[] = {
    [ALL]    = { "all", 0, NCS_OPTION_FLAG, NULL, NULL, "Scoring",
                 "a case of scenarios/bugs without a report is not right", NULL, 0, 0 },
    [FORMAT] = { "format", 0, NCS_OPTION_CHOICE, NULL, "text", "Output",
                 "for people, or one JSON object", formats, 0, 0 },
    [HELP]   = NCS_OPTION_HELP,
    { 0 },
};

struct scoring {
    struct ncs_corpus corpus;
    struct ncs_score score;
};

static bool add_line(struct scoring *s, const char *line, size_t bytes, struct ncs_error *err)
{
    struct ncs_claim claim;
    struct ncs_corpus_case *c = NULL;
    if (ncs_claim_read(line, bytes, &claim, err))
        c = ncs_corpus_find(&s->corpus, claim.scenario, claim.name, claim.policy, err);
    if (c) {
        struct ncs_labelled l = ncs_corpus_label(&s->corpus, c);
        ncs_score_add(&s->score, &l, &claim);
        c->reported = true;
    }
    ncs_claim_free(&claim);
    return c != NULL;
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r\n")] == '\0';
}

/* One report per line. The first that is none ends it, and is told with its line. */
static bool add_reports(struct scoring *s, FILE *in, const char *file, struct ncs_error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t bytes;
    int number = 0;
    bool ok = true;
    while (ok && (bytes = getline(&line, &room, in)) >= 0) {
        number++;
        ok = is_blank(line) || add_line(s, line, (size_t)bytes, err);
    }
    free(line);
    if (ok && ferror(in)) {
        ok = ncs_fail(err, NCS_BAD_INPUT, "cannot be read: %s", strerror(errno));
        number = 0;
    }
    if (!ok && !err->file[0]) /* what is wrong with a scenario has its own place */
        ncs_fail_at(err, file, number, 0);
    return ok;
}

static bool add_file(struct scoring *s, const char *file, struct ncs_error *err)
{
    if (!file || strcmp(file, "-") == 0)
        return add_reports(s, stdin, "standard input", err);
    FILE *in = fopen(file, "r");
    if (!in) {
        ncs_fail(err, NCS_BAD_INPUT, "cannot be opened: %s", strerror(errno));
        return ncs_fail_at(err, file, 0, 0);
    }
    bool ok = add_reports(s, in, file, err);
    fclose(in);
    return ok;
}

/* The cases of the corpus that no report is about. */
static bool add_missing(struct scoring *s, struct ncs_error *err)
{
    struct ncs_str folder = { 0 };
    struct ncs_corpus *corpus = &s->corpus;
    struct ncs_corpus all = { 0 };
    bool ok = ncs_corpus_folder("bugs", &folder);
    if (ok)
        ok = ncs_corpus_add(&all, folder.text, err);
    else
        ncs_fail(err, NCS_BAD_INPUT, "there is no folder scenarios/bugs here");
    for (size_t i = 0; ok && i < all.count; i++) {
        struct ncs_labelled l = ncs_corpus_label(&all, &all.item[i]);
        struct ncs_corpus_case *c =
            ncs_corpus_find(corpus, l.file, l.name ? l.name : "", l.policy, err);
        if (c && !c->reported)
            ncs_score_miss(&s->score, &l);
        ok = c != NULL;
    }
    ncs_corpus_free(&all);
    ncs_str_free(&folder);
    return ok;
}

/* Cases of which there is a report under some policy. */
static void count_cases(struct scoring *s)
{
    for (size_t i = 0; i + 1 < s->corpus.count; i += 2) {
        const struct ncs_corpus_case *c = &s->corpus.item[i];
        bool reported = c[0].reported || c[1].reported;
        s->score.twins += reported && s->corpus.file[c->file].correct;
        s->score.bugs += reported && !s->corpus.file[c->file].correct;
    }
}

static int score_main(const struct ncs_parsed *parsed)
{
    struct scoring s = { 0 };
    struct ncs_error err = { 0 };
    struct ncs_str out = { 0 };
    int status = 2;
    bool ok = add_file(&s, parsed->operands ? parsed->operand[0] : NULL, &err) &&
              (!parsed->value[ALL].given || add_missing(&s, &err));
    if (ok && s.score.reports == 0)
        ok = ncs_fail(&err, NCS_BAD_INPUT, "there is no report to score");
    if (ok) {
        count_cases(&s);
        if (parsed->value[FORMAT].number == 1)
            ncs_score_json(&s.score, &out);
        else
            ncs_score_text(&s.score, &out);
        ncs_out(out.text);
        status = ncs_score_met(&s.score) ? 0 : 1;
    } else {
        ncs_print_error(&err);
    }
    ncs_str_free(&out);
    ncs_score_free(&s.score);
    ncs_corpus_free(&s.corpus);
    return status;
}

const struct ncs_command ncs_cmd_score = {
    .name = "score",
    .operands = "[FILE]",
    .summary = "say how well reports agree with what is true of scenarios",
    .about = "FILE (or standard input) has a report per line, as `ncclscript run --format json` writes\n"
             "them, or in the least form, for other tools:\n"
             "  {\"scenario\": FILE, \"case\": \"ranks=4,who=1\", \"policy\": \"strict\", \"verdict\": \"hang\",\n"
             "   \"findings\": [{\"rule\": \"skipped-call\", \"culprits\": [1]}]}\n"
             "The truth is what the scenarios declare: `ncclscript list --bugs` prints it. The finding\n"
             "that names the cause comes first; a finding of \"level\": \"note\" is no error.\n"
             "Exit status: 0 when verdicts are right in 100 %, classes in 98 %, culprits in 95 % and\n"
             "nothing is said of repaired twins; 1 when not; 2 when FILE is no such thing.\n",
    .option = options,
    .several = "one file of reports at a time",
    .main = score_main,
};
