/* Top-level keys and sections, and the reserved words of the notation. */
#include "api/model.h"
#include "notation/schema.h"

#include <string.h>

#include "api/types.h"
#include "notation/schema_config.h"

#define REQUIRED NCS_SCHEMA_REQUIRED
#define OBJECT NCS_SCHEMA_OBJECT
#define ARGUMENT NCS_SCHEMA_ARGUMENT
#define OWN NCS_SCHEMA_OWN
#define EITHER NCS_SCHEMA_EITHER
#define NATURAL NCS_SCHEMA_NATURAL
#define POSITIVE NCS_SCHEMA_POSITIVE
#define END                                              \
    {                                                    \
        NULL, NCS_SCHEMA_EXPR, 0, NULL, NULL, NULL, NULL \
    }
#define ROW(name, kind, flags, value, about)        \
    {                                               \
        name, kind, flags, value, about, NULL, NULL \
    }

static const char *const policies[] = { "strict", "typical", NULL };
static const char *const memories[] = { "device", "managed", "nccl", "pinned", "pageable", NULL };

/* ---- the declaration ---- */

static const struct ncs_schema_field config[] = { NCS_SCHEMA_CONFIG, END };

static const struct ncs_schema_field needs[] = {
    ROW("driver", NCS_SCHEMA_LINE, 0, NULL, "the driver that it is for: sim or nccl"),
    ROW("nccl", NCS_SCHEMA_VERSION, 0, NULL, "NCCL of this version or newer"),
    ROW("gpus", NCS_SCHEMA_INT, NATURAL, NULL, "at least so many GPUs"),
    END,
};

static const struct ncs_schema_field sim[] = {
    ROW("nccl", NCS_SCHEMA_VERSIONS, 0, NULL,
        "the version of NCCL that is simulated; or rank: version for single ranks, and others: version"),
    ROW("memory", NCS_SCHEMA_SIZE, 0, NULL, "memory of each GPU"),
    ROW("capability", NCS_SCHEMA_NUMBERS, 0, NULL,
        "compute capability of the GPUs, such as 9.0; or a list, one for each GPU of the machine, the last for all behind"),
    ROW("eager", NCS_SCHEMA_SIZE, 0, NULL, "bytes that sends buffer under policy typical"),
    ROW("lanes", NCS_SCHEMA_INT, NATURAL, NULL, "how many operations a GPU runs at the same time"),
    ROW("ready_after", NCS_SCHEMA_INT, NATURAL, NULL, "polls until a non-blocking call is done"),
    { "model", NCS_SCHEMA_WORD, 0, "plain", "the machine whose links virtual time follows", NULL, ncs_model_names },
    ROW("quirks", NCS_SCHEMA_FLAG, 0, NULL, "imitate oddities of the versions"),
    END,
};

static const struct ncs_schema_field hang[] = {
    ROW("culprit", NCS_SCHEMA_INTS, NATURAL, NULL, "the rank that is to blame, or a list of a cycle's ranks"),
    ROW("call", NCS_SCHEMA_INTS, POSITIVE, NULL, "number of the call at which the ranks diverge, from 1"),
    ROW("comm", NCS_SCHEMA_LINE, 0, "world", "name of the communicator"),
    ROW("waiting", NCS_SCHEMA_INTS, NATURAL, NULL, "the rank that waits, a list, all or others"),
    ROW("why", NCS_SCHEMA_LINE, 0, NULL, "the rule that explains the hang"),
    END,
};

static const struct ncs_schema_field wrong[] = {
    ROW("rank", NCS_SCHEMA_INTS, NATURAL, NULL, "the rank whose result is wrong"),
    ROW("call", NCS_SCHEMA_INTS, POSITIVE, NULL, "number of the call, from 1"),
    ROW("comm", NCS_SCHEMA_LINE, 0, "world", "name of the communicator"),
    ROW("first", NCS_SCHEMA_INTS, POSITIVE, NULL, "first element that is wrong, from 1"),
    END,
};

