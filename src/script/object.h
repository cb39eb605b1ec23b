/* The objects of scripts: userdata with a class, a list of them by age, and the table of a class.
 *
 * An object is made closed, and opened once its resource is acquired. It stays alive until it is
 * closed, because garbage collection never calls the driver. */
#ifndef NCS_SCRIPT_OBJECT_H
#define NCS_SCRIPT_OBJECT_H

#include "script/state.h"

struct ncs_object {
    const struct ncs_class *class; /* first: no other userdata that scripts have begins with its address */
    enum ncs_class_id id;
    bool closed;
    int closed_line;
    const char *closed_by; /* the C function that closed it; NULL = a method */
    lua_Integer serial;
    struct ncs_object *newer, *older; /* in the rank's list; only classes with `close` */
};

/* Rows of functions end with a NULL name. Methods and field functions get the checked object as
 * first argument; `meta` are further metamethods. */
struct ncs_class {
    const char *name;           /* "buffer" */
    const char *gone;           /* "freed": the word for closed objects */
    const luaL_Reg *methods[6]; /* a table from each file with methods; NULL at the end */
    const luaL_Reg *fields, *meta;
    lua_CFunction close;  /* NULL: nothing to close */
    lua_CFunction index;  /* for keys that are not texts; NULL = none */
    lua_CFunction assign; /* __newindex; NULL: an error */
    lua_CFunction text;   /* __tostring */
    /* Drops an open object if its resource was freed in another way; NULL = that cannot happen. */
    void (*notice)(lua_State *L, struct ncs_object *o);
};

extern const struct ncs_class *const ncs_classes[NCS_CLASSES];
extern const struct ncs_class ncs_class_buffer, ncs_class_stream, ncs_class_event, ncs_class_comm, ncs_class_redop,
    ncs_class_pointer, ncs_class_id, ncs_class_config, ncs_class_thread, ncs_class_sim_info, ncs_class_window,
    ncs_class_registration, ncs_class_param, ncs_class_pool, ncs_class_graph;

/* Makes the classes of the objects that every rank has, and the tables that know them. */
void ncs_object_begin(lua_State *L);
/* Pushes the tables of all methods and of all fields of the class, for who looks through them. */
void ncs_object_members(lua_State *L, enum ncs_class_id id);

/* Pushes a new object of `bytes` zeroed bytes with `values` user values; it is closed if its class
 * can be closed. */
void *ncs_object_new(lua_State *L, enum ncs_class_id id, size_t bytes, int values);
void ncs_object_open(struct ncs_object *o);
/* Closes the object and removes it from the list. While its handle is not filled, NCCL may still
 * write there, so the object stays alive until the rank ends or ncs_object_let_go is called. */
void ncs_object_drop(lua_State *L, struct ncs_object *o);
void ncs_object_let_go(lua_State *L, struct ncs_object *o);
void ncs_object_push(lua_State *L, struct ncs_object *o); /* the object must still be in the list */
/* True if the object is closed now. Ask it before each use of the object's resource. */
bool ncs_object_closed(lua_State *L, const struct ncs_object *o);

/* True if objects of the class have a method of this name, false if a field; raises if neither. */
bool ncs_object_knows(lua_State *L, enum ncs_class_id id, const char *word);

/* test: the object at arg, or NULL. arg: the same, but raises for argument `name`. */
void *ncs_object_test(lua_State *L, int arg, enum ncs_class_id id);
void *ncs_object_arg(lua_State *L, int arg, enum ncs_class_id id, const char *name);
/* The same, and refuses closed ones. */
void *ncs_object_live(lua_State *L, int arg, enum ncs_class_id id, const char *name);
void ncs_object_check_open(lua_State *L, const struct ncs_object *o, const char *name);

/* The communicator on which the running binding is called; NULL: none, or it was collected. */
const struct ncs_comm *ncs_lua_about(lua_State *L);

/* An object of any class; NULL = the value is no object of ours. */
struct ncs_object *ncs_object_any(lua_State *L, int arg);

/* Begins a method: self at 1, called with a colon, and at most `max` further arguments. Refuses a
 * closed object; the variant _any takes one. */
void *ncs_lua_method(lua_State *L, enum ncs_class_id id, const char *method, int max);
void *ncs_lua_method_any(lua_State *L, enum ncs_class_id id, const char *method, int max);

/* ---- the objects ---- */

enum ncs_memory {
    NCS_MEMORY_DEVICE,
    NCS_MEMORY_MANAGED,
    NCS_MEMORY_NCCL,
    NCS_MEMORY_PINNED,
    NCS_MEMORY_PAGEABLE, /* within Lua's memory, as C.host */
};

