/* Shared by the files of room script: a loaded script, a rank with its Lua state, the threads of a
 * rank, and how a binding calls the driver and complains. Only the tests include this from outside.
 *
 * Every Lua thread of a rank holds in its extra space a pointer to the rank's thread of control
 * that runs it. A binding begins with ncs_lua_begin or ncs_lua_method and calls the driver with
 * NCS_CALL or NCS_TRY. While it does, it must own no memory outside Lua, because a waiting context
 * may be dropped at any time. */
#ifndef NCS_SCRIPT_STATE_H
#define NCS_SCRIPT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lauxlib.h>
#include <lua.h>

#include "api/driver.h"
#include "api/local.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/near.h"
#include "run/run.h"
#include "script/heap.h"
#include "script/lines.h"
#include "script/script.h"

/* A compiled file; every state loads its bytecode. */
struct ncs_chunk {
    struct ncs_chunk *next;
    char *name; /* of the module; NULL for the scenario itself */
    char *file; /* path, as places give it */
    char *code;
    size_t bytes;
    int last_line;          /* of the last statement */
    char *text;             /* Lua; NULL = not kept; kept for messages about its lines and for the prompt */
    char *origin;           /* the text that was translated to Lua; NULL = none was */
    struct ncs_lines lines; /* maps its lines to those of the original text */
};

struct ncs_script {
    struct ncs_session *session; /* NULL: its ranks run the file */
    struct ncs_chunk main;
    struct ncs_chunk *modules;
    char *folder; /* of the scenario; "" = the current one */
    bool unsafe;
    int line;          /* of the statement scenario{}; 0 = none */
    bool blank;        /* the file has no other statement */
    bool world_config; /* `world` is a configuration */
    ncclConfig_t config;
    const char *world_name;
    const struct ncs_scenario *scenario;
    struct ncs_map texts;        /* interned */
    bool modelled;               /* it was tried to make the model: */
    struct ncs_heap_model model; /* the state of a rank before its first instruction; L NULL = none */
};

struct ncs_object;

struct ncs_lua_thread {
    struct ncs_lua_rank *rank;
    lua_State *L;                       /* its own Lua thread */
    lua_State *running;                 /* the Lua thread of the latest call: L or a coroutine */
    struct ncs_local *local;            /* NULL while a scenario is only declared */
    int device;                         /* CUDA's current device */
    bool cancelled;                     /* sticky: scripts cannot catch it */
    bool prologue;                      /* before the first statement */
    bool finished;                      /* past the last one */
    bool hooked;                        /* the hook runs, so the innermost function is no binding */
    enum ncs_fn last_fn;                /* of the latest call through C */
    unsigned queued;                    /* calls queued in the open outermost group */
    const char *what;                   /* the binding that runs, for messages */
    const char *through;                /* C function that accepts what the object refuses, for messages */
    const struct ncs_object *about;     /* the communicator that it is called on; may be collected */
    struct ncs_place failed;            /* where the error that ends the thread was raised */
    struct ncs_lua_thread *next, *prev; /* spawned threads of the rank, oldest first */
};

enum ncs_class_id {
    NCS_CLASS_BUFFER,
    NCS_CLASS_STREAM,
    NCS_CLASS_EVENT,
    NCS_CLASS_COMM,
    NCS_CLASS_REDOP,
    NCS_CLASS_POINTER,
    NCS_CLASS_ID,
    NCS_CLASS_CONFIG,
    NCS_CLASS_THREAD,
    NCS_CLASS_SIM_INFO,
    NCS_CLASS_WINDOW,
    NCS_CLASS_REGISTRATION,
    NCS_CLASS_PARAM,
    NCS_CLASS_POOL,
    NCS_CLASS_GRAPH,
    NCS_CLASSES
};

