/* How many calls each communicator has had. The counts outlive the entries of the ring, so that calls keep their numbers
 * and the ranks can be compared after old calls have been overwritten. */
#include "shim/record/recorder.h"

#include "base/hash.h"

enum { PROBES = 64 };

/* Finds the entry with a key, or takes a free one for it. */
static bool claim(uint64_t *word, uint64_t key)
{
    uint64_t there = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (there == key)
        return true;
    return there == 0 &&
           (__atomic_compare_exchange_n(word, &there, key, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || there == key);
}

struct ncs_recording_comm *ncs_recorder_comm(struct recorder_file *f, uint64_t handle)
{
    uint32_t room = f->head->area[NCS_RECORDING_COMMS].entries;
    uint64_t hash = ncs_mix(handle);
    for (uint32_t i = 0; handle && i < PROBES; i++) {
        struct ncs_recording_comm *comm = &f->comm[(hash + i) & (room - 1)];
        if (claim(&comm->handle, handle))
            return comm;
    }
    return NULL;
}

uint64_t *ncs_recorder_pair(const struct recorder_file *f, const struct ncs_recording_comm *comm, int peer, bool receives)
{
    uint32_t room = f->head->area[NCS_RECORDING_PAIRS].entries;
    uint64_t key = ncs_recording_pair_key((uint32_t)(comm - f->comm), comm->generation, peer, receives);
    for (uint32_t i = 0; i < PROBES; i++) {
        struct ncs_recording_pair *pair = &f->pair[(key / 2 + i) & (room - 1)];
        if (claim(&pair->key, key))
            return &pair->length;
    }
    return NULL;
}

void ncs_recorder_new_comm(struct recorder_file *f, uint64_t handle)
{
    struct ncs_recording_comm *comm = ncs_recorder_comm(f, handle);
    if (!comm) {
        __atomic_fetch_add(&f->head->comms_lost, handle != 0, __ATOMIC_RELAXED);
        return;
    }
    comm->calls = comm->collectives = 0;
    comm->generation++; /* NCCL may use an address again: sequences of the new communicator have other keys */
}
