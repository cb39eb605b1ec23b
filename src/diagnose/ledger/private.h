/* The entries of the ledger. Private to this wing. */
#ifndef NCS_DIAGNOSE_LEDGER_PRIVATE_H
#define NCS_DIAGNOSE_LEDGER_PRIVATE_H

#include "base/map.h"
#include "diagnose/ledger/ledger.h"

/* A resource that is there, or that only the end of a script has released. */
struct entry {
    enum ncs_resource kind;
    enum ncs_fn fn;
    int rank, process;
    uint64_t group; /* in which it is made; 0 = none */
    struct ncs_place place;
    bool raw;           /* made by its C name */
    bool opening;       /* made for the script before it began */
    bool released;      /* by the end of the script only */
    bool lost;          /* see ncs_left */
    const void *handle; /* or address; NULL: the group that makes it has not ended, so that */
    const void *comm;   /* of an operator, a registration or a window */
    const char *from;   /* memory: its own, or that which it refers to */
    uint64_t bytes;
    struct ncs_call *call;       /* of a registration, a window, an import; pinned */
    const void *const *cell;     /* it will be there */
    struct entry *newer, *older; /* of its kind */
};

/* The memory behind a handle that a process has given to others. */
struct export
{
    uint64_t id; /* hash of the handle */
    const char *from;
    uint64_t bytes;
};

struct ncs_ledger {
    const struct ncs_journal *journal;
    struct ncs_ledger_options options;
    struct entry *newest[NCS_RESOURCES];
    struct ncs_map entries; /* key of kind, process and handle -> entry */
    size_t pending;         /* entries without a handle */
    struct export *export;
    size_t exports, exports_room;
    struct ncs_stale *stale;
    size_t stales, stales_room;
    struct ncs_left *left; /* as last asked for */
    size_t lefts, lefts_room;
};

#endif
