/* Shared by the files that read scenario{}: the declaration being read, the rows of its keys, and
 * readers for each kind of value. */
#ifndef NCS_SCRIPT_DECLARE_H
#define NCS_SCRIPT_DECLARE_H

#include "scenario/matrix.h"
#include "scenario/scenario.h"
#include "script/state.h"

struct ncs_declaration {
    struct ncs_script *script;
    const struct ncs_script_settings *settings;
    struct ncs_scenario *scenario;
    const char *key;    /* the key that is being read */
    const char *within; /* the key whose table holds it; NULL = anywhere */
    bool only_cases;    /* reads only what matrix and exclude need */
    struct ncs_matrix matrix;
    bool seen, done;
    struct ncs_error *err; /* filled by checks of other rooms */
};

struct ncs_declare_row {
    const char *name;
    void (*read)(lua_State *L, struct ncs_declaration *d, int value);
};

/* Values of the key that is being read; wrong values raise. */
void ncs_declare_replace(char **text, const char *with);
const char *ncs_declare_text(lua_State *L, struct ncs_declaration *d, int value);
bool ncs_declare_flag(lua_State *L, struct ncs_declaration *d, int value);
uint64_t ncs_declare_size(lua_State *L, struct ncs_declaration *d, int value);
int ncs_declare_version(lua_State *L, struct ncs_declaration *d, int value);
/* If the value is a function, calls it with the parameters. Returns the index of what counts. */
int ncs_declare_computed(lua_State *L, struct ncs_declaration *d, int value);
/* Reads a whole number or a list of them. Replaces *list and returns its length. */
size_t ncs_declare_ints(lua_State *L, struct ncs_declaration *d, int value, int **list);
/* Reads a table by rows, in the order of the rows; other keys are refused. */
void ncs_declare_rows(lua_State *L, struct ncs_declaration *d, int table, const struct ncs_declare_row *rows);

void ncs_declare_needs(lua_State *L, struct ncs_declaration *d, int value);
void ncs_declare_sim(lua_State *L, struct ncs_declaration *d, int value);
void ncs_declare_env(lua_State *L, struct ncs_declaration *d, int value);
void ncs_declare_outcome(lua_State *L, struct ncs_declaration *d, int value);
void ncs_declare_bug(lua_State *L, struct ncs_declaration *d, int value);

/* Call it after params are read and set from the command line. */
void ncs_declare_matrix(lua_State *L, struct ncs_declaration *d, int value);
void ncs_declare_exclude(lua_State *L, struct ncs_declaration *d, int value);
/* An axis that the command line sets keeps that one value. */
void ncs_declare_pins(struct ncs_declaration *d);

#endif
