#include "shim/exec/exec.h"

#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "shim/exec/places.h"

#define LISTED_MOST 4096 /* further places are left out */

struct listed {
    enum ncs_fn fn;
    struct ncs_place place;
    bool of_rank; /* else of threads that have no rank */
    uint64_t calls;
};

static struct listed *listed;
static size_t listeds, listed_room;
static struct ncs_map places; /* of function and place -> index + 1 */

void ncs_call_list_add(const struct ncs_journal *journal, const struct ncs_call *call, int rank)
{
    int of = ncs_exec_rank_of(journal, call);
    uint64_t key = ncs_hash(ncs_hash(ncs_map_key(call->place.file), (uint64_t)call->place.line),
                            (uint64_t)call->fn * 2 + (of == rank));
    if ((of != rank && of >= 0) || !call->place.line)
        return;
    uintptr_t at = (uintptr_t)ncs_map_get(&places, key);
    if (!at && listeds < LISTED_MOST) {
        struct listed place = { .fn = call->fn, .place = call->place, .of_rank = of == rank };
        NCS_PUSH(listed, listeds, listed_room, place);
        at = listeds;
        ncs_map_put(&places, key, (void *)at);
    }
    if (at)
        listed[at - 1].calls++;
}

/* One line of a source may be several addresses. */
static bool was_written(size_t at, const char *place)
{
    for (size_t i = 0; i < at; i++) {
        const char *other = ncs_places_name(listed[i].place.line);
        if (other && listed[i].fn == listed[at].fn && listed[i].of_rank == listed[at].of_rank && strcmp(other, place) == 0)
            return true;
    }
    return false;
}

void ncs_call_list_write(ncs_channel_tell *tell)
{
    for (size_t i = 0; i < listeds; i++) {
        const char *place = ncs_places_name(listed[i].place.line);
        if (!place || was_written(i, place))
            continue;
        tell(NCS_CHANNEL_SITE, "%llu%c%c%c%s%c%s", (unsigned long long)listed[i].calls, 0, listed[i].of_rank ? 'r' : '-', 0,
             ncs_fn_info[listed[i].fn].name, 0, place);
    }
}
