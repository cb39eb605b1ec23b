/* A call through the table C, on its way to the library and back. */
#ifndef NCS_SCRIPT_RAW_H
#define NCS_SCRIPT_RAW_H

#include "script/object.h"

struct ncs_raw {
    const struct ncs_fn_info *info;
    enum ncs_fn fn;
    union ncs_arg arg[NCS_MAX_ARGS];
    int at[NCS_MAX_ARGS];     /* on the stack: the argument, or an out-parameter's cell */
    lua_Integer nranks, rank; /* of the new communicator; -1 = C's arguments do not say */
    const int *devices;
    bool no_color;             /* a split in which this rank gives no color */
    const struct ncs_comm *of; /* the communicator that the call is made on; NULL = none */
    const ncclConfig_t *config;
};

/* Converts the arguments on the stack, 1 .. top, in C's order without the out-parameters. */
void ncs_raw_arguments(lua_State *L, struct ncs_raw *c);
/* Lends the call the script's own memory to which its arguments point. */
void ncs_raw_lend(lua_State *L, int args);
/* Tells the journal the type of the buffer that a reduction is given. */
void ncs_raw_declare(lua_State *L, const struct ncs_raw *c);

/* Pushes a cell for each out-parameter. Cells are objects, because a group may fill them later. */
void ncs_raw_cells(lua_State *L, struct ncs_raw *c);
/* Pushes the contents of the cells; nil for each unless `ok`. */
void ncs_raw_results(lua_State *L, struct ncs_raw *c, bool ok);

/* The value of a constant or result code by its name in C; false = unknown name. */
bool ncs_raw_constant(const char *name, lua_Integer *value);
const char *ncs_raw_near_constant(const char *name); /* NULL = none is near */

/* ---- structs as tables with C's field names ---- */

enum ncs_raw_struct {
    NCS_STRUCT_WAIT,
    NCS_STRUCT_LOCATION,
    NCS_STRUCT_POOL,
    NCS_STRUCT_DEVICE,
    NCS_STRUCT_POINTER,
    NCS_STRUCT_COMM,
    NCS_STRUCT_SIM,
    NCS_STRUCT_CONFIG, /* the fields before those of ncclConfig_t */
};

void ncs_struct_push(lua_State *L, enum ncs_raw_struct what, const void *from);
/* Reads fields from the table at arg; absent fields keep their values. `name` is for messages. */
void ncs_struct_read(lua_State *L, int arg, enum ncs_raw_struct what, void *to, const char *name);

int ncs_raw_config(lua_State *L);   /* C.ncclConfig { ... } */
int ncs_raw_sim_info(lua_State *L); /* C.ncclSimInfo { ... } */

/* ---- functions of the script in stream order (callback.c) ---- */

/* Prepares the function at `fn` for one call with the value at `data`. Pass the result to the
 * library as userData, together with one of the two functions below; the driver calls it in a
 * context of its own of the same rank. `stream` is the stack index of a stream callback's first
 * argument, 0 = none. */
void *ncs_callback_new(lua_State *L, int fn, int data, int stream);
/* Drops a callback that will not run; NULL is a no-op. */
void ncs_callback_drop(lua_State *L, void *callback);
void ncs_callback_run(void *callback); /* a cudaHostFn_t */
void ncs_callback_run_stream(cudaStream_t stream, cudaError_t status, void *callback);

#endif
