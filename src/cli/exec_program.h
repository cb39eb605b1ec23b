/* One start of a program on the drop-in libraries: its environment, what the libraries report, how it ended. */
#ifndef NCS_CLI_EXEC_PROGRAM_H
#define NCS_CLI_EXEC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Variables that the libraries read (shim/settings.c), beside those that are in the environment already. */
struct ncs_exec_variable {
    const char *name, *value; /* NULL = unset */
};

struct ncs_exec_start {
    char **argv;                              /* the program and its arguments, NULL at the end */
    const char *folder;                       /* of the libraries */
    bool redirects;                           /* libraries that an RPATH or an absolute path names are replaced too */
    const struct ncs_exec_variable *variable; /* NULL name at the end */
    const struct ncs_exec_variable *more;     /* further ones, of this start; or NULL */
    int output; /* descriptor for the program's standard output and error; -1 = those of this process */
};

/* A place where one rank calls a function. */
struct ncs_exec_site {
    unsigned long long calls;
    bool of_rank; /* else of threads that have no rank */
    char *function, *place;
};

struct ncs_exec_end {
    bool started;        /* else it was reported why not */
    int status;          /* of exec */
    int signal;          /* that ended the program; 0 = none */
    bool stopped;        /* this command got SIGTERM and passed it on */
    bool verdict;        /* ncclscript ended it */
    bool reported;       /* the library came to its report, and wrote the files that were asked for, or said why not */
    bool scenario;       /* it wrote the scenario that --record asks for */
    size_t writers;      /* processes that wrote the files of the options, one over the other */
    struct ncs_str ways; /* all ways to write it (reproduce/write.h) */
    char *cause;         /* the outcome in one line, if there is more to it than the status; or NULL */
    struct ncs_exec_site *site;
    size_t sites, sites_room;
};

/* Finds the folder of the libraries; false after lines on standard error. */
bool ncs_exec_find_libraries(struct ncs_str *folder);
/* Runs the program to its end, and reports on standard error what only this process can know, if it is not `quiet`. */
void ncs_exec_run(const struct ncs_exec_start *start, bool quiet, struct ncs_exec_end *end);
void ncs_exec_end_free(struct ncs_exec_end *end); /* the contents */

#endif
