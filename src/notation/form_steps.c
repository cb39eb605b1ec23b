/* Steps: the verbs, what each takes, and which method it is. */
#include "notation/form.h"

#include <string.h>

#include "notation/form_config.h"
#include "notation/say.h"

#define REQUIRED NCS_FORM_REQUIRED
#define OBJECT NCS_FORM_OBJECT
#define ARGUMENT NCS_FORM_ARGUMENT
#define MAKES NCS_FORM_MAKES
#define OWN NCS_FORM_OWN
#define EITHER NCS_FORM_EITHER
#define SHIFTS NCS_FORM_SHIFTS
#define END { NULL, NCS_FORM_EXPR, 0, NULL, NULL, NULL, NULL }
#define ROW(name, kind, flags, value, about) { name, kind, flags, value, about, NULL, NULL }

#define SEND(flags) ROW("send", NCS_FORM_BUFFER, ARGUMENT | (flags), NULL, "what goes out")
#define RECV(flags) ROW("recv", NCS_FORM_BUFFER, ARGUMENT | (flags), NULL, "what comes in")
#define OP ROW("op", NCS_FORM_OP, 0, "sum", "sum, prod, max, min, avg, or one of ops")
#define ROOT ROW("root", NCS_FORM_EXPR, 0, "0", "rank of this communicator")
#define PEER ROW("peer", NCS_FORM_EXPR, ARGUMENT | REQUIRED, NULL, "rank of this communicator")
#define COUNT ROW("count", NCS_FORM_COUNT, 0, NULL, "elements; by default as the operands are")
#define STREAM ROW("stream", NCS_FORM_STREAM, 0, NULL, "the communicator's own by default")
#define VERIFY ROW("verify", NCS_FORM_EXPR, 0, "true", "check the result")
#define COMM ROW("comm", NCS_FORM_COMM, OBJECT, "world", "communicator")
#define SIG_IDX ROW("sig_idx", NCS_FORM_EXPR, 0, "0", "which signal of the peer")
#define CTX ROW("ctx", NCS_FORM_EXPR, 0, "0", "RMA context")
#define OP_CNT ROW("op_cnt", NCS_FORM_EXPR, 0, "1", "how many signals")
#define ASYNC ROW("stream", NCS_FORM_STREAM, 0, NULL, "in the order of this stream; else at once")

#include "notation/gen/collectives.h"

static const struct ncs_form_field point[] = {
    ROW("buffer", NCS_FORM_BUFFER, ARGUMENT | REQUIRED, NULL, "what is sent or received"),
    PEER, COUNT, COMM, STREAM, VERIFY, END };
static const struct ncs_form_field put_signal[] = {
    ROW("buffer", NCS_FORM_BUFFER, ARGUMENT | REQUIRED, NULL, "what is put, itself in a window"),
    PEER,
    ROW("window", NCS_FORM_WINDOW, ARGUMENT | REQUIRED, NULL, "window of the peer"),
    ROW("first", NCS_FORM_EXPR, 0, "1", "element of the window at which it is put, from 1"),
    COUNT, COMM, STREAM, SIG_IDX, CTX, VERIFY, END };
static const struct ncs_form_field signal[] = { PEER, COMM, STREAM, SIG_IDX, CTX, END };

static const struct ncs_form_field signals[] = {
    ROW("peer", NCS_FORM_EXPR, REQUIRED, NULL, "rank of this communicator"),
    OP_CNT, SIG_IDX, CTX, END };
static const struct ncs_form_field wait_signal[] = {
    ROW("peer", NCS_FORM_EXPR, ARGUMENT | EITHER | SHIFTS, NULL, "whose signal"),
    { "from", NCS_FORM_SIGNALS, ARGUMENT | EITHER | SHIFTS, NULL, "several signals", signals, NULL },
    OP_CNT, SIG_IDX, CTX, COMM, STREAM, END };

#define AS ROW("as", NCS_FORM_NEW, MAKES | REQUIRED, NULL, "name of the new communicator")

static const struct ncs_form_field split[] = {
    AS, COMM,
    ROW("color", NCS_FORM_EXPR, REQUIRED, NULL,
        "ranks of one colour are in one communicator; -1: in none"),
    ROW("key", NCS_FORM_EXPR, 0, "0", "order of the new ranks"),
    NCS_FORM_CONFIG, END };
static const struct ncs_form_field shrink[] = {
    AS, COMM,
    ROW("exclude", NCS_FORM_RANKS, ARGUMENT | REQUIRED, NULL, "ranks that are left out"),
    ROW("abort", NCS_FORM_EXPR, 0, "false", "cut short what runs on the communicator"),
    NCS_FORM_CONFIG, END };
