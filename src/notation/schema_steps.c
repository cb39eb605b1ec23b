/* Steps: the verbs, their fields, and the methods that they become. */
#include "notation/schema.h"

#include <string.h>

#include "notation/schema_config.h"
#include "notation/emit.h"

#define REQUIRED NCS_SCHEMA_REQUIRED
#define OBJECT NCS_SCHEMA_OBJECT
#define ARGUMENT NCS_SCHEMA_ARGUMENT
#define MAKES NCS_SCHEMA_MAKES
#define OWN NCS_SCHEMA_OWN
#define EITHER NCS_SCHEMA_EITHER
#define SHIFTS NCS_SCHEMA_SHIFTS
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

#define SEND(flags) ROW("send", NCS_SCHEMA_BUFFER, ARGUMENT | (flags), NULL, "the buffer to send")
#define RECV(flags) ROW("recv", NCS_SCHEMA_BUFFER, ARGUMENT | (flags), NULL, "the buffer to receive into")
#define OP ROW("op", NCS_SCHEMA_OP, 0, "sum", "sum, prod, max, min, avg, or one of ops")
#define ROOT ROW("root", NCS_SCHEMA_EXPR, 0, "0", "rank of this communicator")
#define PEER ROW("peer", NCS_SCHEMA_EXPR, ARGUMENT | REQUIRED, NULL, "rank of this communicator")
#define COUNT ROW("count", NCS_SCHEMA_COUNT, 0, NULL, "elements; by default the size of the operands")
#define STREAM ROW("stream", NCS_SCHEMA_STREAM, 0, NULL, "the communicator's own by default")
#define VERIFY ROW("verify", NCS_SCHEMA_EXPR, 0, "true", "check the result")
#define COMM ROW("comm", NCS_SCHEMA_COMM, OBJECT, "world", "communicator")
#define SIG_IDX ROW("sig_idx", NCS_SCHEMA_EXPR, 0, "0", "which signal of the peer")
#define CTX ROW("ctx", NCS_SCHEMA_EXPR, 0, "0", "RMA context")
#define OP_CNT ROW("op_cnt", NCS_SCHEMA_EXPR, 0, "1", "how many signals")
#define ASYNC ROW("stream", NCS_SCHEMA_STREAM, 0, NULL, "in the order of this stream; else at once")

#include "notation/gen/collectives.h"

static const struct ncs_schema_field point[] = { ROW("buffer", NCS_SCHEMA_BUFFER, ARGUMENT | REQUIRED, NULL,
                                                     "the buffer to send, or to receive into"),
                                                 PEER,
                                                 COUNT,
                                                 COMM,
                                                 STREAM,
                                                 VERIFY,
                                                 END };
static const struct ncs_schema_field put_signal[] = {
    ROW("buffer", NCS_SCHEMA_BUFFER, ARGUMENT | REQUIRED, NULL, "the data to put; the buffer must lie in a window"),
    PEER,
    ROW("window", NCS_SCHEMA_WINDOW, ARGUMENT | REQUIRED, NULL, "window of the peer"),
    ROW("first", NCS_SCHEMA_EXPR, 0, "1", "element of the window at which it is put, from 1"),
    COUNT,
    COMM,
    STREAM,
    SIG_IDX,
    CTX,
    VERIFY,
    END
};
static const struct ncs_schema_field signal[] = { PEER, COMM, STREAM, SIG_IDX, CTX, END };

static const struct ncs_schema_field signals[] = { ROW("peer", NCS_SCHEMA_EXPR, REQUIRED, NULL, "rank of this communicator"),
                                                   OP_CNT, SIG_IDX, CTX, END };
static const struct ncs_schema_field wait_signal[] = {
    ROW("peer", NCS_SCHEMA_EXPR, ARGUMENT | EITHER | SHIFTS, NULL, "the rank whose signal is waited for"),
    { "from", NCS_SCHEMA_SIGNALS, ARGUMENT | EITHER | SHIFTS, NULL, "several signals", signals, NULL },
    OP_CNT,
    SIG_IDX,
    CTX,
    COMM,
    STREAM,
    END
};

