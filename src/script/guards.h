/* The limits of the sandbox for Lua states that are no rank's, such as a lesson's. */
#ifndef NCS_SCRIPT_GUARDS_H
#define NCS_SCRIPT_GUARDS_H

#include <lua.h>

/* Bounds what one call of a library can do in a state of ncs_heap_state whose globals string, table and utf8 are Lua's
 * libraries: no call copies, searches or walks without end. */
void ncs_lua_guard(lua_State *L);

#endif
