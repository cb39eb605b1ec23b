#include "run/notices.h"

#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "diagnose/hazard/hazard.h"
#include "verify/verify.h"

enum { KEPT = 1024, UNWRITTEN_KEPT = 64 };

struct ncs_notice *ncs_notices_add(struct ncs_notices *list, enum ncs_notice_kind kind, struct ncs_call *const *calls,
                                   size_t count, const char *why)
{
    if (list->count == KEPT)
        return NULL;
    struct ncs_notice notice = { .kind = kind, .why = ncs_copy_text(why), .calls = count };
    notice.call = ncs_new(count * sizeof *notice.call);
    for (size_t i = 0; i < count; i++) {
        notice.call[i] = calls[i];
        ncs_call_pin(calls[i]);
    }
    NCS_PUSH(list->notice, list->count, list->room, notice);
    return &list->notice[list->count - 1];
}

void ncs_notices_drop(struct ncs_notices *list, size_t kept)
{
    while (list->count > kept) {
        struct ncs_notice *notice = &list->notice[--list->count];
        for (size_t k = 0; k < notice->calls; k++)
            ncs_call_unpin(notice->call[k]);
        ncs_free(notice->call);
        ncs_free(notice->fault);
        ncs_free(notice->setting.value);
        ncs_free(notice->unwritten.extent);
        ncs_free(notice->why);
    }
}

/* NCCL takes an empty variable for one that is not set. */
void ncs_notices_setting(struct ncs_notices *list, const char *name, const char **value, int processes)
{
    bool differ = false;
    for (int p = 0; p < processes; p++) {
        value[p] = value[p] && *value[p] ? value[p] : NULL;
        differ |= !value[p] != !value[0] || (value[p] && strcmp(value[p], value[0]) != 0);
    }
    struct ncs_notice *n = differ ? ncs_notices_add(list, NCS_NOTICE_SETTING, NULL, 0, name) : NULL;
    if (n)
        n->setting = (struct ncs_notice_setting){ .name = n->why, .value = value, .processes = processes };
    else
        ncs_free(value);
}

void ncs_notices_mismatch(void *list, struct ncs_call *const *calls, size_t count)
{
    ncs_notices_add(list, NCS_NOTICE_MISMATCH, calls, count, NULL);
}

void ncs_notices_crash(void *list, struct ncs_call *call, const char *why)
{
    ncs_notices_add(list, NCS_NOTICE_CRASH, &call, call ? 1 : 0, why);
}

void ncs_notices_fault(void *list, struct ncs_call *call, const char *why)
{
    ncs_notices_add(list, NCS_NOTICE_FAULT, &call, call ? 1 : 0, why);
}

/* ---- unwritten memory: one notice for all ranks that use at one place what was allocated at one place ---- */

static bool at_one_place(const struct ncs_call *a, const struct ncs_call *b)
{
    if (!a || !b)
        return a == b;
    return a->fn == b->fn && a->place.line == b->place.line && a->place.file == b->place.file;
}

static const struct ncs_call *carrier_of(const struct ncs_notice *n)
{
    size_t at = n->unwritten.readers + n->unwritten.owners;
    return at < n->calls ? n->call[at] : NULL;
}

static struct ncs_notice *unwritten_like(const struct ncs_notices *list, const struct ncs_unwritten *what, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct ncs_notice *n = &list->notice[i];
        if (n->kind != NCS_NOTICE_UNWRITTEN)
            continue;
        ++*count;
        if (n->unwritten.use == what->use && n->unwritten.element == what->element && at_one_place(n->call[0], what->reader) &&
            at_one_place(n->call[n->unwritten.readers], what->from[0]) && at_one_place(carrier_of(n), what->carrier))
            return n;
    }
    return NULL;
}

/* Adds a call to those from `first` on, `count` of them, in order of rank; a rank is there once. Returns its place. */
static size_t add_by_rank(struct ncs_notice *n, size_t first, size_t *count, struct ncs_call *call)
{
    size_t at = first, end = first + *count;
    while (at < end && n->call[at]->rank < call->rank)
        at++;
    /* A rank of the run may drive several ranks of a communicator. */
    while (at < end && n->call[at]->rank == call->rank && n->call[at]->comm_rank < call->comm_rank)
        at++;
    if (at < end && n->call[at]->rank == call->rank && n->call[at]->comm_rank == call->comm_rank)
        return at;
    n->call = ncs_resize(n->call, (n->calls + 1) * sizeof *n->call);
    memmove(n->call + at + 1, n->call + at, (n->calls - at) * sizeof *n->call);
    n->call[at] = call;
    n->calls++;
    ++*count;
    ncs_call_pin(call);
    return at;
}

