/* The form of YAML scenarios as data: which keys there are, what each takes, what it is by default,
 * and what it becomes in the call that a step or an entry stands for. What is checked, how it is
 * translated and the JSON Schema follow from it. */
#ifndef NCS_NOTATION_FORM_H
#define NCS_NOTATION_FORM_H

#include <stdbool.h>
#include <stddef.h>

/* What a key takes. */
enum ncs_form_kind {
    NCS_FORM_EXPR,      /* number, boolean or expression */
    NCS_FORM_ELEMENTS,  /* expression that may use i, list of expressions, or random */
    NCS_FORM_COUNT,     /* expression or size */
    NCS_FORM_TIMES,     /* whole number, not negative, or expression */
    NCS_FORM_SECONDS,   /* expression or duration */
    NCS_FORM_DTYPE,     /* name of a dtype, or expression */
    NCS_FORM_OP,        /* name of an op, built in or of ours, or expression */
    NCS_FORM_SCALAR,    /* expression: a number or a buffer */
    NCS_FORM_BUFFER, NCS_FORM_COMM, NCS_FORM_STREAM, NCS_FORM_EVENT, NCS_FORM_WINDOW,
    NCS_FORM_THREAD,    /* names of things; buffers and streams: or an expression */
    NCS_FORM_THING,     /* the name of any thing that can be closed */
    NCS_FORM_AWAITED,   /* stream, event, communicator or `device` */
    NCS_FORM_NEW,       /* a name that is new */
    NCS_FORM_TEXT,      /* text with ${expression} */
    NCS_FORM_WORD,      /* one of words */
    NCS_FORM_RESULT,    /* the name of a result of NCCL or CUDA */
    NCS_FORM_RANKS,     /* list of expressions */
    NCS_FORM_SIGNALS,   /* list of maps */
    NCS_FORM_BARRIER,   /* true, or list of ranks */
    NCS_FORM_EXPECT,    /* buffers and what they should hold */
    NCS_FORM_PRINT,     /* text, or the name of a thing */
    NCS_FORM_CHUNK,     /* Lua */
    NCS_FORM_STEPS,     /* list of steps */
    NCS_FORM_FIELDS,    /* map of fields */
    NCS_FORM_ENTRIES,   /* map of new names, each with fields */
    NCS_FORM_LETS,      /* map of new names, each with an expression */
    /* before there are ranks: */
    NCS_FORM_LITERAL,   /* number, boolean or text as it stands */
    NCS_FORM_INT, NCS_FORM_NUMBER, NCS_FORM_FLAG, NCS_FORM_LINE,
    NCS_FORM_VERSION,   /* "2.30.7", "2.29" */
    NCS_FORM_SIZE,      /* bytes, or a size */
    NCS_FORM_DURATION,  /* seconds, or a duration */
    NCS_FORM_NRANKS,    /* number, or expression over param */
    NCS_FORM_WORLD,     /* boolean, or a configuration */
    NCS_FORM_PARAMS, NCS_FORM_MATRIX, NCS_FORM_EXCLUDE, NCS_FORM_ENV,
    NCS_FORM_OUTCOME,   /* pass, fields, or list of fields with `when` */
    NCS_FORM_SOME,      /* true, or fields */
    NCS_FORM_RULE,      /* a text as it stands, or fields */
    NCS_FORM_LINES,     /* a text as it stands, or a list of these */
    NCS_FORM_FUNCTION,  /* the name of a function of C */
    NCS_FORM_WHEN,      /* expression over param, nranks, run */
    NCS_FORM_INTS,      /* number or expression over param, nranks, run; or a list of these */
};

/* What a field is in the call; one that is nothing of these is an option. */
enum {
    NCS_FORM_OBJECT = 1,    /* whose method is called */
    NCS_FORM_ARGUMENT = 2,  /* in the order of the fields */
    NCS_FORM_MAKES = 4,     /* the name of the call's result */
    NCS_FORM_OWN = 8,       /* the translation of its verb takes care of it */
    NCS_FORM_REQUIRED = 16,
    NCS_FORM_EITHER = 32,   /* one of the fields with this flag is required */
    NCS_FORM_SHIFTS = 64,   /* an argument that is left out where it is not given; others are nil */
};

struct ncs_form_field {
    const char *name;
    enum ncs_form_kind kind;
    int flags;
    const char *value;  /* by default, as YAML; NULL: none */
    const char *about;
    const struct ncs_form_field *fields; /* of FIELDS, SIGNALS, ENTRIES, WORLD; ends with a NULL name */
    const char *const *words;            /* of WORD; ends with NULL */
};

struct ncs_step;
struct ncs_speech;

struct ncs_form_verb {
    const char *name;
    enum ncs_form_kind kind;             /* FIELDS, or of its value */
    const char *alone;                   /* FIELDS: what a value alone stands for; NULL: nothing */
    const struct ncs_form_field *fields;
    const struct ncs_form_field *beside; /* keys that stand beside the verb; or NULL */
    const char *method;                  /* NULL: named as the verb */
    void (*say)(struct ncs_speech *s, const struct ncs_step *step); /* NULL: a method is called */
    const char *about;
};

/* Top-level keys in the order in which they are declared, set up and run. */
extern const struct ncs_form_field ncs_form_top[];
/* Keys of every step. */
extern const struct ncs_form_field ncs_form_common[];
extern const struct ncs_form_verb ncs_form_verbs[]; /* ends with a NULL name */

const struct ncs_form_field *ncs_form_find(const struct ncs_form_field *fields, const char *name);
/* All names of fields, for the near one; NULL at the end; how many. */
enum { NCS_FORM_FIELDS_MAX = 48 };
size_t ncs_form_names(const struct ncs_form_field *fields, const char *names[NCS_FORM_FIELDS_MAX]);
const struct ncs_form_verb *ncs_form_verb_of(const char *name);

/* Names of failures that `fails` and the like can ask for; how many. */
enum { NCS_FORM_RESULTS_MAX = 256 };
size_t ncs_form_results(const char *names[NCS_FORM_RESULTS_MAX]);

/* Names in scope of expressions besides what the file names, NULL at the end. */
extern const char *const ncs_form_math[];    /* fields of math */
extern const char *const ncs_form_globals[]; /* that chunks may use, besides world and stream */
extern const char *const ncs_form_taken[];   /* names that nothing can be given: ready-made */
extern const char *const ncs_form_keywords[]; /* of Lua */
/* Fields and methods of a thing of enum ncs_thing_kind; NULL: of any value. */
extern const char *const *const ncs_form_members[];

#endif