static const char *const certainties[] = { "certain", "luck", "undefined", "likely", NULL };

static const struct ncs_schema_field finding[] = {
    ROW("rule", NCS_SCHEMA_LINE, 0, NULL, "its rule"),
    ROW("culprit", NCS_SCHEMA_INTS, NATURAL, NULL, "the rank that is to blame, or a list of a cycle's ranks"),
    ROW("call", NCS_SCHEMA_INTS, POSITIVE, NULL, "number of the call at which the ranks diverge, from 1"),
    ROW("comm", NCS_SCHEMA_LINE, 0, NULL, "name of the communicator"),
    ROW("waiting", NCS_SCHEMA_INTS, NATURAL, NULL, "the rank that waits, a list, all or others"),
    { "certainty", NCS_SCHEMA_WORD, 0, NULL, "how sure the finding is", NULL, certainties },
    END,
};

static const struct ncs_schema_field bug[] = {
    ROW("entry", NCS_SCHEMA_LINE, REQUIRED, NULL, "entry of the catalogue of bugs: A1"),
    ROW("nccl", NCS_SCHEMA_LINE, 0, NULL, "NCCL's behaviour, one sentence"),
    ROW("thread", NCS_SCHEMA_LINES, 0, NULL, "public thread about it, NVIDIA/nccl#296; or a list"),
    END,
};

static const struct ncs_schema_field outcome[] = {
    ROW("when", NCS_SCHEMA_WHEN, OWN, NULL, "in a list: the outcome if this holds for the run"),
    ROW("pass", NCS_SCHEMA_FLAG, 0, NULL, "true: every rank ends and every check holds"),
    { "hang", NCS_SCHEMA_SOME, 0, NULL, "the run hangs: true, or what must agree", hang, NULL },
    ROW("error", NCS_SCHEMA_ERROR, 0, NULL, "this uncaught error, or one of this kind, ends a rank"),
    ROW("rank", NCS_SCHEMA_INTS, NATURAL, NULL, "with error: the rank"),
    ROW("call", NCS_SCHEMA_FUNCTION, 0, NULL, "with error: C name of the function"),
    { "wrong", NCS_SCHEMA_SOME, 0, NULL, "a result differs: true, or where", wrong, NULL },
    ROW("lost", NCS_SCHEMA_INTS, NATURAL, NULL, "this rank is lost"),
    { "finding", NCS_SCHEMA_RULE, 0, NULL, "a finding that must be reported too: its rule, or its fields", finding, NULL },
    ROW("findings", NCS_SCHEMA_INTS, NATURAL, NULL, "how many findings are errors"),
    END,
};

/* ---- sections ---- */

static const struct ncs_schema_field streams[] = {
    ROW("device", NCS_SCHEMA_EXPR, 0, NULL, "device of the stream; the rank's own by default"),
    ROW("blocking", NCS_SCHEMA_EXPR, 0, "false", "synchronises with the legacy stream"),
    ROW("priority", NCS_SCHEMA_EXPR, 0, NULL, "lower numbers go first"),
    END,
};

static const struct ncs_schema_field events[] = {
    ROW("device", NCS_SCHEMA_EXPR, 0, NULL, "device of the event; the rank's own by default"),
    ROW("timing", NCS_SCHEMA_EXPR, 0, "true", "measures time"),
    END,
};

static const struct ncs_schema_field comms[] = {
    ROW("split", NCS_SCHEMA_COMM, OBJECT | EITHER, NULL, "the communicator that is split"),
    ROW("init", NCS_SCHEMA_RANKS, OWN | EITHER, NULL, "the ranks of a communicator of its own"),
    ROW("color", NCS_SCHEMA_EXPR, 0, NULL, "ranks of one colour are in one communicator; -1: in none"),
    ROW("key", NCS_SCHEMA_EXPR, 0, "0", "order of the new ranks"),
    NCS_SCHEMA_CONFIG,
    END,
};

