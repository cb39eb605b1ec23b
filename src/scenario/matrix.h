/* The cases of a file: every combination of the values of its axes, except those that it excludes. */
#ifndef NCS_SCENARIO_MATRIX_H
#define NCS_SCENARIO_MATRIX_H

#include "base/map.h"
#include "scenario/scenario.h"

#define NCS_CASES_MOST 100000 /* of one file */

/* An axis is a parameter, the number of `ranks`, or the `seed` (unless a parameter has that name). */
struct ncs_axis {
    char *name;
    bool is_param;
    enum ncs_param_kind kind;
    struct ncs_param *value;
    size_t values, values_room;
    struct ncs_map at; /* hash of a value -> its place + 1 */
    size_t compared;   /* values that were compared with another one: a test keeps it small */
    bool pinned;       /* fixed by the command line to the only value */
};

/* Excludes each combination that has all of these values. */
struct ncs_exclusion {
    struct ncs_param *value;
    size_t values, values_room;
};

struct ncs_matrix {
    struct ncs_axis *axis;
    size_t axes, axes_room; /* none: the file is one case */
    struct ncs_exclusion *exclusion;
    size_t exclusions, exclusions_room;
};

/* One combination, in the order of the axes. */
struct ncs_case {
    char *name; /* "ranks=4,dtype=float32"; NULL: the file is one case */
    struct ncs_param *value;
    size_t values;
    int ranks;   /* 0 = no axis */
    bool seeded; /* the seed is an axis */
    int64_t seed;
};

struct ncs_cases {
    struct ncs_case *item;
    size_t count, room;
};

/* Adds an axis in its place: ranks, then parameters by name, then seed. NULL if the name cannot be an axis
 * of this scenario. */
struct ncs_axis *ncs_matrix_add(struct ncs_matrix *m, const struct ncs_scenario *s, const char *name);
struct ncs_axis *ncs_matrix_axis(const struct ncs_matrix *m, const char *name); /* NULL = none */
/* Adds a value, which the axis then owns; false if it is present. */
bool ncs_axis_add(struct ncs_axis *axis, struct ncs_param value);
bool ncs_axis_has(struct ncs_axis *axis, const struct ncs_param *value);
/* Reduces the axis to this value. */
void ncs_axis_pin(struct ncs_axis *axis, const struct ncs_param *value);
void ncs_matrix_free(struct ncs_matrix *m); /* the contents */

/* The number of combinations before exclusions; counts to at most NCS_CASES_MOST + 1. */
size_t ncs_matrix_combinations(const struct ncs_matrix *m);

/* The number of cases: combinations without excluded ones. */
size_t ncs_matrix_cases(const struct ncs_matrix *m);

/* Appends the cases of a matrix that has at most NCS_CASES_MOST combinations: the last axis changes
 * fastest, each goes through its values in their order. */
void ncs_matrix_expand(const struct ncs_matrix *m, struct ncs_cases *cases);
void ncs_cases_free(struct ncs_cases *cases); /* the contents */

/* True if `name` names this case. Some of its values are enough, in any order. */
bool ncs_case_is(const struct ncs_case *c, const char *name);
/* The value of that axis; NULL = no such axis. */
const struct ncs_param *ncs_case_value(const struct ncs_case *c, const char *name);

#endif
