/* ncclscript list: lists scenarios with their descriptions, and for bugs the truth about them. */
#include <stdio.h>
#include <string.h>

#include "base/safe.h"
#include "cli/command.h"
#include "cli/corpus.h"
#include "cli/output.h"
#include "report/corpus.h"

enum { BUGS, HELP };

static const struct ncs_option options[] = {
    [BUGS] = NCS_ROW_FLAG("bugs", 0, "Output", "print the expected result of each case, one JSON object per line"),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

/* Longer file names shift the columns after them. */
enum { WIDEST = 56 };

/* Each file is represented by its first case. */
static void list_files(const struct ncs_corpus *corpus, struct ncs_str *out)
{
    int width = 0;
    for (size_t i = 0; i < corpus->files; i++) {
        int own = (int)strlen(corpus->selection.file[i].path);
        width = own > width && own <= WIDEST ? own : width;
    }
    for (size_t i = 0; i < corpus->files; i++) {
        const struct ncs_corpus_file *f = &corpus->file[i];
        struct ncs_str path = { 0 };
        if (!f->cases)
            continue;
        ncs_safe_line(&path, corpus->selection.file[i].path);
        const char *about = corpus->item[f->first].scenario.about;
        ncs_str_addf(out, "%-*s", about ? width : 0, path.text);
        if (about) {
            ncs_str_add(out, "  ");
            ncs_safe_line(out, about);
        }
        if (f->cases > 2) /* each case has both policies */
            ncs_str_addf(out, " (%zu cases)", f->cases / 2);
        ncs_str_add(out, "\n");
        ncs_str_free(&path);
    }
}

static void list_cases(const struct ncs_corpus *corpus, struct ncs_str *out)
{
    for (size_t i = 0; i < corpus->count; i++) {
        struct ncs_labelled l = ncs_corpus_label(corpus, &corpus->item[i]);
        ncs_report_labelled(&l, out);
    }
}

static bool list_add_operands(const struct ncs_parsed *parsed, struct ncs_corpus *corpus, struct ncs_error *err)
{
    struct ncs_str folder = { 0 };
    bool bugs = parsed->value[BUGS].given, ok = true;
    for (size_t i = 0; ok && i < parsed->operands; i++)
        ok = ncs_corpus_add(corpus, parsed->operand[i], err);
    if (!parsed->operands && !ncs_corpus_folder(bugs ? "bugs" : NULL, &folder)) {
        ok = ncs_fail(err, NCS_BAD_INPUT, "there is no folder scenarios%s here", bugs ? "/bugs" : "");
        ncs_fail_hint(err, "name the files or folders that are meant");
    } else if (!parsed->operands) {
        ok = ncs_corpus_add(corpus, folder.text, err);
    }
    ncs_str_free(&folder);
    return ok;
}

static int list_main(const struct ncs_parsed *parsed)
{
    struct ncs_corpus corpus = { 0 };
    struct ncs_error err = { 0 };
    struct ncs_str out = { 0 };
    int status = 0;
    if (!list_add_operands(parsed, &corpus, &err)) {
        ncs_print_error(&err);
        status = 2;
    }
    for (size_t i = 0; i < corpus.files; i++)
        if (ncs_corpus_print_error(&corpus, i))
            status = 2;
    if (parsed->value[BUGS].given)
        list_cases(&corpus, &out);
    else
        list_files(&corpus, &out);
    if (out.bytes)
        ncs_out(out.text);
    ncs_str_free(&out);
    ncs_corpus_free(&corpus);
    return status;
}

const struct ncs_command ncs_cmd_list = {
    .name = "list",
    .operands = "[FILE|DIR...]",
    .summary = "list scenarios with their descriptions",
    .about = "Without operands, list prints the scenarios of the program. With --bugs it prints those of\n"
             "scenarios/bugs, the corpus of bugs and their repaired twins. For each case and policy, --bugs\n"
             "prints the subject, the behaviour of NCCL, and the expected result: verdict, rule, culprits,\n"
             "call, blocked ranks, number of findings. `ncclscript score` and other tools read it. list runs\n"
             "no scenario.\n",
    .option = options,
    .main = list_main,
};