#define AS ROW("as", NCS_SCHEMA_NEW, MAKES | REQUIRED, NULL, "name of the new communicator")

static const struct ncs_schema_field split[] = { AS,
                                                 COMM,
                                                 ROW("color", NCS_SCHEMA_EXPR, REQUIRED, NULL,
                                                     "ranks of one colour are in one communicator; -1: in none"),
                                                 ROW("key", NCS_SCHEMA_EXPR, 0, "0", "order of the new ranks"),
                                                 NCS_SCHEMA_CONFIG,
                                                 END };
static const struct ncs_schema_field shrink[] = {
    AS,
    COMM,
    ROW("exclude", NCS_SCHEMA_RANKS, ARGUMENT | REQUIRED, NULL, "ranks that are left out"),
    ROW("abort", NCS_SCHEMA_EXPR, 0, "false", "cut short what runs on the communicator"),
    NCS_SCHEMA_CONFIG,
    END
};
static const struct ncs_schema_field grow[] = { AS,
                                                COMM,
                                                ROW("nranks", NCS_SCHEMA_EXPR, REQUIRED | OWN, NULL,
                                                    "ranks of the new communicator"),
                                                ROW("coordinator", NCS_SCHEMA_EXPR, OWN, "0", "rank that makes the id"),
                                                ROW("rank", NCS_SCHEMA_EXPR, OWN, NULL, "of a new rank, where comm is nil"),
                                                NCS_SCHEMA_CONFIG,
                                                END };

static const struct ncs_schema_field fill[] = { ROW("buffer", NCS_SCHEMA_BUFFER, OBJECT | REQUIRED, NULL, "the buffer to fill"),
                                                ROW("value", NCS_SCHEMA_ELEMENTS, ARGUMENT | REQUIRED, NULL,
                                                    "expression (i is the element, from 1), list, or random"),
                                                ASYNC, END };
static const struct ncs_schema_field copy[] = { ROW("from", NCS_SCHEMA_BUFFER, ARGUMENT | REQUIRED, NULL, "the source buffer"),
                                                ROW("to", NCS_SCHEMA_BUFFER, OBJECT | REQUIRED, NULL, "the target buffer"),
                                                ROW("count", NCS_SCHEMA_COUNT, 0, NULL, "elements; all of from by default"),
                                                ASYNC, END };
static const struct ncs_schema_field add[] = {
    ROW("from", NCS_SCHEMA_BUFFER, ARGUMENT | REQUIRED, NULL, "the buffer to add"),
    ROW("to", NCS_SCHEMA_BUFFER, OBJECT | REQUIRED, NULL, "the buffer that it is added to"),
    ROW("count", NCS_SCHEMA_COUNT, OWN, NULL, "elements; all by default"), ASYNC, END
};
static const struct ncs_schema_field record[] = {
    ROW("event", NCS_SCHEMA_EVENT, OBJECT | REQUIRED, NULL, "the event"),
    ROW("stream", NCS_SCHEMA_STREAM, ARGUMENT, "stream", "the stream whose work so far the event marks"), END
};
static const struct ncs_schema_field wait[] = { ROW("event", NCS_SCHEMA_EVENT, ARGUMENT | REQUIRED, NULL,
                                                    "the event to wait for"),
                                                ROW("stream", NCS_SCHEMA_STREAM, OBJECT, "stream", "which waits"), END };
static const struct ncs_schema_field delay[] = { ROW("seconds", NCS_SCHEMA_SECONDS, ARGUMENT | REQUIRED, NULL, "how long"),
                                                 ROW("stream", NCS_SCHEMA_STREAM, OBJECT, "stream", "on which stream"), END };

static const struct ncs_schema_field launch[] = { ROW("graph", NCS_SCHEMA_GRAPH, OBJECT | REQUIRED, NULL, "the graph"),
                                                  ROW("stream", NCS_SCHEMA_STREAM, ARGUMENT, "stream", "in which stream"), END };

