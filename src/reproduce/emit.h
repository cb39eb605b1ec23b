/* A job as the text of a scenario, in Lua or YAML. */
#ifndef NCS_REPRODUCE_EMIT_H
#define NCS_REPRODUCE_EMIT_H

#include "api/process.h"
#include "reproduce/workload.h"

struct ncs_workload_text {
    bool yaml;
    const char *about; /* one line */
    char *const *comment;
    size_t comments; /* lines at the top */
    /* A call's place stands in a comment behind it, instead of being its label. The diagnosis takes different labels for
     * different calls, also where the program makes one call in two places. */
    bool places_in_comments;
    const char *policy;     /* "typical"; NULL = the default */
    struct ncs_shape hosts; /* borrowed; devices 0 = the default. A comment says why the scenario declares them */
    int lanes;              /* launches that a GPU runs at a time; 0 = any number */
    /* How the run ends. */
    const char *verdict; /* "hang", "pass", ..., or "finding": any verdict with this class; NULL = no outcome is declared */
    const char *error;   /* verdict "error": its name */
    const char *why;     /* the class of the cause; NULL = none */
    const int *culprit;
    size_t culprits;
};

#define NCS_WORKLOAD_WHY_DEVICES "devices: as many ranks share a host as in the run that this is made of."

/* Appends "8", or a list in these brackets. */
void ncs_workload_add_hosts(struct ncs_str *out, const struct ncs_shape *hosts, const char *open, const char *close);

/* Appends a line of comment, whatever the text contains. */
void ncs_workload_add_comment(struct ncs_str *out, const char *begin, const char *text);

void ncs_workload_emit(const struct ncs_workload *job, const struct ncs_workload_text *text, struct ncs_str *out);

/* ---- for the files of this room ---- */

struct ncs_workload_option {
    const char *key;
    char *value; /* an expression; of a label: its text */
    bool is_text;
};

/* A step as a call of a method. */
struct ncs_workload_statement {
    const char *object, *verb; /* "world", "all_reduce" */
    char *chosen;              /* the object, if it differs by rank: an expression; else NULL */
    char *send, *recv, *peer;  /* expressions; NULL = none */
    struct ncs_workload_option option[8];
    size_t options;
};

/* A buffer for the calls of one type and count. */
struct ncs_workload_buffer {
    int dtype;
    uint64_t count;        /* scaled */
    uint64_t room, room_2; /* elements of the one that calls read and write, and of another that they write; 0 = not needed */
    char *name, *name_2;   /* "x", "z"; of several "x_64", "x_int32_8"; in a table "x[64]", "x.int32_8" */
};

enum ncs_workload_kind {
    NCS_WORKLOAD_COMMS,
    NCS_WORKLOAD_STREAMS,
    NCS_WORKLOAD_EVENTS,
    NCS_WORKLOAD_BUFFERS,
    NCS_WORKLOAD_KINDS
};

/* The objects of a scenario, and what it calls them. */
struct ncs_workload_buffers {
    const struct ncs_workload *job;
    uint64_t *count;
    size_t counts; /* the different counts, ascending */
    struct ncs_workload_buffer *buffer;
    size_t buffers, room;
    bool scaled;
    char **comm;                       /* by family: "world", "tp", in a table "comm.tp" */
    bool in_table[NCS_WORKLOAD_KINDS]; /* Lua: there are too many of them for locals */
};
void ncs_workload_buffers_of(const struct ncs_workload *job, bool lua, struct ncs_workload_buffers *out);
void ncs_workload_buffers_free(struct ncs_workload_buffers *b);

void ncs_workload_state(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                        struct ncs_workload_statement *out);
void ncs_workload_statement_free(struct ncs_workload_statement *s);
/* Streams beside the first one that the job uses. */
int ncs_workload_streams(const struct ncs_workload *job);
/* Appends "stream", "s2", in a table "s[2]". */
void ncs_workload_add_stream(const struct ncs_workload_buffers *b, struct ncs_str *out, int stream);

/* Events that the job uses, and the name of one, from 0: "e1", in a table "e[1]". */
int ncs_workload_events(const struct ncs_workload *job);
void ncs_workload_add_event(const struct ncs_workload_buffers *b, struct ncs_str *out, int event);

/* The color and, if it does not follow the order of the ranks, the key by which each rank of the job splits the world. */
void ncs_workload_split(const struct ncs_workload *job, const struct ncs_workload_family *f, struct ncs_str *color,
                        struct ncs_str *key, struct ncs_str *name);

struct ncs_folded;
void ncs_workload_emit_lua(const struct ncs_workload_buffers *b, const struct ncs_workload_text *t, const struct ncs_folded *f,
                           struct ncs_str *out);
void ncs_workload_emit_yaml(const struct ncs_workload_buffers *b, const struct ncs_workload_text *t, const struct ncs_folded *f,
                            struct ncs_str *out);

/* Appends "set and (step ~= 3 or other set)": the condition of an item inside a loop. Nothing if it always holds. */
struct ncs_fold;
void ncs_workload_item_condition(const struct ncs_workload *job, const struct ncs_folded *f, const struct ncs_fold *item,
                                 struct ncs_str *out);

#endif
