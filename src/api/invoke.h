/* Calls a function of the API by its number: for callers that work from ncs_fn_info. */
#ifndef NCS_API_INVOKE_H
#define NCS_API_INVOKE_H

#include "api/journal.h"

/* arg: in C's order, as ncs_fn_info[fn].arg describes them; a unique id by value is given by a
 * pointer to it. result: .i is the code; of functions whose result is a text, .p is the text.
 * False when the library lacks the function. */
bool ncs_invoke(const struct ncs_api *api, enum ncs_fn fn, const union ncs_arg *arg,
                union ncs_arg *result);

#endif
