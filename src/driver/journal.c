/* Wraps every function of the API so that the journal records each call. */
#include "driver/journal.h"

#include <string.h>

static struct {
    struct ncs_journal *journal;
    const struct ncs_api *next;
    struct ncs_api wrapped;
} front;

static struct ncs_call *journal_enter(enum ncs_fn fn, const union ncs_arg *arg)
{
    struct ncs_call *call = ncs_journal_enter(front.journal, fn);
    memcpy(call->arg, arg, (size_t)ncs_fn_info[fn].nargs * sizeof *arg);
    return call;
}

#define WRAP_CODE(result, name, parameters, arguments, ...)                                     \
    static result wrap_##name parameters                                                        \
    {                                                                                           \
        struct ncs_call *call = journal_enter(NCS_FN_##name, (union ncs_arg[]){ __VA_ARGS__ }); \
        result rc = (result)ncs_journal_begin(front.journal, call);                             \
        if (rc == 0 && !call->withdrawn)                                                        \
            rc = front.next->name arguments;                                                    \
        ncs_journal_leave(front.journal, call, (int)rc);                                        \
        return rc;                                                                              \
    }
#define WRAP_COUNTED WRAP_CODE
#define WRAP_VOID(result, name, parameters, arguments, ...)                                     \
    static void wrap_##name parameters                                                          \
    {                                                                                           \
        struct ncs_call *call = journal_enter(NCS_FN_##name, (union ncs_arg[]){ __VA_ARGS__ }); \
        ncs_journal_begin(front.journal, call);                                                 \
        front.next->name arguments;                                                             \
        ncs_journal_leave(front.journal, call, 0);                                              \
    }
#define WRAP_TEXT(result, name, parameters, arguments, ...)                              \
    static const char *wrap_##name parameters                                            \
    {                                                                                    \
        if (front.journal->asked)                                                        \
            front.journal->asked(NCS_FN_##name, (const union ncs_arg[]){ __VA_ARGS__ }); \
        return front.next->name arguments;                                               \
    }
#define NCS_FUNCTION(kind, export, ...) WRAP_##kind(__VA_ARGS__)
#include "api/gen/functions.def"
#undef NCS_FUNCTION

#define wrap_of_CODE(name) api->name ? wrap_##name : NULL
#define wrap_of_COUNTED wrap_of_CODE
#define wrap_of_VOID wrap_of_CODE
#define wrap_of_TEXT wrap_of_CODE

const struct ncs_api *ncs_journal_wrap(struct ncs_journal *j, const struct ncs_api *api)
{
    front.journal = j;
    front.next = api;
    ncs_journal_ask(j, api);
    front.wrapped = (struct ncs_api){
#define NCS_FUNCTION(kind, export, result, name, ...) .name = wrap_of_##kind(name),
#include "api/gen/functions.def"
#undef NCS_FUNCTION
    };
    return &front.wrapped;
}
