/* The runs that a suite makes: the cases of all files, in the order of its report. */
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
    struct ncs_reading *reading; /* has more that is wrong with it, or warnings; NULL: nothing */
    struct ncs_cases cases;
};

struct ncs_selection_run {
    size_t file;
    size_t number;  /* of the case in its file; 0 of a file that cannot be loaded */
    uint64_t seed;
};

struct ncs_selection {
    struct ncs_script_settings settings;
    int64_t repeats;
    uint64_t seed;              /* of the first repetition */
    struct ncs_selection_file *file; size_t files, files_room;
    struct ncs_selection_run *run; size_t runs, runs_room;
    size_t scenarios, cases;    /* of which there are runs */
    size_t left_out;            /* cases that the expression does not select */
};

/* The file, and what is said of it in "FILE[...]"; false when the operand is nothing of the kind. */
bool ncs_selection_split(const char *operand, struct ncs_str *path, struct ncs_str *name);
/* Adds what an operand means: a file, one with cases as "FILE[ranks=4]", "-", or a folder. Files that
 * do not load have a run too, which is to tell so. False and err (its place is the operand) when
 * there is no such case or the folder cannot be read. */
bool ncs_selection_add(struct ncs_selection *selection, const char *operand, struct ncs_error *err);
/* Leaves only what the expression selects. False and err when it is none. */
bool ncs_selection_select(struct ncs_selection *selection, const char *expression,
                          struct ncs_error *err);
/* Call last: counts what is left. False and err when it is too much. */
bool ncs_selection_close(struct ncs_selection *selection, struct ncs_error *err);
/* Why a file cannot be loaded, all of it, on standard error. */
void ncs_selection_print_error(const struct ncs_selection_file *file);
void ncs_selection_free(struct ncs_selection *selection);

/* The case of a run; NULL for a file that cannot be loaded. */
const struct ncs_case *ncs_selection_case(const struct ncs_selection *selection, size_t run);
/* Appends what tells a run from the others of its file, "ranks=4,seed=7"; nothing if it is the only
 * one that the file can have. */
void ncs_selection_add_name(const struct ncs_selection *selection, size_t run, struct ncs_str *out);
/* Appends the file with that name: "a.lua[ranks=4,seed=7]". */
void ncs_selection_add_full_name(const struct ncs_selection *selection, size_t run,
                                 struct ncs_str *out);
/* Are they repetitions of one case? */
bool ncs_selection_same_case(const struct ncs_selection *selection, size_t a, size_t b);

#endif
