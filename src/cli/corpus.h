/* Scenarios with a known outcome: the cases of each under both policies, with the truth about them.
 * Nothing is run. */
#ifndef NCS_CLI_CORPUS_H
#define NCS_CLI_CORPUS_H

#include "cli/selection.h"
#include "report/corpus.h"

struct ncs_corpus_case {
    size_t file, number; /* of the plan: the scenario, and its case */
    enum ncs_policy policy;
    struct ncs_scenario scenario;
    struct ncs_truth truth;
    bool reported; /* for callers that go through reports */
};

struct ncs_corpus_file {
    char *real;           /* its path without links; as given if that is unknown */
    char *group;          /* the class: the folder's name */
    char *twin;           /* of a bug the repaired scenario, of a repaired one the bug; NULL = none */
    bool correct;         /* the file is the repaired one */
    char *entry;          /* of the catalogue, a repaired one's from its twin; or NULL */
    size_t first, cases;  /* of ncs_corpus.item */
    struct ncs_error err; /* why it has no cases: it does not load, or its declarations are wrong */
};

struct ncs_corpus {
    struct ncs_selection selection;
    struct ncs_corpus_file *file;
    size_t files, files_room; /* parallel to the selection's files */
    struct ncs_corpus_case *item;
    size_t count, room;
};

/* The folder with all scenarios, or the folder `below` in it ("bugs"): in the working directory, beside
 * the program, or where it is installed. False: there is none. */
bool ncs_corpus_folder(const char *below, struct ncs_str *path);

/* Adds an operand: a file, or a folder. False and err if the folder cannot be read. */
bool ncs_corpus_add(struct ncs_corpus *corpus, const char *operand, struct ncs_error *err);
/* The case that a report is about; adds its scenario if it is new. `name` as in "ranks=4,seed=1", empty
 * for a scenario with a single case. NULL and err if there is no such case. */
struct ncs_corpus_case *ncs_corpus_find(struct ncs_corpus *corpus, const char *scenario, const char *name, enum ncs_policy policy,
                                        struct ncs_error *err);
/* The case with the truth about it, borrowed. */
struct ncs_labelled ncs_corpus_label(const struct ncs_corpus *corpus, const struct ncs_corpus_case *c);
/* Prints all errors of a file on standard error; false if there are none. */
bool ncs_corpus_print_error(const struct ncs_corpus *corpus, size_t file);
void ncs_corpus_free(struct ncs_corpus *corpus);

#endif
