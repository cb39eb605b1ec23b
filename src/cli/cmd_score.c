/* ncclscript score: measures how well a tool's reports agree with the truth about the scenarios. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/corpus.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "report/corpus.h"

enum { ALL, MEMORY, FORMAT, HELP };

static const struct ncs_option options[] = {
    [ALL] = NCS_ROW_FLAG("all", 0, "Scoring", "count a case of scenarios/bugs without a report as wrong"),
    [MEMORY] = NCS_OPTION_MEMORY("Scoring"),
    [FORMAT] = NCS_ROW_WORDS("format", 0, "text", "Output", "text, or one JSON object", ncs_text_or_json),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

enum {
    ERRORS_MOST = 20, /* lines that are reported */
    REPORT_MOST = 64 << 20
}; /* bytes of a line */

/* A case, a policy and a seed of which there is a report. */
struct seen {
    size_t item; /* of the corpus */
    char *seed;  /* NULL = none */
    int line;
};

struct scoring {
    struct ncs_corpus corpus;
    struct ncs_score score;
    struct seen *seen;
    size_t seens, seens_room;
    struct ncs_map at; /* hash of a seen report -> its index in `seen`, from 1 */
};

/* Without a declared outcome there is no truth: `run` merely assumes a pass. Only a repaired twin need not
 * declare that it passes. */
static bool is_labelled(const struct ncs_labelled *l, struct ncs_error *err)
{
    if (l->correct || l->scenario->outcome.given)
        return true;
    ncs_fail(err, NCS_BAD_INPUT, "%s declares no outcome: there is nothing to score a report against", l->file);
    return ncs_fail_hint(err, "outcome = \"pass\" in scenario{} declares it correct");
}

/* Refuses a second report of the same run. */
static bool score_is_new(struct scoring *s, const struct ncs_labelled *l, size_t item, const char *seed, int line,
                         struct ncs_error *err)
{
    uint64_t key = ncs_hash_bytes(item, seed ? seed : "", seed ? strlen(seed) : 0);
    for (;; key++) {
        size_t at = (size_t)(uintptr_t)ncs_map_get(&s->at, key);
        if (!at)
            break;
        const struct seen *old = &s->seen[at - 1];
        if (old->item != item || strcmp(old->seed ? old->seed : "", seed ? seed : "") != 0)
            continue;
        struct ncs_str name = { 0 };
        ncs_score_format_case(l, seed, &name);
        ncs_fail(err, NCS_BAD_INPUT, "a second report of %s, the first is in line %d", name.text, old->line);
        ncs_str_free(&name);
        return ncs_fail_hint(err, "one report for each case, policy and seed; name the seed of each run");
    }
    NCS_PUSH(s->seen, s->seens, s->seens_room, ((struct seen){ item, ncs_copy_text(seed), line }));
    ncs_map_put(&s->at, key, (void *)(uintptr_t)s->seens);
    return true;
}

static bool score_add_line(struct scoring *s, const char *line, size_t bytes, int number, struct ncs_error *err)
{
    struct ncs_claim claim;
    struct ncs_corpus_case *c = NULL;
    bool ok = false;
    if (ncs_claim_read(line, bytes, &claim, err))
        c = ncs_corpus_find(&s->corpus, claim.scenario, claim.name, claim.policy, err);
    if (c) {
        struct ncs_labelled l = ncs_corpus_label(&s->corpus, c);
        ok = is_labelled(&l, err) && score_is_new(s, &l, (size_t)(c - s->corpus.item), claim.seed, number, err);
        if (ok)
            ncs_score_add(&s->score, &l, &claim);
        c->reported = true;
    }
    ncs_claim_free(&claim);
    return ok;
}

static bool score_is_blank(const char *line)
{
    return line[strspn(line, " \t\r\n")] == '\0';
}

/* Prints an error with its place; the same error of a scenario is printed once. */
static void print_wrong(const char *file, int line, struct ncs_error *err, struct ncs_error *last)
{
    if (!err->file[0])
        ncs_fail_at(err, file, line, 0);
    else if (strcmp(err->file, last->file) == 0 && strcmp(err->text, last->text) == 0)
        return;
    ncs_print_error(err);
    *last = *err;
}

