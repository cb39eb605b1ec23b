/* What a lesson's function sees of the prompt. */
#ifndef NCS_PROMPT_VIEW_H
#define NCS_PROMPT_VIEW_H

#include <lua.h>

struct ncs_prompt;

/* Pushes a table:
 *   nranks             ranks of the run
 *   input              what was typed last, without its address
 *   replies            list from 0: what each rank has replied to it, as shown; nil where it has not
 *   errors             list from 0: the error that its line ended with on a rank; nil where with none
 *   waiting            ranks that wait, a list
 *   findings           ids of what is wrong now, a list
 *   wrong, failed      how many results were wrong, how many expectations failed, so far
 *   time               virtual time in seconds
 *   value(rank, name)  the elements of the buffer (up to 4096) that a rank's variable is; nil: it is none
 *   holds(rank, name, want)  whether that is a buffer and has these elements: a number for all, a list, or a
 *                      function of i; to a thousandth
 *   calls(rank [, f])  the calls of a rank in order, of a C function or all: tables with fn, comm, number, count,
 *                      dtype, op, root, peer, rc, in_place, grouped, returned, label, line
 *   streams()          how many operations are on streams and not done */
void prompt_push_view(lua_State *L, struct ncs_prompt *p);

#endif