struct ncs_lua_rank {
    struct ncs_lua_thread main;
    struct ncs_script *script;
    struct ncs_run *run;
    const struct ncs_api *api;
    const struct ncs_machine *machine; /* NULL: real hardware */
    struct ncs_heap heap;              /* freed without closing the state: lua_close would run the script's
                               * __close in the middle of a dropped call */
    lua_State *L;
    int rank, nranks, device; /* device: where the rank starts */
    int nccl;                 /* NCCL version of its process, where versions differ; 0 = that of all */
    bool declared;            /* scenario{} has been called */
    bool names_only;          /* no run, only the names of one */
    bool planned;             /* a run on driver plan: results are unknown and count as right */
    const void *chunk;        /* the function that is the scenario, while it runs; NULL = none */
    int last_line;            /* last line of the script that ran; 0 = it is not over */
    lua_Integer serials;      /* of objects */
    lua_Integer named;        /* tables and functions with a serial */
    struct ncs_random random, fill_random;
    struct ncs_object *newest; /* objects, for closing at the end */
    struct ncs_object *world, *stream;
    struct ncs_lua_thread *threads, *last_thread; /* spawned threads that nobody has joined */
    struct ncs_lua_thread *joining;               /* the thread that the end of the script joins next */
    int64_t budget;                               /* instructions left, for a declaration or a plan */
    void *held;                                   /* malloced result of a call that is being pushed */
};

static inline struct ncs_lua_thread *ncs_lua_thread(lua_State *L)
{
    return *(struct ncs_lua_thread **)lua_getextraspace(L);
}

static inline struct ncs_lua_rank *ncs_lua_rank(lua_State *L)
{
    return ncs_lua_thread(L)->rank;
}

/* ---- state.c ---- */

/* Opens a state with libraries, classes and environment. The caller has set rank->script, rank,
 * nranks, device, run, api and machine (run NULL: only declarations can run). `more` (NULL = nothing) runs in it last;
 * the message handler and its result stay on the stack. */
bool ncs_lua_open(struct ncs_lua_rank *rank, lua_CFunction more, struct ncs_error *err);
/* The same for the ranks of runs, which have equal states at first: only the first rank's is made, and copied. */
bool ncs_lua_open_copy(struct ncs_lua_rank *rank, lua_CFunction more, struct ncs_error *err);
void ncs_lua_close(struct ncs_lua_rank *rank);

/* A rank of a run (script.c). ncs_lua_rank_main runs in the rank's own context: it calls `live`
 * with the values that lie on the stack behind the message handler. */
struct ncs_lua_rank *ncs_lua_rank_new(struct ncs_script *script, struct ncs_run *run, int number, lua_CFunction more,
                                      struct ncs_error *err); /* `more`: see ncs_lua_open */
void ncs_lua_rank_main(struct ncs_lua_rank *rank, lua_CFunction live);
void ncs_lua_rank_free(void *rank);

/* Returns the same pointer for equal texts; it is valid as long as the script. */
const char *ncs_script_intern(struct ncs_script *script, const char *text);

void ncs_script_free_texts(struct ncs_script *script);

/* The place in the innermost function of the scenario's own files that runs on L or its thread. */
struct ncs_place ncs_lua_where(lua_State *L);
struct ncs_place ncs_lua_thread_where(void *thread); /* for ncs_local.where */

/* Sets the hook of a running script: it checks interrupts and cancellation, and counts the
 * instructions of a declaration. */
#define NCS_LUA_WATCH 10000 /* instructions between its calls */
void ncs_lua_watch(lua_State *L);
/* If this thread was cancelled, raises the error that scripts cannot catch. */
void ncs_lua_check_cancel(lua_State *L);
int ncs_lua_cancel(lua_State *L); /* cancels it and raises */
/* Skips the run, because driver nccl cannot do `what`, and cancels. */
int ncs_lua_needs_simulator(lua_State *L, const char *what);

/* Message handler: records the place and adds a traceback to the error (error.c). */
int ncs_lua_message(lua_State *L);
/* Reports the error on top of L, which ends the thread. */
void ncs_lua_report(struct ncs_lua_thread *thread, lua_State *L);
/* Tells the journal that the script has caught the error on top of L. */
void ncs_lua_caught(lua_State *L);