#define WHEN                                                                                            \
    ROW("rank", NCS_SCHEMA_EXPR, NATURAL, NULL, "only on this rank"),                                   \
        ROW("comm", NCS_SCHEMA_COMM, 0, "world", "communicator on which calls are counted"),            \
        ROW("call", NCS_SCHEMA_EXPR, POSITIVE, NULL, "before this rank's call of that number, from 1"), \
        ROW("func", NCS_SCHEMA_FUNCTION, 0, NULL, "before a use of that function of C"),                \
        ROW("nth", NCS_SCHEMA_EXPR, POSITIVE, "1", "with func: before the nth use from here on")
#define SECONDS(flags, about) ROW("seconds", NCS_SCHEMA_SECONDS, (flags) | NATURAL, NULL, about)
#define CODE ROW("code", NCS_SCHEMA_RESULT, REQUIRED, NULL, "the result, such as ncclSystemError")

static const struct ncs_schema_field when_nothing[] = { WHEN, END };
static const struct ncs_schema_field when_delay[] = { WHEN, SECONDS(REQUIRED, "how much later"), END };
static const struct ncs_schema_field when_code[] = { WHEN, CODE, END };
static const struct ncs_schema_field when_elements[] = {
    WHEN, ROW("first", NCS_SCHEMA_EXPR, POSITIVE, "1", "first element that is spoilt, from 1"),
    ROW("count", NCS_SCHEMA_COUNT, POSITIVE, NULL, "elements; by default all that follow"), END
};
static const struct ncs_schema_field when_peer[] = {
    WHEN, ROW("peer", NCS_SCHEMA_EXPR, REQUIRED | NATURAL, NULL, "rank at the other end"),
    SECONDS(0, "delay of everything over the link; without it the link is cut"), END
};

/* The flag of verbs whose value may be missing. */
#define FORM_nothing NCS_SCHEMA_SOME
#define FORM_delay NCS_SCHEMA_FIELDS
#define FORM_code NCS_SCHEMA_FIELDS
#define FORM_elements NCS_SCHEMA_SOME
#define FORM_peer NCS_SCHEMA_FIELDS

static const struct ncs_schema_field faults[] = {
#define NCS_FAULT(KIND, name, needs, injects, about) { #name, FORM_##needs, OWN, NULL, about, when_##needs, NULL },
#include "api/faults.def"
#undef NCS_FAULT
    END
};

static const struct ncs_schema_field beside_repeat[] = { ROW("do", NCS_SCHEMA_STEPS, REQUIRED, NULL, "the steps to repeat"),
                                                         ROW("as", NCS_SCHEMA_NEW, 0, NULL, "name of the count, from 1"), END };
static const struct ncs_schema_field beside_graph[] = {
    ROW("as", NCS_SCHEMA_NEW, REQUIRED, NULL, "name of the graph, for launch"),
    ROW("stream", NCS_SCHEMA_STREAM, 0, "stream", "the stream that is captured"), END
};
static const struct ncs_schema_field beside_thread[] = { ROW("as", NCS_SCHEMA_NEW, 0, NULL, "name of the thread, for join"),
                                                         END };

const struct ncs_schema_field ncs_schema_common[] = {
    ROW("where", NCS_SCHEMA_EXPR, 0, NULL, "only on ranks where this is true"),
    ROW("label", NCS_SCHEMA_TEXT, 0, NULL, "shown in reports, compared among ranks"),
    ROW("fails", NCS_SCHEMA_RESULT, 0, NULL, "the step must fail with this result"), END
};

/* name, kind, alone, fields, beside, method, say, about */
#define CALL(name, alone, fields, about)                                \
    {                                                                   \
        name, NCS_SCHEMA_FIELDS, alone, fields, NULL, NULL, NULL, about \
    }
#define LIFE(name, about)                                          \
    {                                                              \
        name, NCS_SCHEMA_COMM, NULL, NULL, NULL, NULL, NULL, about \
    }

