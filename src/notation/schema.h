/* The schema of YAML scenarios as data: the keys, their kinds of values, their defaults, and their part in
 * the call that a step or an entry becomes. The check, the translation and the JSON Schema follow from it. */
#ifndef NCS_NOTATION_SCHEMA_H
#define NCS_NOTATION_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

/* The kind of value that a key takes. */
enum ncs_schema_kind {
    NCS_SCHEMA_EXPR,     /* number, boolean or expression */
    NCS_SCHEMA_ELEMENTS, /* expression that may use i, list of expressions, or random */
    NCS_SCHEMA_COUNT,    /* expression or size */
    NCS_SCHEMA_TIMES,    /* whole number, not negative, or expression */
    NCS_SCHEMA_SECONDS,  /* expression or duration */
    NCS_SCHEMA_DTYPE,    /* name of a dtype, or expression */
    NCS_SCHEMA_OP,       /* name of an op, built in or under ops, or expression */
    NCS_SCHEMA_SCALAR,   /* expression: a number or a buffer */
    NCS_SCHEMA_BUFFER,
    NCS_SCHEMA_COMM,
    NCS_SCHEMA_STREAM,
    NCS_SCHEMA_EVENT,
    NCS_SCHEMA_WINDOW,
    NCS_SCHEMA_GRAPH,
    NCS_SCHEMA_THREAD,  /* names of things; buffers and streams: or an expression */
    NCS_SCHEMA_THING,   /* the name of any thing that can be closed */
    NCS_SCHEMA_AWAITED, /* stream, event, communicator or `device` */
    NCS_SCHEMA_NEW,     /* a name that is new */
    NCS_SCHEMA_TEXT,    /* text with ${expression} */
    NCS_SCHEMA_WORD,    /* one of words */
    NCS_SCHEMA_RESULT,  /* the name of a result of NCCL or CUDA */
    NCS_SCHEMA_ERROR,   /* the same, or a kind of error */
    NCS_SCHEMA_RANKS,   /* list of expressions */
    NCS_SCHEMA_SIGNALS, /* list of maps */
    NCS_SCHEMA_BARRIER, /* true, or list of ranks */
    NCS_SCHEMA_EXPECT,  /* buffers and what they should hold */
    NCS_SCHEMA_PRINT,   /* text, or the name of a thing */
    NCS_SCHEMA_CHUNK,   /* Lua */
    NCS_SCHEMA_STEPS,   /* list of steps */
    NCS_SCHEMA_FIELDS,  /* map of fields */
    NCS_SCHEMA_ENTRIES, /* map of new names, each with fields */
    NCS_SCHEMA_LETS,    /* map of new names, each with an expression */
    /* before there are ranks: */
    NCS_SCHEMA_LITERAL, /* number, boolean or literal text */
    NCS_SCHEMA_INT,
    NCS_SCHEMA_NUMBERS, /* a number, or a list of numbers */
    NCS_SCHEMA_FLAG,
    NCS_SCHEMA_LINE,
    NCS_SCHEMA_VERSION,  /* "2.30.7", "2.29" */
    NCS_SCHEMA_VERSIONS, /* the same; or a map of ranks and `others` to such */
    NCS_SCHEMA_HOSTS,    /* a number, or a list of numbers */
    NCS_SCHEMA_SIZE,     /* bytes, or a size */
    NCS_SCHEMA_DURATION, /* seconds, or a duration */
    NCS_SCHEMA_NRANKS,   /* number, or expression over param */
    NCS_SCHEMA_WORLD,    /* boolean, or a configuration */
    NCS_SCHEMA_PARAMS,
    NCS_SCHEMA_MATRIX,
    NCS_SCHEMA_EXCLUDE,
    NCS_SCHEMA_ENV,      /* map of names to texts, and of ranks to such maps */
    NCS_SCHEMA_OUTCOME,  /* pass, fields, or list of fields with `when` */
    NCS_SCHEMA_SOME,     /* true, or fields */
    NCS_SCHEMA_RULE,     /* a literal text, or fields */
    NCS_SCHEMA_LINES,    /* a literal text, or a list of these */
    NCS_SCHEMA_FUNCTION, /* the name of a function of C */
    NCS_SCHEMA_WHEN,     /* expression over param, nranks, run */
    NCS_SCHEMA_INTS,     /* number or expression over param, nranks, run; or a list of these */
};