/* Adds the elements to those of the reader at the place; is_new: it has none yet. */
static void add_extent(struct ncs_notice_unwritten *u, size_t at, bool is_new, struct ncs_notice_extent added)
{
    if (is_new) {
        u->extent = ncs_resize(u->extent, u->readers * sizeof *u->extent);
        memmove(u->extent + at + 1, u->extent + at, (u->readers - 1 - at) * sizeof *u->extent);
        u->extent[at] = added;
        return;
    }
    struct ncs_notice_extent *e = &u->extent[at];
    if (added.first > e->last + 1 || added.last + 1 < e->first) {
        e->more = true;
        return;
    }
    e->first = added.first < e->first ? added.first : e->first;
    e->last = added.last > e->last ? added.last : e->last;
}

void ncs_notices_unwritten(void *to, const struct ncs_unwritten *what)
{
    struct ncs_notices *list = to;
    size_t count;
    struct ncs_notice *n = unwritten_like(list, what, &count);
    bool is_new = !n;
    if (is_new && count < UNWRITTEN_KEPT)
        n = ncs_notices_add(list, NCS_NOTICE_UNWRITTEN, &what->carrier, what->carrier ? 1 : 0, NULL);
    if (!n)
        return;
    struct ncs_notice_unwritten *u = &n->unwritten;
    if (is_new)
        *u = (struct ncs_notice_unwritten){ .use = what->use, .element = what->element };
    size_t before = u->readers, at = add_by_rank(n, 0, &u->readers, what->reader);
    add_extent(u, at, u->readers > before,
               (struct ncs_notice_extent){ .first = what->first + 1, .last = what->first + what->count });
    for (size_t i = 0; i < what->froms; i++)
        if (what->from[i])
            add_by_rank(n, u->readers, &u->owners, what->from[i]);
}

/* ---- reductions in another type than the buffer's ---- */

static bool is_integer(int dtype)
{
    return !ncs_dtype_is_float(dtype);
}

/* Buffers of one-byte integers are bytes, which may be anything. Sums and products of integers are the same bits whether
 * these have a sign or not. */
static bool changes_result(int declared, int dtype, int64_t op)
{
    bool bytes = is_integer(declared) && ncs_dtype_bytes(declared) == 1;
    bool alike = is_integer(declared) && is_integer(dtype) && ncs_dtype_bytes(declared) == ncs_dtype_bytes(dtype) &&
                 (op == ncclSum || op == ncclProd);
    return declared != dtype && !bytes && !alike;
}

void ncs_notices_retyped(struct ncs_notices *list, struct ncs_call *call)
{
    struct ncs_notice *n = NULL;
    size_t calls;
    if (!call->declared || call->rc || call->number == 0 || ncs_call_count(call) == 0 ||
        ncs_dtype_bytes(ncs_call_dtype(call)) == 0 ||
        !changes_result(call->declared - 1, ncs_call_dtype(call), ncs_call_op(call)))
        return;
    for (size_t i = 0; i < list->count && !n; i++)
        if (list->notice[i].kind == NCS_NOTICE_RETYPED && at_one_place(list->notice[i].call[0], call) &&
            list->notice[i].call[0]->declared == call->declared && list->notice[i].call[0]->comm == call->comm)
            n = &list->notice[i];
    if (!n) {
        ncs_notices_add(list, NCS_NOTICE_RETYPED, &call, 1, NULL);
        return;
    }
    calls = n->calls;
    add_by_rank(n, 0, &calls, call);
}

void ncs_notices_hazards(struct ncs_notices *list, struct ncs_hazards *hazards, const struct ncs_wrong *wrong, size_t wrongs,
                         bool done)
{
    size_t count;
    for (size_t i = 0; i < wrongs; i++)
        ncs_hazards_wrong(hazards, wrong[i].call);
    const struct ncs_hazard *found = ncs_hazards_found(hazards, &count);
    for (size_t i = 0; i < count; i++) {
        if (found[i].kind == NCS_HAZARD_OFF_ROOT && found[i].meant >= found[i].times)
            continue;
        struct ncs_call *const calls[] = { found[i].earlier, found[i].later };
        struct ncs_notice *n = ncs_notices_add(list, NCS_NOTICE_HAZARD, calls, 2, NULL);
        if (!n)
            return;
        n->hazard = &found[i];
        n->felt = found[i].felt && done;
    }
}