static const struct ncs_schema_field buffers[] = {
    ROW("dtype", NCS_SCHEMA_DTYPE, ARGUMENT | REQUIRED, NULL, "type of the elements"),
    ROW("count", NCS_SCHEMA_COUNT, ARGUMENT | REQUIRED | NATURAL, NULL, "elements: expression or size (64K)"),
    ROW("init", NCS_SCHEMA_ELEMENTS, OWN, NULL, "the first contents: expression (i is the element, from 1), list, or random"),
    { "memory", NCS_SCHEMA_WORD, 0, "device", "kind of memory", NULL, memories },
    ROW("device", NCS_SCHEMA_EXPR, 0, NULL, "device of the memory; the rank's own by default"),
    END,
};

static const struct ncs_schema_field ops[] = {
    ROW("premulsum", NCS_SCHEMA_DTYPE, ARGUMENT | REQUIRED, NULL, "dtype of an op that multiplies by scalar, then sums"),
    ROW("scalar", NCS_SCHEMA_SCALAR, ARGUMENT | REQUIRED, NULL, "number, kept by the op; or a buffer, read when a call runs"),
    ROW("comm", NCS_SCHEMA_COMM, OBJECT, "world", "communicator of the op"),
    END,
};

static const struct ncs_schema_field windows[] = {
    ROW("buffer", NCS_SCHEMA_BUFFER, ARGUMENT | REQUIRED, NULL, "buffer in memory nccl"),
    ROW("comm", NCS_SCHEMA_COMM, OBJECT, "world", "communicator whose ranks reach the window"),
    ROW("symmetric", NCS_SCHEMA_EXPR, 0, "false", "symmetric window: needed for put_signal"),
    ROW("strict_ordering", NCS_SCHEMA_EXPR, 0, "false", "keeps the order of writes"),
    END,
};

const struct ncs_schema_field ncs_schema_top[] = {
    ROW("scenario", NCS_SCHEMA_LINE, 0, NULL, "one line for people; the file's name by default"),
    ROW("ranks", NCS_SCHEMA_NRANKS, 0, "2", "ranks of the run: number, or expression over param"),
    ROW("devices", NCS_SCHEMA_HOSTS, POSITIVE, "8",
        "GPUs of a virtual host; or a list with a number for each host, where the last number repeats"),
    { "world", NCS_SCHEMA_WORLD, 0, "true", "make the communicator world; or its configuration", config, NULL },
    ROW("params", NCS_SCHEMA_PARAMS, 0, NULL, "name: default; read as param.name, set by --set"),
    ROW("matrix", NCS_SCHEMA_MATRIX, 0, NULL, "name: list; run once per combination. Names are params, ranks or seed"),
    ROW("exclude", NCS_SCHEMA_EXCLUDE, 0, NULL, "combinations of the matrix to leave out"),
    { "outcome", NCS_SCHEMA_OUTCOME, 0, "pass", "the verdict that makes the run succeed", outcome, NULL },
    { "bug", NCS_SCHEMA_FIELDS, 0, NULL, "which bug of the catalogue this shows", bug, NULL },
    { "policy", NCS_SCHEMA_WORD, 0, "strict", "how much a call may do before others join", NULL, policies },
    ROW("verify", NCS_SCHEMA_FLAG, 0, "true", "check the result of every collective"),
    { "needs", NCS_SCHEMA_FIELDS, 0, NULL, "requirements; without them the run is skipped", needs, NULL },
    ROW("env", NCS_SCHEMA_ENV, 0, NULL,
        "environment, set before NCCL is opened: numbers, switches and names of NCCL and CUDA; the number of a rank as a key has "
        "variables of that rank only"),
    ROW("timeout", NCS_SCHEMA_DURATION, 0, NULL, "limit of a run: seconds, or a duration (10s)"),
    { "sim", NCS_SCHEMA_FIELDS, 0, NULL, "settings of the simulator", sim, NULL },
    ROW("let", NCS_SCHEMA_LETS, 0, NULL, "name: expression; a value per rank"),
    { "streams", NCS_SCHEMA_ENTRIES, 0, NULL, "streams besides stream", streams, NULL },
    { "events", NCS_SCHEMA_ENTRIES, 0, NULL, "events", events, NULL },
    { "comms", NCS_SCHEMA_ENTRIES, 0, NULL, "communicators besides world", comms, NULL },
    { "buffers", NCS_SCHEMA_ENTRIES, 0, NULL, "buffers", buffers, NULL },
    { "ops", NCS_SCHEMA_ENTRIES, 0, NULL, "reduction operators", ops, NULL },
    { "windows", NCS_SCHEMA_ENTRIES, 0, NULL, "windows: buffers that other ranks write into", windows, NULL },
    ROW("steps", NCS_SCHEMA_STEPS, REQUIRED, NULL, "a list of what every rank does, in order"),
    END,
};

