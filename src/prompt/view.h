/* The prompt's state as a lesson's functions see it. */
#ifndef NCS_PROMPT_VIEW_H
#define NCS_PROMPT_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include <lua.h>

struct ncs_prompt;

/* Pushes a table:
 *   nranks             ranks of the run
 *   input              the last typed line, without its address
 *   replies            list from 0: each rank's reply to it, as shown; nil: none
 *   errors             list from 0: the error with which its line ended on a rank; nil: none
 *   waiting            list of the waiting ranks
 *   findings           list of ids of current problems
 *   wrong, failed      wrong results, failed expectations, so far
 *   time               virtual time in seconds
 *   value(rank, name)  the elements (up to 4096) of the buffer in a rank's variable; nil: no buffer
 *   holds(rank, name, want)  true if it is a buffer with these elements: a number for all, a list, or a
 *                      function of i; to a thousandth
 *   calls(rank [, f])  the calls of a rank in order, of C function f or of all: tables with fn, comm, number,
 *                      count, dtype, op, root, peer, rc, in_place, grouped, returned, label, line,
 *                      stream, event, send, recv (texts that are the same for the same object), seconds
 *   made(rank [, f])   those of them that were made since the task was set
 *   filled(rank)       how often the rank has written values into device memory by itself since then
 *   dtype(rank, name)  the data type of the buffer in a rank's variable; nil: no buffer
 *   address(rank, name) the address of the buffer in a rank's variable, as send and recv of a call; nil: no buffer
 *   streams()          number of unfinished operations on streams
 *   command            the latest command typed at the lesson's shell: text, status, output; nil: none
 *   file(name)         the text of a file of the lesson's folder; nil: no such file */
void prompt_push_view(lua_State *L, struct ncs_prompt *p);

/* How often a rank (-1: any) has written data of the host, or bytes, into device memory after call `from` of the run. */
size_t prompt_count_fills(const struct ncs_prompt *p, uint64_t from, int rank);

#endif