/* Reads one report per line. Reports every line that is no report, with its number. */
static bool add_reports(struct scoring *s, FILE *in, const char *file)
{
    struct ncs_error err, last = { 0 };
    struct ncs_str line = { 0 };
    enum ncs_line_read read;
    size_t wrong = 0;
    for (int number = 1; (read = ncs_file_line(in, REPORT_MOST, &line)) != NCS_LINE_NONE; number++) {
        err = (struct ncs_error){ 0 };
        if (read == NCS_LINE_LONG)
            ncs_fail(&err, NCS_BAD_INPUT, "a line of more than %d MiB is no report", REPORT_MOST >> 20);
        else if (score_is_blank(line.text) || score_add_line(s, line.text, line.bytes, number, &err))
            continue;
        if (wrong++ < ERRORS_MOST)
            print_wrong(file, number, &err, &last);
        if (read == NCS_LINE_LONG)
            break;
    }
    ncs_str_free(&line);
    if (wrong > ERRORS_MOST)
        fprintf(stderr, "ncclscript score: and %zu more lines that are no report\n", wrong - ERRORS_MOST);
    if (!ferror(in))
        return wrong == 0;
    ncs_fail(&err, NCS_BAD_INPUT, "cannot be read: %s", strerror(errno));
    ncs_fail_at(&err, file, 0, 0);
    ncs_print_error(&err);
    return false;
}

static bool score_add_file(struct scoring *s, const char *file)
{
    if (!file || strcmp(file, "-") == 0)
        return add_reports(s, stdin, "standard input");
    FILE *in = fopen(file, "r");
    if (!in) {
        struct ncs_error err;
        ncs_fail(&err, NCS_BAD_INPUT, "cannot be opened: %s", strerror(errno));
        ncs_fail_at(&err, file, 0, 0);
        ncs_print_error(&err);
        return false;
    }
    bool ok = add_reports(s, in, file);
    fclose(in);
    return ok;
}

/* Adds the cases of the corpus without a report. */
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
        struct ncs_corpus_case *c = ncs_corpus_find(corpus, l.file, l.name ? l.name : "", l.policy, err);
        if (c && !c->reported)
            ncs_score_miss(&s->score, &l);
        ok = c != NULL;
    }
    ncs_corpus_free(&all);
    ncs_str_free(&folder);
    return ok;
}

/* Counts the cases with a report under any policy. */
static void count_cases(struct scoring *s)
{
    for (size_t i = 0; i + 1 < s->corpus.count; i += 2) {
        const struct ncs_corpus_case *c = &s->corpus.item[i];
        bool bug = ncs_truth_is_bug(&c[0].truth) || ncs_truth_is_bug(&c[1].truth);
        if (!c[0].reported && !c[1].reported)
            continue;
        s->score.twins += s->corpus.file[c->file].correct;
        s->score.bugs += bug && !s->corpus.file[c->file].correct;
        s->score.others += !bug && !s->corpus.file[c->file].correct;
    }
}

static bool add_all(struct scoring *s, const struct ncs_parsed *parsed)
{
    struct ncs_error err = { 0 };
    if (!score_add_file(s, parsed->operands ? parsed->operand[0] : NULL))
        return false;
    bool ok = !parsed->value[ALL].given || add_missing(s, &err);
    if (ok && s->score.reports == 0)
        ok = ncs_fail(&err, NCS_BAD_INPUT, "there is no report to score");
    if (!ok)
        ncs_print_error(&err);
    return ok;
}

static int score_main(const struct ncs_parsed *parsed)
{
    struct scoring s = { 0 };
    struct ncs_str out = { 0 };
    int status = 2;
    ncs_memory_limit("score", &parsed->value[MEMORY], 1);
    if (add_all(&s, parsed)) {
        count_cases(&s);
        if (parsed->value[FORMAT].number == 1)
            ncs_score_json(&s.score, &out);
        else
            ncs_score_text(&s.score, &out);
        ncs_out(out.text);
        status = ncs_score_met(&s.score) ? 0 : 1;
    }
    ncs_str_free(&out);
    NCS_FREE_EACH(s.seen, s.seens, seed);
    ncs_map_free(&s.at);
    ncs_score_free(&s.score);
    ncs_corpus_free(&s.corpus);
    return status;
}

const struct ncs_command ncs_cmd_score = {
    .name = "score",
    .operands = "[FILE]",
    .summary = "measure how well reports agree with the expected results",
    .about = "FILE (or standard input) has one report per line, as `ncclscript run --format json` writes\n"
             "them. Other tools need at least these keys:\n"
             "  {\"scenario\": FILE, \"case\": \"ranks=4,who=1\", \"policy\": \"strict\", \"verdict\": \"hang\",\n"
             "   \"findings\": [{\"rule\": \"skipped-call\", \"culprits\": [1]}]}\n"
             "score compares each report with the outcome that the scenario declares (`ncclscript list --bugs`).\n"
             "It ignores a scenario without an outcome, unless the scenario is a repaired twin. There is one\n"
             "report for each case, policy and \"seed\". The first finding names the cause. A finding of\n"
             "\"level\": \"note\" is no error.\n"
             "Exit status: 0 if 100 % of verdicts, 98 % of classes and 95 % of culprits are right and no\n"
             "repaired twin has a finding; 1 otherwise; 2 if FILE has no reports.\n",
    .option = options,
    .several = "one file of reports at a time",
    .main = score_main,
};
