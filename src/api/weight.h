/* How much it matters that a variable differs between the processes of a job, and what ranks then do. */
#ifndef NCS_API_WEIGHT_H
#define NCS_API_WEIGHT_H

#include <stddef.h>

enum ncs_weight {
    NCS_MAY_DIFFER, /* as CUDA_VISIBLE_DEVICES: does not count as a difference */
    NCS_DIFFERS,
    NCS_MUST_AGREE, /* NCCL fails or hangs, or may do so */
};

/* What comes of a variable that ranks of a communicator do not share. */
enum ncs_effect {
    NCS_EFFECT_NONE,      /* nothing, or NCCL's ranks agree on one value when they join */
    NCS_EFFECT_ALGORITHM, /* ranks choose another algorithm or protocol for a call */
    NCS_EFFECT_CHANNELS,  /* ranks use another number of channels or threads */
    NCS_EFFECT_CHUNKS,    /* ranks have buffers of another size, and cut data into other chunks */
    NCS_EFFECT_TRANSPORT, /* the two ranks of a connection choose another transport */
    NCS_EFFECT_DEVICES,   /* ranks offer another number of network devices; hosts may call theirs by other names */
    NCS_EFFECT_MEETING,   /* ranks look for each other elsewhere */
    NCS_EFFECTS
};

struct ncs_variable {
    enum ncs_weight weight;
    enum ncs_effect effect;
};

struct ncs_variable ncs_variable_of(const char *name);

/* Names of variables that have an effect, each once. Starts as { 0 }. */
struct ncs_effective {
    char **name;
    size_t count, room;
};
void ncs_effective_add(struct ncs_effective *e, const char *variable); /* "NAME=value" */
void ncs_effective_free(struct ncs_effective *e);

#endif
