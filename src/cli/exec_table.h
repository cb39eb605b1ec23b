/* How the runs of a series ended, as a table or as JSON on standard output. */
#ifndef NCS_CLI_EXEC_TABLE_H
#define NCS_CLI_EXEC_TABLE_H

#include <stdint.h>

#include "cli/exec_program.h"

struct ncs_exec_row {
    int64_t seed;
    const struct ncs_exec_site *site; /* of a sweep: where the fault was; or NULL. The table keeps copies of */
    const char *fault;                /* the texts */
    const char *title;                /* of its output */
    struct ncs_exec_end end;          /* the table's */
};

struct ncs_exec_table {
    const char *program;
    const char *fault; /* of a sweep, without its place; else NULL */
    int rank;          /* of the sweep */
    bool shows_new;    /* the caller prints the output of the first run of each bad end */
    struct ncs_exec_row *row;
    size_t rows, room;
};

/* Adds a row; takes over its end. True if it is the first with a bad end of its kind. */
bool ncs_exec_table_add(struct ncs_exec_table *table, const struct ncs_exec_row *row);
void ncs_exec_table_free(struct ncs_exec_table *table); /* the contents */

/* Appends how a program ended, in a few words. */
void ncs_exec_table_add_end(const struct ncs_exec_end *end, struct ncs_str *out);

/* Print the rows, grouped by how they ended; one by one; all as one JSON object. */
void ncs_exec_table_groups(const struct ncs_exec_table *table);
void ncs_exec_table_sites(const struct ncs_exec_table *table);
void ncs_exec_table_json(const struct ncs_exec_table *table);

/* The status of the first row with a bad end; `any`: of the first whose status is not 0. */
int ncs_exec_table_status(const struct ncs_exec_table *table, bool any);

#endif
