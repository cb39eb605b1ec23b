#include "run/notices.h"

#include "base/mem.h"
#include "diagnose/hazard/hazard.h"
#include "verify/verify.h"

enum { KEPT = 1024 };

struct ncs_notice *ncs_notices_add(struct ncs_notices *list, enum ncs_notice_kind kind,
                                   struct ncs_call *const *calls, size_t count, const char *why)
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
        ncs_free(notice->why);
    }
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

void ncs_notices_hazards(struct ncs_notices *list, struct ncs_hazards *hazards, const struct ncs_wrong *wrong,
                         size_t wrongs, bool done)
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