static const struct ncs_form_field grow[] = {
    AS, COMM,
    ROW("nranks", NCS_FORM_EXPR, REQUIRED | OWN, NULL, "ranks of the new communicator"),
    ROW("coordinator", NCS_FORM_EXPR, OWN, "0", "rank that makes the id"),
    ROW("rank", NCS_FORM_EXPR, OWN, NULL, "of a new rank, where comm is nil"),
    NCS_FORM_CONFIG, END };

static const struct ncs_form_field fill[] = {
    ROW("buffer", NCS_FORM_BUFFER, OBJECT | REQUIRED, NULL, "what is filled"),
    ROW("value", NCS_FORM_ELEMENTS, ARGUMENT | REQUIRED, NULL,
        "expression (i is the element, from 1), list, or random"),
    ASYNC, END };
static const struct ncs_form_field copy[] = {
    ROW("from", NCS_FORM_BUFFER, ARGUMENT | REQUIRED, NULL, "what is read"),
    ROW("to", NCS_FORM_BUFFER, OBJECT | REQUIRED, NULL, "what is written"),
    ROW("count", NCS_FORM_COUNT, 0, NULL, "elements; all of from by default"),
    ASYNC, END };
static const struct ncs_form_field add[] = {
    ROW("from", NCS_FORM_BUFFER, ARGUMENT | REQUIRED, NULL, "what is added"),
    ROW("to", NCS_FORM_BUFFER, OBJECT | REQUIRED, NULL, "what it is added to"),
    ROW("count", NCS_FORM_COUNT, OWN, NULL, "elements; all by default"),
    ASYNC, END };
static const struct ncs_form_field record[] = {
    ROW("event", NCS_FORM_EVENT, OBJECT | REQUIRED, NULL, "the event"),
    ROW("stream", NCS_FORM_STREAM, ARGUMENT, "stream", "whose work so far it stands for"),
    END };
static const struct ncs_form_field wait[] = {
    ROW("event", NCS_FORM_EVENT, ARGUMENT | REQUIRED, NULL, "what is waited for"),
    ROW("stream", NCS_FORM_STREAM, OBJECT, "stream", "which waits"),
    END };
static const struct ncs_form_field delay[] = {
    ROW("seconds", NCS_FORM_SECONDS, ARGUMENT | REQUIRED, NULL, "how long"),
    ROW("stream", NCS_FORM_STREAM, OBJECT, "stream", "on which stream"),
    END };

#define WHEN                                                                                       \
    ROW("rank", NCS_FORM_EXPR, 0, NULL, "only on this rank"),                                      \
    ROW("comm", NCS_FORM_COMM, 0, "world", "communicator on which calls are counted"),             \
    ROW("call", NCS_FORM_EXPR, 0, NULL, "before this rank's call of that number, from 1"),         \
    ROW("func", NCS_FORM_FUNCTION, 0, NULL, "before a use of that function of C"),                 \
    ROW("nth", NCS_FORM_EXPR, 0, "1", "with func: before the nth use from here on")
#define SECONDS(flags, about) ROW("seconds", NCS_FORM_SECONDS, flags, NULL, about)
#define CODE ROW("code", NCS_FORM_RESULT, REQUIRED, NULL, "the result, such as ncclSystemError")

static const struct ncs_form_field when_nothing[] = { WHEN, END };
static const struct ncs_form_field when_delay[] = {
    WHEN, SECONDS(REQUIRED, "how much later"), END };
static const struct ncs_form_field when_code[] = { WHEN, CODE, END };
static const struct ncs_form_field when_elements[] = {
    WHEN, ROW("first", NCS_FORM_EXPR, 0, "1", "first element that is spoilt, from 1"),
    ROW("count", NCS_FORM_COUNT, 0, NULL, "elements; by default all that follow"), END };
static const struct ncs_form_field when_peer[] = {
    WHEN, ROW("peer", NCS_FORM_EXPR, REQUIRED, NULL, "rank at the other end"),
    SECONDS(0, "what everything over the link takes longer; without: it is cut"), END };

/* Whether its value may be left out. */
#define FORM_nothing NCS_FORM_SOME
#define FORM_delay NCS_FORM_FIELDS
#define FORM_code NCS_FORM_FIELDS
#define FORM_elements NCS_FORM_SOME
#define FORM_peer NCS_FORM_FIELDS

static const struct ncs_form_field faults[] = {
#define NCS_FAULT(KIND, name, needs, injects, about) { #name, FORM_##needs, OWN, NULL, about, when_##needs, NULL },
#include "api/faults.def"
#undef NCS_FAULT
    END };

static const struct ncs_form_field beside_repeat[] = {
    ROW("do", NCS_FORM_STEPS, REQUIRED, NULL, "what is repeated"),
    ROW("as", NCS_FORM_NEW, 0, NULL, "name of the count, from 1"),
    END };
static const struct ncs_form_field beside_thread[] = {
    ROW("as", NCS_FORM_NEW, 0, NULL, "name of the thread, for join"),
    END };

