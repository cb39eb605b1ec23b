/* Wraps every function of the API so that the journal records each call. */
#include "driver/journal.h"

#include <string.h>

#include "api/invoke.h"

static struct {
    struct ncs_journal *journal;
    const struct ncs_api *next;
    struct ncs_api wrapped;
} front;

static union ncs_arg journal_call(enum ncs_fn fn, const union ncs_arg *arg)
{
    union ncs_arg result = { .i = 0 };
    if (ncs_fn_info[fn].result == NCS_RESULT_TEXT) {
        if (front.journal->asked)
            front.journal->asked(fn, arg);
        ncs_invoke(front.next, fn, arg, &result);
        return result;
    }
    struct ncs_call *call = ncs_journal_enter(front.journal, fn);
    memcpy(call->arg, arg, (size_t)ncs_fn_info[fn].nargs * sizeof *arg);
    result.i = ncs_journal_begin(front.journal, call);
    if (result.i == 0 && !call->withdrawn)
        ncs_invoke(front.next, fn, arg, &result);
    ncs_journal_leave(front.journal, call, (int)result.i);
    return result;
}

#define THROUGH journal_call
#include "api/through.inc"

const struct ncs_api *ncs_journal_wrap(struct ncs_journal *j, const struct ncs_api *api)
{
    front.journal = j;
    front.next = api;
    ncs_journal_ask(j, api);
    through_fill(&front.wrapped, api);
    return &front.wrapped;
}
