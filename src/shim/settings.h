/* Settings of the simulated machine from the environment: the variables of exec, the devices that CUDA
 * shows, and whether a launcher started this process as one of several. */
#ifndef NCS_SHIM_SETTINGS_H
#define NCS_SHIM_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct ncs_shim_settings {
    int devices;       /* of the machine */
    int visible;       /* to the program; all, unless CUDA_VISIBLE_DEVICES selects */
    const int *number; /* numbers of the visible ones; NULL = all */
    int nccl_version;
    bool typical;
    const char *format;       /* of the report: the library above knows its formats */
    const char *report;       /* further reports: a line "FORMAT FILE" each; NULL = none */
    bool debug;               /* the report ends with why each finding won */
    const char *html, *trace; /* files to draw the run into; NULL = none */
    const char *scenario;     /* a file for a scenario with the program's calls; NULL = none */
    bool quiet;
    bool skips_kernels; /* a launch of a kernel that the simulator lacks does nothing, instead of failing */
    bool verify;        /* results are compared with the right ones */
    uint64_t seed;      /* who goes first where several could; 0 = first in, first out */
    const char *faults; /* a list of faults (run/fault_text.h); NULL = none */
    const char *
        fail_on; /* ignored failures, and findings of this kind, make a run fail that passes otherwise: one of ncs_fail_on_names; NULL = none do */
    int sites;            /* the rank whose call sites are reported to exec; -1 = none */
    int64_t timeout;      /* without progress, in ns; 0 = none */
    int64_t stall;        /* without a change, in a job of many processes, before that is reported; in ns; 0 = never */
    int64_t patience;     /* with threads that poll, in ns */
    bool single;          /* a launcher states that there is one process */
    const char *launcher; /* the variable by which a launcher states several processes; NULL */
};

/* Reads the settings, and warns about malformed ones. */
void ncs_shim_read_settings(struct ncs_shim_settings *s);
/* Warns about plugins of NCCL that the environment names: the simulator loads none. */
void ncs_shim_warn_of_plugins(void);

#endif
