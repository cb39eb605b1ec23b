/* Shared by the files that read Flight Recorder dumps. Dumps are read one at a time; of each only its calls remain,
 * and which groups they are on is found once all dumps are there. */
#ifndef NCS_TRACE_FLIGHT_H
#define NCS_TRACE_FLIGHT_H

#include "trace/record.h"
#include "trace/value.h"

struct dump_group {    /* a process group as one dump knows it */
    char *name, *desc; /* desc: NULL = none */
    int comm, self;    /* -1 = not known so far; self: the rank of the dump in it */
    bool unlisted;     /* described without its ranks */
};

struct dump {
    char *path;
    int rank, named; /* named: by the name of its file, -1 = not */
    bool readable;
    struct dump_group *group;
    size_t groups, group_room;
    struct ncs_map group_of; /* hash of a name -> index + 1 */
    size_t unknown;          /* entries that are no calls of NCCL */
    char odd[64];            /* the name of the first of them */
};

struct flight {
    struct record *record;
    struct ncs_error *err;
    struct dump *dump;
    size_t dumps, room;
    struct ncs_map comm; /* name and ranks -> communicator + 1 */
    struct ncs_map name; /* hash of a communicator's name -> 1 */
    struct ncs_map word; /* hash of a call's name -> kind and function */
    size_t all_ranks;    /* of default_pg; 0 = not known so far */
    bool two_jobs;
};

/* The groups that a dump describes. */
bool ncs_flight_read_config(struct flight *f, struct dump *d, const struct value *root);
/* The rank of a dump whose file is named by this one: another one, if its groups say so. */
int ncs_flight_rank(const struct value *root, int named);
/* The index of a group of the dump, which is added if it is not known. */
size_t ncs_flight_group(struct dump *d, const char *name, const char *desc);
/* Once all dumps are read: finds the communicator of each group. */
bool ncs_flight_find_comms(struct flight *f);
/* The communicator of two ranks of a group; the group's own if they are not two ranks of it. -1 and err. */
int ncs_flight_pair(struct flight *f, int comm, int a, int b);

/* Adds the calls of a dump; their communicators are indices of its groups. */
bool ncs_flight_read_entries(struct flight *f, struct dump *d, const struct value *root);
/* Replaces the indices by communicators. */
bool ncs_flight_settle(struct flight *f, struct dump *d);

#endif
