/* Compares what the processes of a job tell of their machines (cli/doctor_facts.h). Knows nothing of how the texts have come. */
#ifndef NCS_CLI_DOCTOR_COMPARE_H
#define NCS_CLI_DOCTOR_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/weight.h"
#include "base/str.h"

/* What a process has told; its number is its index. The text comes from another machine: nothing in it is trusted. */
struct ncs_told {
    const char *host;
    const char *text;
    size_t bytes;
};

struct ncs_compared_value {
    const char *text; /* NULL = there is none; belongs to the comparison */
    int *process;     /* ascending */
    size_t count, room;
};

struct ncs_compared {
    const char *key;  /* of a fact in JSON; a variable's name */
    const char *name; /* for people */
    bool variable;
    enum ncs_weight weight;
    struct ncs_compared_value *value; /* by the first process of each */
    size_t values, room;
};

struct ncs_compared_host {
    char *name; /* one line of UTF-8 */
    int *process;
    size_t count, room;
    int gpus; /* different ones that its processes see */
};

struct ncs_comparison {
    int processes;
    json_t **told; /* NULL: cannot be read */
    int *host_of;
    struct ncs_compared_host *host; /* by their first processes */
    size_t hosts, hosts_room;
    struct ncs_compared *row; /* facts in the order of the report, then variables by name */
    size_t rows, rows_room;
    struct ncs_compared lack;          /* why real runs are not possible; NULL: they are */
    struct ncs_str notes;              /* lines */
    int gpus;                          /* of all hosts */
    bool can_share, several;           /* all processes can let ranks share a GPU; all have switched it on */
    size_t differ[NCS_MUST_AGREE + 1]; /* number of rows that differ, by weight */
};

void ncs_doctor_compare(struct ncs_comparison *c, const struct ncs_told *told, int processes);
void ncs_doctor_forget(struct ncs_comparison *c);

const struct ncs_compared *ncs_doctor_row(const struct ncs_comparison *c, const char *key); /* a fact's */
bool ncs_doctor_can_run(const struct ncs_comparison *c);                                    /* real runs, in all processes */

/* Appends "all", "node1, node2", "process 3 on node2": a host stands for all its processes. Returns true if it begins with
 * a process. */
bool ncs_doctor_add_places(const struct ncs_comparison *c, struct ncs_str *out, const int *process, size_t count);
/* The hosts all of whose processes are among these, by index; others are counted as processes. To be freed with ncs_free. */
bool *ncs_doctor_whole_hosts(const struct ncs_comparison *c, const int *process, size_t count);

#endif
