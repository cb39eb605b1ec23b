/* The unique ids whose bytes scripts have read. They are compared byte by byte: an attacker could make
 * other bytes of an equal hash. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "run/private.h"

struct run_id {
    ncclUniqueId id;
    struct run_id *next; /* of the same hash */
};

static uint64_t run_id_hash(const ncclUniqueId *id)
{
    return ncs_hash_bytes(0, id, sizeof *id);
}

bool ncs_run_id_shown(const struct ncs_run *run, const ncclUniqueId *id)
{
    const struct run_id *i = ncs_map_get(&run->store.ids, run_id_hash(id));
    while (i && memcmp(&i->id, id, sizeof *id) != 0)
        i = i->next;
    return i;
}

void ncs_run_id_show(struct ncs_run *run, const ncclUniqueId *id)
{
    if (ncs_run_id_shown(run, id))
        return;
    struct run_id *i = ncs_new(sizeof *i);
    i->id = *id;
    i->next = ncs_map_get(&run->store.ids, run_id_hash(id));
    ncs_map_put(&run->store.ids, run_id_hash(id), i);
}

static void run_id_free_chain(void *value, void *arg)
{
    (void)arg;
    for (struct run_id *i = value, *next; i; i = next) {
        next = i->next;
        ncs_free(i);
    }
}

void ncs_run_id_free(struct run_store *store)
{
    ncs_map_each(&store->ids, run_id_free_chain, NULL);
    ncs_map_free(&store->ids);
}