const struct ncs_schema_verb ncs_schema_verbs[] = {
    COLLECTIVES,
    CALL("send", NULL, point, "sends to a rank"),
    CALL("recv", NULL, point, "receives from a rank"),
    CALL("put_signal", NULL, put_signal, "writes into a peer's window and signals the peer"),
    CALL("signal", NULL, signal, "signals a peer"),
    CALL("wait_signal", NULL, wait_signal, "the stream waits for signals"),
    CALL("split", NULL, split, "makes communicators of the ranks of one colour"),
    CALL("shrink", NULL, shrink, "makes a communicator of the ranks that stay"),
    { "grow", NCS_SCHEMA_FIELDS, NULL, grow, NULL, NULL, ncs_emit_grow, "makes a communicator of the old ranks and new ones" },
    LIFE("finalize", "ends the communicator's work"),
    { "destroy", NCS_SCHEMA_THING, NULL, NULL, NULL, NULL, ncs_emit_destroy, "frees a named thing" },
    LIFE("abort", "cuts the communicator's work short and destroys it"),
    LIFE("revoke", "cuts this rank's work short"),
    LIFE("suspend", "gives device memory of the communicator back"),
    LIFE("resume", "takes it again"),
    LIFE("wait_ready", "polls until the communicator is not in progress"),
    CALL("fill", NULL, fill, "writes elements"),
    { "copy", NCS_SCHEMA_FIELDS, NULL, copy, NULL, "copy_from", NULL, "copies elements" },
    { "add", NCS_SCHEMA_FIELDS, NULL, add, NULL, NULL, ncs_emit_add, "stands for a kernel that adds" },
    CALL("record", "event", record, "records an event in a stream"),
    CALL("wait", "event", wait, "a stream waits for an event"),
    { "sync", NCS_SCHEMA_AWAITED, NULL, NULL, NULL, NULL, ncs_emit_sync,
      "waits for a stream, an event, a communicator's stream or the device" },
    CALL("delay", NULL, delay, "stands for a kernel that takes so long"),
    CALL("launch", "graph", launch, "puts everything in a graph into a stream"),
    { "sleep", NCS_SCHEMA_SECONDS, NULL, NULL, NULL, NULL, ncs_emit_sleep, "the host sleeps" },
    { "barrier", NCS_SCHEMA_BARRIER, NULL, NULL, NULL, NULL, ncs_emit_barrier,
      "the hosts of all ranks wait for each other, or those of a list" },
    { "do", NCS_SCHEMA_STEPS, NULL, NULL, NULL, NULL, ncs_emit_do, "steps under one where" },
    { "group", NCS_SCHEMA_STEPS, NULL, NULL, NULL, NULL, ncs_emit_group, "steps between ncclGroupStart and ncclGroupEnd" },
    { "graph", NCS_SCHEMA_STEPS, NULL, NULL, beside_graph, NULL, ncs_emit_graph,
      "captures the steps: what they put into the stream runs with each launch" },
    { "repeat", NCS_SCHEMA_TIMES, NULL, NULL, beside_repeat, NULL, ncs_emit_repeat, "repeats the steps of do so many times" },
    { "thread", NCS_SCHEMA_STEPS, NULL, NULL, beside_thread, NULL, ncs_emit_thread, "steps in a further host thread" },
    { "join", NCS_SCHEMA_THREAD, NULL, NULL, NULL, NULL, NULL, "waits for a thread" },
    { "expect", NCS_SCHEMA_EXPECT, NULL, NULL, NULL, NULL, ncs_emit_expect,
      "buffers and what they hold; or that, a condition, with text" },
    { "fault", NCS_SCHEMA_FIELDS, NULL, faults, NULL, NULL, ncs_emit_fault, "something goes wrong: now, or before a call" },
    { "print", NCS_SCHEMA_PRINT, NULL, NULL, NULL, NULL, ncs_emit_print, "a text or a named thing" },
    { "lua", NCS_SCHEMA_CHUNK, NULL, NULL, NULL, NULL, ncs_emit_lua, "Lua over the same names" },
    { NULL, NCS_SCHEMA_EXPR, NULL, NULL, NULL, NULL, NULL, NULL },
};

const struct ncs_schema_verb *ncs_schema_verb_of(const char *name)
{
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++)
        if (v->name[0] == name[0] && strcmp(v->name, name) == 0)
            return v;
    return NULL;
}
