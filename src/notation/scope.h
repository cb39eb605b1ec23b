/* A scenario in YAML while it is checked and translated. */
#ifndef NCS_NOTATION_SCOPE_H
#define NCS_NOTATION_SCOPE_H

#include "base/complaint.h"
#include "base/source.h"
#include "notation/schema.h"
#include "notation/things.h"
#include "notation/yaml/yaml.h"

/* Limits of a file's size, with aliases expanded. */
#define NCS_STEPS_MAX ((size_t)1 << 20)
#define NCS_LUA_BYTES_MAX ((size_t)64 << 20)
#define NCS_STEPS_DEEPEST 32 /* lists of steps within lists of steps */

struct ncs_scope {
    const struct ncs_source *source;
    const struct ncs_yaml *yaml;
    const struct ncs_yaml_node *root, *params; /* NULL: none are declared */
    struct ncs_complaints *c;
    struct ncs_things names;
    struct ncs_things globals; /* that chunks of Lua use */
    size_t steps;
    size_t depth, deepest; /* nesting of the list of steps that is being checked; the most so far */
    bool too_deep;
    size_t cut;   /* byte after a comma that has cut a plain scalar; 0: none */
    bool world;   /* there is a communicator `world` */
    bool unsafe;  /* any variable may be set */
    bool returns; /* a chunk may return from the rank, not only from a group of steps */
};

/* A step whose verb has been found. */
struct ncs_step {
    const struct ncs_schema_verb *verb;
    const struct ncs_yaml_node *map, *key, *value; /* of the step; of the verb */
};

/* Fills all members but `missing`; returns the number of verbs in the map. */
size_t ncs_step_read(const struct ncs_yaml_node *map, struct ncs_step *step);

/* The name that the step gives to its result, of whatever kind; the list of steps inside it. NULL: none. */
const struct ncs_yaml_node *ncs_step_makes(const struct ncs_step *step);
const struct ncs_yaml_node *ncs_step_inner(const struct ncs_step *step);

/* The node of a key in a map that has the key. */
const struct ncs_yaml_node *ncs_scope_key(const struct ncs_yaml_node *map, const char *name);

/* The value of a field of the step's verb, also if written in short form; NULL: not given. */
const struct ncs_yaml_node *ncs_step_field(const struct ncs_step *step, const char *name);

#endif
