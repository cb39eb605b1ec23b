/* The ready-made names of a rank's environment. Each is made when the script names it for the first time: most scripts
 * name few, and every rank has an environment of its own. */
#ifndef NCS_SCRIPT_READY_H
#define NCS_SCRIPT_READY_H

#include <stdbool.h>

#include <lua.h>

/* Pushes the value of the ready-made global `word`, and keeps it in the real table of globals at `globals`; false,
 * and pushes nothing, if there is no such name or it has been made before. */
bool ncs_ready_make(lua_State *L, int globals, const char *word);

/* Pushes the real table of globals with all names in it, for who looks through them. */
void ncs_ready_all(lua_State *L);

#endif
