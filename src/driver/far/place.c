#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "driver/far/far.h"
#include "driver/world.h"

struct far_places far_places = { .processes = 1 };

static _Thread_local int chosen = -1;

void far_set_places(const struct ncs_driver_job *job)
{
    size_t ranks = (size_t)job->ranks;
    far_places.rank = ncs_resize(far_places.rank, ranks * sizeof *far_places.rank);
    memcpy(far_places.rank, job->place, ranks * sizeof *far_places.rank);
    far_places.ranks = job->ranks;
    far_places.gpus = job->gpus;
    far_places.processes = ranks > 0 ? job->place[ranks - 1].process + 1 : 1;
    far_places.lack = job->lack ? *job->lack : (struct ncs_error){ .status = NCS_OK };
}

int far_process(int rank)
{
    return rank >= 0 && rank < far_places.ranks ? far_places.rank[rank].process : 0;
}

int far_host(int rank)
{
    return rank >= 0 && rank < far_places.ranks ? far_places.rank[rank].host : 0;
}

int far_device(int rank, int gpus)
{
    return rank >= 0 && rank < far_places.ranks ? far_places.rank[rank].device : rank % gpus;
}

int far_at(int process)
{
    int before = chosen;
    chosen = process;
    return before;
}

int far_here(void)
{
    return chosen >= 0 ? chosen : ncs_real_self ? far_process(ncs_real_self->options.local->rank) : 0;
}

bool far_read(const void *there, void *here, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        size_t piece = bytes - done < FAR_CHUNK ? bytes - done : FAR_CHUNK;
        struct far_extent extent = { (uintptr_t)far_unmark(there) + done, piece };
        struct ncs_str message = { 0 };
        ncs_str_add_bytes(&message, &extent, sizeof extent);
        bool heard = far_ask(far_process_of(there), FAR_READ, &message);
        struct ncs_carry_answer head;
        struct ncs_carry_reader items;
        struct ncs_carry_item item;
        const void *data;
        heard = heard && ncs_carry_begin(&items, message.text, message.bytes, &head, sizeof head) &&
                ncs_carry_next(&items, &item, &data) && item.bytes == piece;
        if (heard)
            memcpy((char *)here + done, data, piece);
        ncs_str_free(&message);
        if (!heard)
            return false;
        done += piece;
    }
    return true;
}

static void place_tell_variable(int process, const char *setting)
{
    struct ncs_str message = { 0 };
    ncs_str_add_bytes(&message, setting, strlen(setting) + 1);
    far_ask(process, FAR_VARIABLE, &message);
    ncs_str_free(&message);
}

void far_put_variable(const char *setting)
{
    for (int p = 1; p < far_places.processes; p++)
        place_tell_variable(p, setting);
}

/* ---- variables of single ranks ---- */

/* Another rank of the process that is not to have this value; -1 = none. */
static int place_shares(const struct ncs_owns *owns, const struct ncs_own *own, const char *name, const char *value, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        const char *other = ncs_owns_variable(owns, r, name);
        if (r != own->process && far_process(r) == far_process(own->process) && (!other || strcmp(other, value) != 0))
            return r;
    }
    return -1;
}

bool far_can_own(const struct ncs_owns *owns, int ranks, struct ncs_error *err)
{
    bool can = true;
    for (size_t i = 0; i < owns->count && can; i++) {
        const struct ncs_own *own = &owns->own[i];
        char *name = ncs_copy_text(own->variable ? own->variable : "="), *value = strchr(name, '=');
        *value++ = '\0';
        int other = own->variable ? place_shares(owns, own, name, value, ranks) : -1;
        can = other < 0;
        if (!can) {
            ncs_fail(err, NCS_BAD_INPUT,
                     "driver nccl: env: %s is set for rank %d and not for rank %d, but both are threads of one "
                     "process, whose environment NCCL reads",
                     name, own->process, other);
            ncs_fail_hint(err, "start a process for each rank (mpirun, srun), or use --driver sim");
        }
        ncs_free(name);
    }
    return can;
}

void far_put_owns(const struct ncs_owns *owns)
{
    for (size_t i = 0; i < owns->count; i++) {
        const struct ncs_own *own = &owns->own[i];
        if (own->variable && far_process(own->process) > 0)
            place_tell_variable(far_process(own->process), own->variable);
        else if (own->variable)
            far_put_here(own->variable);
    }
}