/* The role of a field in the call; a field without a role is an option. */
enum {
    NCS_SCHEMA_OBJECT = 1,   /* the object whose method is called */
    NCS_SCHEMA_ARGUMENT = 2, /* in the order of the fields */
    NCS_SCHEMA_MAKES = 4,    /* the name of the call's result */
    NCS_SCHEMA_OWN = 8,      /* emitted by the translation of its verb */
    NCS_SCHEMA_REQUIRED = 16,
    NCS_SCHEMA_EITHER = 32,    /* one of the fields with this flag is required */
    NCS_SCHEMA_SHIFTS = 64,    /* an argument that is dropped when it is missing; other missing arguments become nil */
    NCS_SCHEMA_NATURAL = 128,  /* a literal number is 0 or more, and whole unless it is seconds */
    NCS_SCHEMA_POSITIVE = 256, /* a literal number is whole, 1 or more */
};

struct ncs_schema_field {
    const char *name;
    enum ncs_schema_kind kind;
    int flags;
    const char *value; /* by default, as YAML; NULL: none */
    const char *about;
    const struct ncs_schema_field *fields; /* for FIELDS, SIGNALS, ENTRIES, WORLD; ends with a NULL name */
    const char *const *words;              /* for WORD; ends with NULL */
};

struct ncs_step;
struct ncs_emitter;

struct ncs_schema_verb {
    const char *name;
    enum ncs_schema_kind kind; /* FIELDS, or of its value */
    const char *alone;         /* FIELDS: the field that a lone value means; NULL: none */
    const struct ncs_schema_field *fields;
    const struct ncs_schema_field *beside;                           /* keys beside the verb; or NULL */
    const char *method;                                              /* NULL: named as the verb */
    void (*say)(struct ncs_emitter *s, const struct ncs_step *step); /* NULL: a method is called */
    const char *about;
};

/* Top-level keys in the order in which they are declared, set up and run. */
extern const struct ncs_schema_field ncs_schema_top[];
/* Keys of every step. */
extern const struct ncs_schema_field ncs_schema_common[];
extern const struct ncs_schema_verb ncs_schema_verbs[]; /* ends with a NULL name */

const struct ncs_schema_field *ncs_schema_find(const struct ncs_schema_field *fields, const char *name);
/* All names of fields, NULL at the end, to find the nearest one; returns their number. */
enum { NCS_SCHEMA_FIELDS_MAX = 48 };
size_t ncs_schema_names(const struct ncs_schema_field *fields, const char *names[NCS_SCHEMA_FIELDS_MAX]);
const struct ncs_schema_verb *ncs_schema_verb_of(const char *name);

/* Names of failures that keys such as `fails` can ask for; returns their number. */
enum { NCS_SCHEMA_RESULTS_MAX = 256 };
size_t ncs_schema_results(const char *names[NCS_SCHEMA_RESULTS_MAX]);
/* Kinds of errors that only the outcome of a run can ask for, besides those names. */
enum { NCS_SCHEMA_KINDS = 2 };
extern const char *const ncs_schema_kinds[NCS_SCHEMA_KINDS];
/* True for the words that stand for several ranks in `waiting`: all, others. */
bool ncs_schema_is_some_ranks(const char *word);

/* Names that expressions know besides the names of the file, NULL at the end. */
extern const char *const ncs_schema_math[];     /* fields of math */
extern const char *const ncs_schema_globals[];  /* that chunks may use, besides world and stream */
extern const char *const ncs_schema_taken[];    /* ready-made names that the file cannot define */
extern const char *const ncs_schema_keywords[]; /* of Lua */
/* Fields and methods of a thing of enum ncs_thing_kind; NULL: any field is allowed. */
extern const char *const *const ncs_schema_members[];

#endif
