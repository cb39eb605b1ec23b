/* The runs of a suite: the cases of all files, in the order of its report. */
#ifndef NCS_CLI_SELECTION_H
#define NCS_CLI_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario/matrix.h"
#include "script/script.h"

#define NCS_SELECTION_MOST 1000000 /* runs */

struct ncs_selection_file {
    char *path;
    struct ncs_script *script; /* NULL: err says why it cannot be loaded */
    struct ncs_error err;
    struct ncs_reading *reading; /* its further errors, or warnings; NULL: none */
    struct ncs_cases cases;
};

struct ncs_selection_run {
    size_t file;
    size_t number; /* of the case in its file; 0 for a file that cannot be loaded */
    uint64_t seed;
};

struct ncs_selection {
    struct ncs_script_settings settings;
    int64_t repeats;
    uint64_t seed; /* of the first repetition */
    struct ncs_selection_file *file;
    size_t files, files_room;
    struct ncs_selection_run *run;
    size_t runs, runs_room;
    size_t scenarios, cases; /* of which there are runs */
    size_t left_out;         /* cases that the expression does not select */
};

/* Splits "FILE[...]" into the file and the text in brackets; false if the operand has another form. */
bool ncs_selection_split(const char *operand, struct ncs_str *path, struct ncs_str *name);
/* Adds the runs of an operand: a file, a file with cases as "FILE[ranks=4]", "-", or a folder. A file that
 * does not load has one run, which reports that. False and err (its place is the operand) if there is no
 * such case or the folder cannot be read. */
bool ncs_selection_add(struct ncs_selection *selection, const char *operand, struct ncs_error *err);
/* Keeps only the cases that the expression selects. False and err if it is malformed. */
bool ncs_selection_select(struct ncs_selection *selection, const char *expression, struct ncs_error *err);
/* Call last: counts the remaining runs. False and err if there are too many. */
bool ncs_selection_close(struct ncs_selection *selection, struct ncs_error *err);
/* Prints all reasons why a file cannot be loaded on standard error. */
void ncs_selection_print_error(const struct ncs_selection_file *file);
void ncs_selection_free(struct ncs_selection *selection);

/* The case of a run; NULL for a file that cannot be loaded. */
const struct ncs_case *ncs_selection_case(const struct ncs_selection *selection, size_t run);
/* Appends the name that distinguishes a run from others of its file, "ranks=4,seed=7"; nothing if the file
 * can have only this run. */
void ncs_selection_add_name(const struct ncs_selection *selection, size_t run, struct ncs_str *out);
/* Appends the file with that name: "a.lua[ranks=4,seed=7]". */
void ncs_selection_add_full_name(const struct ncs_selection *selection, size_t run, struct ncs_str *out);
/* True if the runs repeat one case. */
bool ncs_selection_same_case(const struct ncs_selection *selection, size_t a, size_t b);

#endif
