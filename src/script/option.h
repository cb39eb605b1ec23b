/* Reads the option table at the end of a call by rows: name, kind, offset of the value. */
#ifndef NCS_SCRIPT_OPTION_H
#define NCS_SCRIPT_OPTION_H

#include <stddef.h>

#include "script/state.h"

enum ncs_option_kind {
    NCS_OPTION_FLAG,    /* bool */
    NCS_OPTION_SWITCH,  /* int: a number, or a boolean for 0 and 1 */
    NCS_OPTION_INT,     /* int */
    NCS_OPTION_INTEGER, /* lua_Integer, 0 or more */
    NCS_OPTION_NUMBER,  /* double */
    NCS_OPTION_SECONDS, /* int64_t, nanoseconds */
    NCS_OPTION_TEXT,    /* const char *, interned */
    NCS_OPTION_SLOT,    /* int: any value; it is pushed, and this is its stack index */
    NCS_OPTION_VERIFY,  /* stored nowhere: false = calls of this binding are not verified */
};

struct ncs_option {
    const char *name; /* NULL ends the rows */
    enum ncs_option_kind kind;
    size_t offset;
};

/* Reads the option table at arg (none or nil = no options) into the struct `into`, which holds the
 * defaults. Every call has the option `label`. Unknown options are refused. */
void ncs_lua_options(lua_State *L, int arg, const struct ncs_option *rows, void *into);

/* For calls whose only option is a label. */
void ncs_lua_label(lua_State *L, int arg);

/* CFG: the options of a communicator's configuration. */
struct ncs_comm_config {
    ncclConfig_t config;
    const char *name;
    bool given; /* config differs from the defaults */
};
void ncs_comm_config_read(lua_State *L, int arg, struct ncs_comm_config *into);
/* As ncs_comm_config_read, with at most 8 further rows, for a struct that begins with a
 * ncs_comm_config. */
void ncs_comm_config_read_with(lua_State *L, int arg, struct ncs_comm_config *into, const struct ncs_option *more);
/* For C.ncclConfig: sets the field with C's name from the value at arg. False = no such field. */
bool ncs_config_set(lua_State *L, ncclConfig_t *config, const char *field, int arg);
const char *const *ncs_config_fields(void); /* C's names, NULL at the end */

#endif
