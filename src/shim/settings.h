/* What the environment says about the machine that a program finds: the variables of exec, which devices
 * CUDA is to show, and whether a launcher has started this process as one of several. */
#ifndef NCS_SHIM_SETTINGS_H
#define NCS_SHIM_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct ncs_shim_settings {
    int devices;          /* of the machine */
    int visible;          /* to the program; all, unless CUDA_VISIBLE_DEVICES says otherwise */
    const int *number;    /* of those that are, among all; NULL = all */
    int nccl_version;
    bool typical;
    bool json;
    bool quiet;
    int64_t timeout;      /* without progress, in ns; 0 = none */
    int64_t patience;     /* with threads that poll, in ns */
    const char *launcher; /* the variable by which one has said that there are several processes; NULL */
};

/* Reads them, and says which of them are wrong. */
void ncs_shim_read_settings(struct ncs_shim_settings *s);
/* Says which plugins of NCCL the environment names in vain. */
void ncs_shim_tell_of_plugins(void);

#endif