/* ---- calling the driver ---- */

/* A call may touch the script's own memory only if that memory is lent here, and only while the
 * call runs. The machine refuses freed buffers and pointers to anywhere else. */
const struct ncs_api *ncs_lua_before(lua_State *L, enum ncs_fn fn); /* lends nothing */
const struct ncs_api *ncs_lua_lend(lua_State *L, enum ncs_fn fn, struct ncs_range one, struct ncs_range other);
void ncs_lua_lend_more(lua_State *L, struct ncs_range range);
#define NCS_NO_RANGE ((struct ncs_range){ .from = NULL })
int ncs_lua_after(lua_State *L, int rc);
int ncs_lua_ok(lua_State *L, enum ncs_fn fn, int rc); /* raises unless success or in progress */

/* The result code of the call, which has the label and the verification of the running binding. */
#define NCS_CALL(L, fn, ...) ncs_lua_after((L), (int)ncs_lua_before((L), NCS_FN_##fn)->fn(__VA_ARGS__))
/* As NCS_CALL, but raises errors. */
#define NCS_TRY(L, fn, ...) ncs_lua_ok((L), NCS_FN_##fn, NCS_CALL(L, fn, __VA_ARGS__))
/* As NCS_TRY, for a call that reads or writes these two ranges of the script's memory. */
#define NCS_TRY_LENDING(L, one, other, fn, ...) \
    ncs_lua_ok((L), NCS_FN_##fn, ncs_lua_after((L), (int)ncs_lua_lend((L), NCS_FN_##fn, (one), (other))->fn(__VA_ARGS__)))

/* Makes a device current for one call. The thread's own device stays recorded, and
 * leave restores it. */
void ncs_lua_enter_device(lua_State *L, int device);
void ncs_lua_leave_device(lua_State *L, int device);
/* NCS_TRY with `device` current for that call only, whether or not it fails. */
#define NCS_TRY_ON(L, device, fn, ...)                            \
    do {                                                          \
        ncs_lua_before((L), NCS_FN_##fn); /* it may be missing */ \
        ncs_lua_enter_device((L), (device));                      \
        int rc_ = NCS_CALL(L, fn, __VA_ARGS__);                   \
        ncs_lua_leave_device((L), (device));                      \
        ncs_lua_ok((L), NCS_FN_##fn, rc_);                        \
    } while (0)

/* Calls a script's function from within a binding, and restores the binding's label, verification
 * and name in messages afterwards. */
void ncs_lua_call_back(lua_State *L, int args, int results);

/* Pushes "ncclSuccess" or "ncclInProgress". */
int ncs_lua_push_result(lua_State *L, int rc);

/* ---- binding helpers (binding.c) ---- */

/* Begins a library's function: refuses a call with a colon, and more than max arguments
 * (< 0: any number). */
struct ncs_lua_thread *ncs_lua_begin(lua_State *L, const char *what, int max);

bool ncs_lua_is_whole(lua_State *L, int arg, lua_Integer *value); /* a number without fraction */
lua_Integer ncs_lua_integer(lua_State *L, int arg, const char *name);
int ncs_lua_int(lua_State *L, int arg, const char *name);      /* within C's int */
size_t ncs_lua_count(lua_State *L, int arg, const char *name); /* not negative */
double ncs_lua_number(lua_State *L, int arg, const char *name);
int64_t ncs_lua_seconds(lua_State *L, int arg, const char *name); /* as nanoseconds */
const char *ncs_lua_string(lua_State *L, int arg, const char *name);
/* The length of a list; refuses a table with other keys. `wanted` describes the entries. */
size_t ncs_lua_list(lua_State *L, int arg, const char *name, const char *wanted);
/* The same for a list of whole numbers; pushes it as an array. */
int *ncs_lua_ints(lua_State *L, int arg, const char *name, const char *wanted, int *count);
int ncs_lua_dtype(lua_State *L, int arg);
/* The type of a value in messages: "buffer", "table", "nil", "no value". */
const char *ncs_lua_type(lua_State *L, int arg);
/* Raises "NAME must be WANTED, got ...". */
int ncs_lua_wrong(lua_State *L, int arg, const char *name, const char *wanted);

/* Makes the table at `index` a locked library: pushes a proxy for reading. Writes and unknown names
 * raise errors with `name`. */
void ncs_lua_lock(lua_State *L, int index, const char *name);
/* The name of the locked library at arg; NULL: it is none, or it is the environment. */
const char *ncs_lua_library(lua_State *L, int arg);
/* This field of a metatable marks a library whose functions take a colon. */
#define NCS_TAKES_COLON "ncs.value"
/* Call it before complaints that concern no call. */
void ncs_lua_no_call(lua_State *L);

/* ---- names that are not there (hint.c) ---- */

/* In the registry: a table whose keys are the names that lines of a session have made local. */
#define NCS_DECLARED "ncs.declared"

/* Raises "no such WHAT 'word'" with a hint: a similar name in the tables at the given indices, or
 * the script's name of a C function. `owner` has these names, NULL = globals. */
int ncs_lua_unknown(lua_State *L, const char *what, const char *owner, const char *word, const int *tables, int count);
/* A hint from a list of names; see ncs_near_hint. */
const char *ncs_lua_hint(char hint[NCS_NEAR_ROOM], char quote, const char *word, const char *const *names, size_t count,
                         const char *otherwise);
/* The C function that `word` means, in any case, with or without its library's prefix and the
 * prefix of `owner` ("comm", may be NULL); -1 = none. */
int ncs_lua_meant_function(const char *owner, const char *word);

/* ---- errors (error.c) ---- */

struct ncs_lua_error {
    const char *kind; /* of ncs_error_kind_name */
    const char *name; /* NULL: the kind */
    const char *call; /* C name; NULL = none */
    int code;
    const char *text;   /* without the place */
    const char *detail; /* NULL = none */
};

int ncs_lua_raise(lua_State *L, const struct ncs_lua_error *e);
int ncs_lua_usage(lua_State *L, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As ncs_lua_usage, for a mistake that C would pass on and NCCL would not notice, such as a count
 * beyond the buffer. NCCL itself checks roots, peers and the rank of a new communicator, so
 * bindings do not. */
int ncs_lua_refuse(lua_State *L, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Raises: the memory budget has no room for so many bytes. */
int ncs_lua_no_room(lua_State *L, size_t bytes);
int ncs_lua_raise_code(lua_State *L, enum ncs_fn fn, int rc);
/* Raises the error that NCCL found on a communicator while the thread waited (api/local.h). */
int ncs_lua_raise_async(lua_State *L);
/* The message of an error, with its place unless that is the given line. Free it with ncs_free. */
char *ncs_lua_error_line(struct ncs_lua_thread *thread, lua_State *L, int line);
void ncs_lua_error_class(lua_State *L);
/* The text behind Lua's "FILE:LINE: ", whose line is stored; the text itself if it
 * begins otherwise. */
const char *ncs_lua_skip_place(const char *text, const char *file, int *line);
/* Pushes an error as text: the message or the contents of a table, else the value itself. */
void ncs_lua_shown(lua_State *L, int index);
/* True if the value at index is an error object of ours. */
bool ncs_lua_is_error(lua_State *L, int index);

/* ---- order and identity (order.c) ---- */

/* Pushes a list of the table's keys in order, or nil if they are 1..n. Returns their number. */
lua_Integer ncs_lua_keys(lua_State *L, int table);
/* Pushes key i (from 1) of such a list; the table may no longer have a value there. */
void ncs_lua_key(lua_State *L, int list, lua_Integer i);

/* Pushes the value as text without addresses; uses __tostring and __name. */
const char *ncs_lua_text(lua_State *L, int index);
/* The text at index as a C string: in place, a zero byte becomes \x00. */
const char *ncs_lua_whole_text(lua_State *L, int index);
int ncs_lua_next(lua_State *L);
int ncs_lua_pairs(lua_State *L);
int ncs_lua_tostring(lua_State *L);
int ncs_lua_format(lua_State *L); /* string.format; upvalue 1 is Lua's own */

/* ---- parts of the environment, each made when a script first names it (script/ready.h) ---- */

void ncs_lua_sandbox(lua_State *L); /* pushes the table of globals, with little in it */
extern luaL_Reg ncs_base_rows[];    /* functions of Lua that are there as they are */
extern const luaL_Reg ncs_control_functions[], ncs_module_functions[], ncs_store_functions[], ncs_thread_functions[];

/* Libraries: these push them, locked. */
void ncs_lua_store(lua_State *L);
void ncs_lua_coroutine(lua_State *L);
void ncs_lua_debug(lua_State *L); /* not locked */
void ncs_lua_io(lua_State *L);    /* likewise; unsafe */
void ncs_lua_math(lua_State *L);
void ncs_lua_os(lua_State *L);
void ncs_lua_table(lua_State *L);
void ncs_lua_utf8(lua_State *L);
void ncs_lua_push_params(lua_State *L, const struct ncs_scenario *s); /* `param` */
void ncs_lua_fault(lua_State *L);
void ncs_lua_nccl(lua_State *L);
void ncs_lua_cuda(lua_State *L);
void ncs_lua_expect(lua_State *L);
void ncs_lua_raw(lua_State *L); /* C */

/* Functions of Lua's libraries in the sandbox's own way; a guard has Lua's as upvalue 1. */
extern const luaL_Reg ncs_base_guards[], ncs_base_own[], ncs_string_guards[], ncs_table_guards[], ncs_utf8_guards[],
    ncs_math_own[], ncs_os_guards[], ncs_os_own[], ncs_os_unsafe[]; /* sandbox.c */
extern const luaL_Reg ncs_coroutine_guards[], ncs_coroutine_own[];  /* control.c */

int ncs_lua_scenario(lua_State *L); /* scenario{} on a rank: declare.c */

/* Pushes the environment of chunks: the proxy through which they read globals. */
void ncs_lua_environment(lua_State *L);
/* Its __close, which runs where the script's chunk ends: records the line, unless an error ended
 * the chunk. */
int ncs_lua_note_end(lua_State *L);

/* Text to a chunk; err has file, line and text. */
bool ncs_chunk_compile(struct ncs_chunk *chunk, const char *text, size_t bytes, struct ncs_error *err);
bool ncs_is_module_name(const char *name, size_t bytes);
/* The offset of the Lua text behind a byte order mark and a first line for the shell. */
size_t ncs_chunk_start(const char *text, size_t bytes);
void ncs_chunk_free(struct ncs_chunk *chunk); /* the contents */

/* reading.c: translates YAML that was read to equivalent Lua text; err has the first complaint. */
bool ncs_reading_translate(struct ncs_reading *r, struct ncs_str *lua, struct ncs_lines *lines, struct ncs_error *err);

/* Packs values for another rank into bytes (value.c). */
void ncs_value_pack(lua_State *L, int index);                         /* pushes them as a string */
void ncs_value_unpack(lua_State *L, const void *bytes, size_t count); /* pushes the value */

/* thread.c: waits until all threads that this rank spawned have ended, and reports errors that no
 * join took over. */
void ncs_lua_join_all(lua_State *L);

/* finish.c: ends the rank's script (sim/README.md, rule 14). */
void ncs_lua_finish(lua_State *L);

/* ready.c: makes `stream` and `world` in the rank's own context. */
void ncs_lua_make_world(lua_State *L);

/* inspect.c: pushes a value as a session shows it, without a call of the driver. */
void ncs_lua_show(lua_State *L, int index);
/* help(x): replies with its topic. */
int ncs_lua_help(lua_State *L);
/* session.c */
/* A Lua thread of the rank's state, for inspection; NULL = the rank is gone. */
lua_State *ncs_session_eye(struct ncs_session *s, int rank);
void ncs_session_help(struct ncs_session *s, int rank, const char *topic);

#endif