struct ncs_buffer {
    struct ncs_object head;
    struct ncs_buffer *root; /* itself, or a view's root, which is its user value 1 */
    char *bytes;             /* NULL when empty */
    uint64_t allocation;     /* the machine's serial; 0 = pageable, empty or unknown */
    size_t count;
    int dtype, device;
    enum ncs_memory memory;
};

struct ncs_stream {
    struct ncs_object head;
    cudaStream_t handle;
    int device;
    const char *name; /* ready-made ones: "stream", "legacy stream" */
};

struct ncs_event {
    struct ncs_object head;
    cudaEvent_t handle;
    int device;
};

struct ncs_graph {
    struct ncs_object head;
    cudaGraphExec_t handle;
    int device; /* of the stream that was captured */
};

/* User value 1: the stream; 2: the owner of the cell if it is not its own. */
struct ncs_comm {
    struct ncs_object head;
    ncclComm_t own, *cell; /* where NCCL puts the handle, perhaps later */
    int rank, nranks, device;
    const char *name; /* interned; NULL = the journal's */
    bool named;       /* the journal knows the name */
    bool blocking, finalized, revoked, aborted;
    bool interrupted;               /* its work was interrupted */
    bool dropped;                   /* never made: its group failed. It can be aborted only */
    bool split_share, shrink_share; /* from its configuration */
    lua_Integer family;             /* serial of the communicator whose resources it uses */
    uint64_t group;                 /* group of its creation; pending until that ends; 0 = none */
};

struct ncs_lua_redop {
    struct ncs_object head;
    ncclRedOp_t op;
    ncclComm_t comm;
    struct ncs_comm *owner; /* user value 1 */
    int dtype;
    double scalar;
    bool on_device;
};

struct ncs_pointer {
    struct ncs_object head;
    struct ncs_buffer *root; /* user value 1; NULL for an allocation by C */
    char *base, *at;         /* start of the allocation, and the pointer itself */
    bool host;               /* C.host or pageable: the bytes are known */
};

struct ncs_id {
    struct ncs_object head;
    ncclUniqueId id;
};

struct ncs_config {
    struct ncs_object head;
    ncclConfig_t config;
};

struct ncs_sim_info {
    struct ncs_object head;
    ncclSimInfo_t info;
};

/* A window, registration, parameter or pool. Classes with more fields begin with this one. */
struct ncs_handle {
    struct ncs_object head;
    void *handle; /* NULL until the library fills it, at the latest at group end */
};

/* User value 1: the communicator; 2: the buffer. */
struct ncs_of_comm {
    struct ncs_handle handle;
    struct ncs_comm *comm; /* NULL: made through C */
};

static inline ncclComm_t ncs_comm_handle(const struct ncs_comm *c)
{
    return *c->cell;
}

struct ncs_handle *ncs_handle_make(lua_State *L, enum ncs_class_id id); /* pushes it */
extern const luaL_Reg ncs_handle_meta[];

/* Pushes a pointer to `at` within a buffer. */
void ncs_pointer_push(lua_State *L, int buffer);
/* Pushes a pointer to memory that a raw call returned. */
void ncs_pointer_push_raw(lua_State *L, void *p);

/* The default stream of communicators on `device`; it is made on first use. */
struct ncs_stream *ncs_stream_default(lua_State *L, int device);
/* The stream among the arguments `[stream [, options]]` from `at` on, or the default one of the device. Reads the label. */
struct ncs_stream *ncs_stream_given(lua_State *L, int at, int device);
/* The device of the stream's work; ready-made streams follow the current device. */
int ncs_stream_device(lua_State *L, const struct ncs_stream *s);
/* Pushes a new stream. */
struct ncs_stream *ncs_stream_make(lua_State *L, const char *name, int device);
/* Wraps a stream that the script made through C. */
void ncs_stream_wrap(lua_State *L, cudaStream_t handle);
void ncs_event_wrap(lua_State *L, cudaEvent_t handle);

/* Pushes a communicator whose handle NCCL will store in *cell. nranks -1: its
 * rank is unknown too. */
struct ncs_comm *ncs_comm_make(lua_State *L, int rank, int nranks, int device);
/* Asks NCCL for rank and number of ranks if they were unknown when it was made. */
void ncs_comm_know(lua_State *L, struct ncs_comm *c);
/* Opens it: its handle is filled, or will be. */
void ncs_comm_open(lua_State *L, struct ncs_comm *c);
/* Gives the journal the names of communicators whose handles are filled now. */
void ncs_comm_name_filled(struct ncs_lua_rank *rank);
/* Its name: the script's, or the journal's; NULL = none yet. */
const char *ncs_lua_comm_name(const struct ncs_lua_rank *rank, const struct ncs_comm *c);
/* Refuses a number, the argument `what`, that is not a rank of the communicator. Only for numbers
 * that NCCL does not check (NCCL 2.30.7: the peers of ncclWaitSignal, the list of
 * ncclCommShrink). */
