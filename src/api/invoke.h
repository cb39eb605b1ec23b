/* Calls a function of the API by its number: for callers that work from ncs_fn_info. */
#ifndef NCS_API_INVOKE_H
#define NCS_API_INVOKE_H

#include "api/journal.h"

/* arg: in C's order, as ncs_fn_info[fn].arg describes them; a unique id by value is passed as a
 * pointer to it. result: .i is the code; for functions that return a text, .p is the text.
 * Returns false if the library lacks the function. */
bool ncs_invoke(const struct ncs_api *api, enum ncs_fn fn, const union ncs_arg *arg, union ncs_arg *result);

#endif
