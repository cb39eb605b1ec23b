/* Keys of the store: which keys are alike, which awaited keys no course sets, and which steps set a key that no course
 * awaits. */
#include "diagnose/course/course.h"

#include <string.h>

#include "base/hash.h"

uint64_t ncs_key_hash(const char *key)
{
    return ncs_hash_bytes(0, key, strlen(key)) | 1;
}

uint64_t ncs_key_class(const char *key)
{
    uint64_t class = 7;
    for (const char *p = key; *p;) {
        bool digits = *p >= '0' && *p <= '9';
        class = ncs_hash(class, digits ? '0' : (uint64_t)(unsigned char)*p);
        do
            p++;
        while (digits && *p >= '0' && *p <= '9');
    }
    return class | 1;
}

static bool is_of_key(const struct ncs_step *s)
{
    return s->kind == NCS_STEP_SET || s->kind == NCS_STEP_GET;
}

const char *ncs_awaited_key(const struct ncs_course *c)
{
    const struct ncs_step *last = c->steps && c->stands ? &c->step[c->steps - 1] : NULL;
    return last && last->kind == NCS_STEP_GET && !last->host->over ? last->host->what : NULL;
}

/* Marks steps at places to which few courses come. One rank often sets what the others wait for, so a course without
 * such a step is no different from most; courses that wait for a key now are not counted among the others. */
static void find_lone(struct ncs_courses *all)
{
    struct ncs_map come = { 0 }, last = { 0 }; /* site -> courses that come there, the last of them + 1 */
    size_t waiting = 0;
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->of[i].steps; k++) {
            uint64_t site = all->of[i].step[k].site;
            if (!is_of_key(&all->of[i].step[k]) || ncs_map_number(&last, site) == i + 1)
                continue;
            ncs_map_put_number(&last, site, i + 1);
            ncs_map_put_number(&come, site, ncs_map_number(&come, site) + 1);
        }
    for (size_t i = 0; i < all->count; i++)
        waiting += ncs_awaited_key(&all->of[i]) != NULL;
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->of[i].steps; k++) {
            struct ncs_step *s = &all->of[i].step[k];
            size_t alike = ncs_map_number(&come, s->site), others = s->kind == NCS_STEP_SET ? waiting : 0;
            s->lone = is_of_key(s) && (alike < 2 || 2 * alike <= all->count - others);
        }
    ncs_map_free(&come);
    ncs_map_free(&last);
}

/* Finds awaited keys that no course sets, and steps that may have set a wrong key in their place. Such a step sets a key
 * of a class that no course asks for, or a key of the awaited class that two courses set. Other keys of an awaited
 * class are no candidates: who waits for "rank2-ready" may ask for "rank3-ready" later. Counters (store:add) are
 * not, either: several courses add to one. */
static void keys_find_unmatched(struct ncs_courses *all)
{
    struct ncs_map set = { 0 }, twice = { 0 };    /* keys -> course that sets them, + 1; those that two set -> 1 */
    struct ncs_map asked = { 0 }, missed = { 0 }; /* classes of keys -> 1 */
    bool any = false;
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->of[i].steps; k++) {
            const struct ncs_step *s = &all->of[i].step[k];
            size_t before = s->kind == NCS_STEP_SET ? ncs_map_number(&set, ncs_key_hash(s->host->what)) : 0;
            if (before && before != i + 1)
                ncs_map_put_number(&twice, ncs_key_hash(s->host->what), 1);
            if (s->kind == NCS_STEP_SET)
                ncs_map_put_number(&set, ncs_key_hash(s->host->what), i + 1);
            if (s->kind == NCS_STEP_GET)
                ncs_map_put_number(&asked, ncs_key_class(s->host->what), 1);
        }
    for (size_t i = 0; i < all->count; i++) {
        const char *key = ncs_awaited_key(&all->of[i]);
        all->of[i].missed = key && !ncs_map_get(&set, ncs_key_hash(key)) ? key : NULL;
        any |= all->of[i].missed != NULL;
        if (all->of[i].missed)
            ncs_map_put_number(&missed, ncs_key_class(key), 1);
    }
    for (size_t i = 0; i < all->count && any; i++)
        for (size_t k = 0; k < all->of[i].steps; k++) {
            struct ncs_step *s = &all->of[i].step[k];
            bool sets = s->kind == NCS_STEP_SET && s->host->kind != NCS_HOST_ADD;
            uint64_t class = sets ? ncs_key_class(s->host->what) : 0;
            s->unmatched = class && (!ncs_map_get(&asked, class) ||
                                     (ncs_map_get(&missed, class) && ncs_map_get(&twice, ncs_key_hash(s->host->what))));
        }
    ncs_map_free(&set);
    ncs_map_free(&twice);
    ncs_map_free(&missed);
    ncs_map_free(&asked);
}

void ncs_courses_find_keys(struct ncs_courses *all)
{
    if (!all->any_key)
        return;
    find_lone(all);
    keys_find_unmatched(all);
}
