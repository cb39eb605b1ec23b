/* The ledger: what the ranks have made and have to free, and have not freed yet. From it follow the resources
 * that a program loses, and memory that was freed while something still referred to it.
 *
 * It reads only records of the journal, so it serves scripts, programs on the drop-in libraries and real
 * hardware alike. */
#ifndef NCS_DIAGNOSE_LEDGER_LEDGER_H
#define NCS_DIAGNOSE_LEDGER_LEDGER_H

#include "api/journal.h"
#include "base/str.h"

/* Resources of one kind that one function made at one place, and that the program has not freed. */
struct ncs_left {
    enum ncs_resource kind;
    enum ncs_fn fn; /* that made them, */
    bool raw;       /* by its C name */
    struct ncs_place place;
    bool lost;             /* raw, so that nothing else frees them; and no rule on communicators
                              * speaks of them */
    uint64_t count, bytes; /* of all ranks; bytes: of memory */
    int *rank;
    size_t ranks; /* of the run, ascending */
    bool even;    /* each of these ranks has as many, of as many bytes */
    size_t room;  /* of `rank` */
};

/* Memory that was freed while a registration, a window or an import by another process referred to it: pairs
 * of the call that freed it and the call that made the reference, pinned. All pairs have the same two places. */
struct ncs_stale {
    struct ncs_call **call;
    size_t calls, room;
};

struct ncs_ledger;

struct ncs_ledger_options {
    bool one_process;          /* all ranks are threads of one process */
    int (*process)(void);      /* with one_process: that of the calling thread; NULL = there is one */
    bool (*gone)(int process); /* with one_process: true if the process has ended; NULL = none does */
};

struct ncs_ledger *ncs_ledger_open(const struct ncs_journal *journal, const struct ncs_ledger_options *options);
void ncs_ledger_close(struct ncs_ledger *l); /* NULL is a no-op */

/* A call has returned. Report calls in the order of their return. */
void ncs_ledger_call(struct ncs_ledger *l, struct ncs_call *call);

/* Resources that are left, by kind and place, without those made for the script before it began. What the end of a
 * script released counts as left. The ledger owns the list. */
const struct ncs_left *ncs_ledger_left(struct ncs_ledger *l, size_t *count);
const struct ncs_stale *ncs_ledger_stale(const struct ncs_ledger *l, size_t *count);

/* Replaces the places of all that is left, before a report. */
void ncs_ledger_settle(struct ncs_ledger *l, struct ncs_place (*settled)(struct ncs_place));

/* Calls visit with the handle or address of each resource of the kind that is there now. */
void ncs_ledger_each(const struct ncs_ledger *l, enum ncs_resource kind, void (*visit)(const void *handle, void *arg), void *arg);

/* ---- words (words.c) ---- */

const char *ncs_resource_name(enum ncs_resource kind); /* "device memory" */
/* Appends "3 allocations of device memory (12 KiB)"; each: "3 allocations of device memory each (12 KiB)".
 * The bytes only of memory. */
void ncs_resource_format(struct ncs_str *out, enum ncs_resource kind, uint64_t count, uint64_t bytes, bool each);
/* Appends "3 allocations of device memory each (12 KiB), made by cudaMalloc at line 7". */
void ncs_left_format(struct ncs_str *out, const struct ncs_left *left);
/* The C function that frees what the function made. */
const char *ncs_resource_freer(enum ncs_fn made);

#endif
