/* The launcher that has started this process as one of many, as its environment says: Open MPI, PMIx, MPICH (Hydra), Slurm,
 * torchrun. */
#ifndef NCS_BASE_LAUNCHER_H
#define NCS_BASE_LAUNCHER_H

#include <stdbool.h>

struct ncs_launcher {
    const char *name;      /* "Open MPI", "Slurm", ... as users call it */
    const char *variable;  /* the one that says how many processes there are */
    int number, processes; /* of this process, from 0; of all */
    int local, locals;     /* among those of this host; -1 = the launcher does not say */
    char host[256];        /* of process 0; "" = the launcher does not say */
    int port;              /* at which the launcher says that process 0 is to be found; 0 = it does not say */
    char job[256];         /* a name that the processes of this job have in common, and other jobs have not; "" = none */
};

/* False if no launcher has started this process, or it is the only one of its job. A launcher that sets no more than PMIx's variables
 * is asked by PMIx (base/pmix.h); that connection stays open until the team of src/team ends. */
bool ncs_launcher_find(struct ncs_launcher *out);

/* The variable by which a launcher tells this process that there are several; NULL = none does. *single: one says that this is the
 * only one. (For programs under `exec`, which need no more.) */
const char *ncs_launcher_variable(bool *single);

#endif