/* ---- words ---- */

const char *const ncs_schema_math[] = { "abs", "acos",       "asin", "atan",      "ceil", "cos",    "deg",
                                        "exp", "floor",      "fmod", "huge",      "log",  "max",    "maxinteger",
                                        "min", "mininteger", "modf", "pi",        "rad",  "random", "randomseed",
                                        "sin", "sqrt",       "tan",  "tointeger", "type", "ult",    NULL };

const char *const ncs_schema_globals[] = {
    "C",      "_G",     "_VERSION", "assert",   "barrier",      "clock",        "collectgarbage", "coroutine", "cuda",
    "debug",  "error",  "expect",   "fault",    "getmetatable", "ipairs",       "load",           "math",      "nccl",
    "next",   "nranks", "os",       "pairs",    "param",        "pcall",        "print",          "rank",      "rawequal",
    "rawget", "rawlen", "rawset",   "require",  "select",       "setmetatable", "skip",           "sleep",     "spawn",
    "store",  "string", "table",    "tonumber", "tostring",     "type",         "utf8",           "xpcall",    NULL
};

const char *const ncs_schema_taken[] = { "C",      "_ENV",  "_G",    "barrier", "clock",  "cuda",     "expect", "fault",
                                         "ipairs", "math",  "nccl",  "nranks",  "param",  "print",    "rank",   "scenario",
                                         "skip",   "sleep", "spawn", "store",   "stream", "tostring", "world",  NULL };

const char *const ncs_schema_keywords[] = { "and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
                                            "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
                                            "repeat",   "return", "then", "true", "until",  "while", NULL };

const struct ncs_schema_field *ncs_schema_find(const struct ncs_schema_field *fields, const char *name)
{
    for (; fields && fields->name; fields++)
        if (fields->name[0] == name[0] && strcmp(fields->name, name) == 0)
            return fields;
    return NULL;
}

size_t ncs_schema_names(const struct ncs_schema_field *fields, const char *names[NCS_SCHEMA_FIELDS_MAX])
{
    size_t n = 0;
    for (; fields->name && n + 1 < NCS_SCHEMA_FIELDS_MAX; fields++)
        names[n++] = fields->name;
    names[n] = NULL;
    return n;
}

const char *const ncs_schema_kinds[NCS_SCHEMA_KINDS] = { "nccl", "cuda" };

bool ncs_schema_is_some_ranks(const char *word)
{
    return strcmp(word, "all") == 0 || strcmp(word, "others") == 0;
}

size_t ncs_schema_results(const char *names[NCS_SCHEMA_RESULTS_MAX])
{
    size_t n = 0;
    names[n++] = "usage"; /* the other kinds of errors */
    names[n++] = "expect";
    names[n++] = "lua";
    for (int code = 1; code < 1000; code++) {
        const char *nccl = ncs_nccl_result_name(code), *cuda = ncs_cuda_error_name(code);
        if (n + 2 < NCS_SCHEMA_RESULTS_MAX && strncmp(nccl, "nccl", 4) == 0)
            names[n++] = nccl;
        if (n + 2 < NCS_SCHEMA_RESULTS_MAX && strncmp(cuda, "cuda", 4) == 0)
            names[n++] = cuda;
    }
    return n;
}