void ncs_comm_check_rank(lua_State *L, const struct ncs_comm *c, const char *what, int rank);
void ncs_comm_world(lua_State *L); /* makes `world`; pushes it */
struct ncs_comm_config;
/* Records the parts of its configuration that matter here; `parent`'s if config gives none. */
void ncs_comm_configure(struct ncs_comm *c, const struct ncs_comm_config *config, const struct ncs_comm *parent);
/* Records that a function which ends, interrupts or suspends it has succeeded. If the handle is not
 * filled, C got NULL and did nothing. */
void ncs_comm_note(lua_State *L, struct ncs_comm *c, enum ncs_fn fn);
/* True while it is being made: its group is open, or its handle is not filled. */
bool ncs_comm_pending(lua_State *L, const struct ncs_comm *c);

/* Marks the communicators that were made in a group which has just failed. */
void ncs_comm_drop_group(lua_State *L);

/* Methods of communicators: lives, children, operators, windows, one-sided calls (rma.c). The
 * methods for collectives, sends and receives come from the rows of the API. */
extern const luaL_Reg ncs_comm_lives[], ncs_comm_children[], ncs_comm_redops[], ncs_comm_windows[], ncs_one_sided[];
const char *ncs_collective_name(enum ncs_fn fn);            /* its method of communicators; NULL = none */
bool ncs_collective_method(lua_State *L, const char *word); /* pushes the method; false = unknown */
int ncs_comm_destroy(lua_State *L);
int ncs_comm_state(lua_State *L);
int ncs_comm_join(lua_State *L); /* nccl.grow */

/* Copies elements of a buffer through a stage of host memory. Synchronous, on the legacy stream. */
void ncs_buffer_read(lua_State *L, const struct ncs_buffer *b, size_t first, size_t count, void *to);
void ncs_buffer_write(lua_State *L, const struct ncs_buffer *b, size_t first, size_t count, const void *from);
/* Begins a method of buffers; refuses a freed buffer. */
struct ncs_buffer *ncs_buffer_self(lua_State *L, const char *method, int max);
size_t ncs_buffer_element(const struct ncs_buffer *b); /* bytes of one element */
/* Pushes memory to copy through. An asynchronous copy from pageable memory has read it all when it
 * returns, so the stage can be reused at once. */
#define NCS_BUFFER_STAGE ((size_t)1 << 20) /* bytes that are copied at once */
void *ncs_buffer_stage(lua_State *L, size_t bytes);
int ncs_buffer_fill(lua_State *L);
int ncs_buffer_dump(lua_State *L);
int ncs_buffer_text(lua_State *L); /* __tostring */
int ncs_buffer_copy_from(lua_State *L);
int ncs_buffer_add(lua_State *L);
/* Pushes host memory for count elements as a buffer. */
struct ncs_buffer *ncs_buffer_host(lua_State *L, int dtype, size_t count);
/* For inspection on the simulator: the buffer's memory is read directly, without the driver. show
 * pushes a text with a summary of its elements; peek reads element i, from 0. */
void ncs_buffer_show(lua_State *L, const struct ncs_buffer *b);
double ncs_buffer_peek(const struct ncs_buffer *b, size_t i); /* the buffer must be live */
/* True if its memory was not freed: by a method, through C, or with its device. */
bool ncs_buffer_is_live(lua_State *L, const struct ncs_buffer *b);
void ncs_buffer_check_live(lua_State *L, const struct ncs_buffer *b, const char *name);
/* The range that is lent to a call on the buffer; only pageable memory is the script's own. */
struct ncs_range ncs_buffer_range(const struct ncs_buffer *b);
/* Converts the number at arg to an element of dtype. */
void ncs_lua_element(lua_State *L, int arg, int dtype, void *element, const char *name);

/* The stream of a call on the communicator at 1: the one at `slot` of the stack, else the
 * communicator's own. */
cudaStream_t ncs_comm_stream(lua_State *L, int slot);

/* Functions of the libraries that make objects: cuda.buffer, nccl.group ... */
int ncs_buffer_make(lua_State *L);
int ncs_stream_new(lua_State *L);
int ncs_stream_legacy(lua_State *L);     /* pushes cuda.legacy_stream */
int ncs_stream_per_thread(lua_State *L); /* pushes cuda.per_thread_stream */
int ncs_event_new(lua_State *L);
int ncs_graph_new(lua_State *L);
int ncs_comm_init_rank(lua_State *L);
int ncs_comm_init_all(lua_State *L);
int ncs_lua_group(lua_State *L);
int ncs_nccl_param(lua_State *L);
int ncs_nccl_params(lua_State *L);
int ncs_lua_simulate(lua_State *L); /* nccl.simulate */
void ncs_id_push(lua_State *L, const ncclUniqueId *id);

#endif