const struct ncs_form_field ncs_form_common[] = {
    ROW("where", NCS_FORM_EXPR, 0, NULL, "only on ranks where this is true"),
    ROW("label", NCS_FORM_TEXT, 0, NULL, "shown in reports, compared among ranks"),
    ROW("fails", NCS_FORM_RESULT, 0, NULL, "the step must fail with this result"),
    END };

/* name, kind, alone, fields, beside, method, say, about */
#define CALL(name, alone, fields, about) \
    { name, NCS_FORM_FIELDS, alone, fields, NULL, NULL, NULL, about }
#define LIFE(name, about) { name, NCS_FORM_COMM, NULL, NULL, NULL, NULL, NULL, about }

const struct ncs_form_verb ncs_form_verbs[] = {
    COLLECTIVES,
    CALL("send", NULL, point, "sends to a rank"),
    CALL("recv", NULL, point, "receives from a rank"),
    CALL("put_signal", NULL, put_signal, "writes into a peer's window and signals the peer"),
    CALL("signal", NULL, signal, "signals a peer"),
    CALL("wait_signal", NULL, wait_signal, "the stream waits for signals"),
    CALL("split", NULL, split, "makes communicators of the ranks of one colour"),
    CALL("shrink", NULL, shrink, "makes a communicator of the ranks that stay"),
    { "grow", NCS_FORM_FIELDS, NULL, grow, NULL, NULL, ncs_say_grow,
      "makes a communicator of the old ranks and new ones" },
    LIFE("finalize", "ends the communicator's work"),
    { "destroy", NCS_FORM_THING, NULL, NULL, NULL, NULL, ncs_say_destroy, "frees a named thing" },
    LIFE("abort", "cuts the communicator's work short and destroys it"),
    LIFE("revoke", "cuts this rank's work short"),
    LIFE("suspend", "gives device memory of the communicator back"),
    LIFE("resume", "takes it again"),
    LIFE("wait_ready", "polls until the communicator is not in progress"),
    CALL("fill", NULL, fill, "writes elements"),
    { "copy", NCS_FORM_FIELDS, NULL, copy, NULL, "copy_from", NULL, "copies elements" },
    { "add", NCS_FORM_FIELDS, NULL, add, NULL, NULL, ncs_say_add, "stands for a kernel that adds" },
    CALL("record", "event", record, "records an event in a stream"),
    CALL("wait", "event", wait, "a stream waits for an event"),
    { "sync", NCS_FORM_AWAITED, NULL, NULL, NULL, NULL, ncs_say_sync,
      "waits for a stream, an event, a communicator's stream or the device" },
    CALL("delay", NULL, delay, "stands for a kernel that takes so long"),
    { "sleep", NCS_FORM_SECONDS, NULL, NULL, NULL, NULL, ncs_say_sleep, "the host sleeps" },
    { "barrier", NCS_FORM_BARRIER, NULL, NULL, NULL, NULL, ncs_say_barrier,
      "the hosts of all ranks wait for each other, or those of a list" },
    { "do", NCS_FORM_STEPS, NULL, NULL, NULL, NULL, ncs_say_do, "steps under one where" },
    { "group", NCS_FORM_STEPS, NULL, NULL, NULL, NULL, ncs_say_group,
      "steps between ncclGroupStart and ncclGroupEnd" },
    { "repeat", NCS_FORM_TIMES, NULL, NULL, beside_repeat, NULL, ncs_say_repeat,
      "so many times what stands in do" },
    { "thread", NCS_FORM_STEPS, NULL, NULL, beside_thread, NULL, ncs_say_thread,
      "steps in a further host thread" },
    { "join", NCS_FORM_THREAD, NULL, NULL, NULL, NULL, NULL, "waits for a thread" },
    { "expect", NCS_FORM_EXPECT, NULL, NULL, NULL, NULL, ncs_say_expect,
      "buffers and what they hold; or that, a condition, with text" },
    { "fault", NCS_FORM_FIELDS, NULL, faults, NULL, NULL, ncs_say_fault,
      "something goes wrong: now, or before a call" },
    { "print", NCS_FORM_PRINT, NULL, NULL, NULL, NULL, ncs_say_print, "a text or a named thing" },
    { "lua", NCS_FORM_CHUNK, NULL, NULL, NULL, NULL, ncs_say_lua, "Lua over the same names" },
    { NULL, NCS_FORM_EXPR, NULL, NULL, NULL, NULL, NULL, NULL },
};

const struct ncs_form_verb *ncs_form_verb_of(const char *name)
{
    for (const struct ncs_form_verb *v = ncs_form_verbs; v->name; v++)
        if (v->name[0] == name[0] && strcmp(v->name, name) == 0)
            return v;
    return NULL;
}
