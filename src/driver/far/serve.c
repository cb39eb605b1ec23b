#include "driver/far/serve.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/carry.h"
#include "api/environment.h"
#include "api/invoke.h"
#include "base/map.h"
#include "base/mem.h"
#include "driver/far/pack.h"
#include "driver/token.h"
#include "driver/world.h"
#include "team/team.h"

/* A line of the leader's, and the thread that answers it. */
struct serve_line {
    uint32_t number;
    pthread_cond_t changed;
    struct serve_question {
        struct serve_question *next;
        uint32_t kind;
        size_t bytes;
        unsigned char body[];
    } * first, **last;
};

/* A function of the script's that a stream here runs: the leader calls it. */
struct serve_task {
    struct far_task task;
    struct serve_line line;
};

/* A handle that the library may write after the call that asked for it. */
struct serve_late {
    const void *cell, *before;
    uint64_t there; /* its address in the leader */
    struct serve_late *next;
};

static struct {
    struct ncs_team *team;
    const struct ncs_api *api;
    pthread_mutex_t lock; /* guards what follows, and the lines */
    struct ncs_map lines;
    struct serve_late *late;
    uint32_t last_task;
} serving = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- lines ---- */

static void serve_line_begin(struct serve_line *l, uint32_t number)
{
    l->number = number;
    l->last = &l->first;
    pthread_cond_init(&l->changed, NULL);
    ncs_map_put(&serving.lines, number, l);
}

static struct serve_question *serve_next(struct serve_line *l)
{
    pthread_mutex_lock(&serving.lock);
    while (!l->first)
        pthread_cond_wait(&l->changed, &serving.lock);
    struct serve_question *q = l->first;
    l->first = q->next;
    if (!l->first)
        l->last = &l->first;
    pthread_mutex_unlock(&serving.lock);
    return q;
}

static void serve_question(uint32_t line, const struct serve_question *q);

/* Until the leader closes the line, or says that the task with this line has run. */
static void serve_line(struct serve_line *l)
{
    for (bool open = true; open;) {
        struct serve_question *q = serve_next(l);
        open = q->kind != FAR_CLOSE && q->kind != FAR_DONE;
        if (open)
            serve_question(l->number, q);
        ncs_free(q);
    }
    pthread_mutex_lock(&serving.lock);
    ncs_map_remove(&serving.lines, l->number);
    pthread_mutex_unlock(&serving.lock);
    pthread_cond_destroy(&l->changed);
}

/* ---- functions of the script's ---- */

static void serve_run_there(struct serve_task *t, const void *stream, int status)
{
    t->task.stream = (uintptr_t)stream;
    t->task.status = status;
    pthread_mutex_lock(&serving.lock);
    serve_line_begin(&t->line, FAR_TASK_LINES | ++serving.last_task);
    pthread_mutex_unlock(&serving.lock);
    if (ncs_team_send(serving.team, 0, FAR_TASK, t->line.number, &t->task, sizeof t->task, NULL, 0))
        serve_line(&t->line);
    ncs_free(t);
}

static void serve_host_function(void *task)
{
    serve_run_there(task, NULL, 0);
}

static void serve_callback(cudaStream_t stream, cudaError_t status, void *task)
{
    serve_run_there(task, stream, (int)status);
}

/* Replaces the number of a function of the leader's by a function of ours. NULL = the call has none. */
static struct serve_task *serve_new_task(const struct ncs_fn_info *info, union ncs_arg *arg)
{
    int host = info->at[NCS_ARG_HOSTFN], callback = info->at[NCS_ARG_STREAMFN], data = info->at[NCS_ARG_USERDATA];
    int at = host ? host : callback;
    if (!at || !data || !arg[at - 1].f)
        return NULL;
    struct serve_task *t = ncs_new(sizeof *t);
    t->task = (struct far_task){ .number = arg[at - 1].u };
    arg[at - 1].f = host ? (void (*)(void))serve_host_function : (void (*)(void))serve_callback;
    arg[data - 1].p = t;
    return t;
}

/* ---- a call ---- */

/* A call's memory here. */
struct serve_memory {
    void *memory;
    size_t room;
    uint32_t at;
    bool back;
};

struct serve_call {
    enum ncs_fn fn;
    const struct ncs_fn_info *info;
    union ncs_arg arg[NCS_MAX_ARGS];
    struct serve_memory memory[FAR_ITEMS];
    size_t memories;
};

static void serve_set_argument(struct serve_call *c, uint32_t at, void *memory)
{
    int config = c->info->at[NCS_ARG_CONFIG];
    ncclConfig_t *configured = config ? (ncclConfig_t *)c->arg[config - 1].p : NULL;
    if (at < (uint32_t)c->info->nargs)
        c->arg[at].p = memory;
    else if (at == FAR_NET_NAME && configured)
        configured->netName = memory;
    else if (at == FAR_COMM_NAME && configured)
        configured->commName = memory;
}

/* The library may write the cell at any later time: it stays. */
static void far_keep_late(struct serve_call *c, uint32_t at, const void *before)
{
    struct serve_late *l = ncs_new(sizeof *l);
    const void **cell = ncs_new(sizeof *cell);
    memcpy(cell, before, sizeof *cell);
    *l = (struct serve_late){ .cell = cell, .before = *cell, .there = c->arg[at].u };
    c->arg[at].p = cell;
    pthread_mutex_lock(&serving.lock);
    l->next = serving.late;
    serving.late = l;
    pthread_mutex_unlock(&serving.lock);
}

/* Takes the request apart. False: it is broken. */
static bool serve_take(struct serve_call *c, const unsigned char *body, size_t bytes)
{
    struct far_request request;
    struct far_item item;
    const void *data;
    if (bytes < sizeof request)
        return false;
    memcpy(&request, body, sizeof request);
    if (request.fn < 0 || request.fn >= NCS_FN_COUNT)
        return false;
    if (request.clears && serving.api->cudaGetLastError)
        serving.api->cudaGetLastError();
    c->fn = (enum ncs_fn)request.fn;
    c->info = &ncs_fn_info[request.fn];
    memcpy(c->arg, request.arg, sizeof c->arg);
    struct far_reader items = { body + sizeof request, body + bytes };
    while (far_next_item(&items, &item, &data) && c->memories < FAR_ITEMS) {
        bool is_argument = item.at < (uint32_t)c->info->nargs;
        if (item.room > NCS_TEAM_MOST || item.bytes > item.room)
            return false;
        if (is_argument && item.bytes == sizeof(void *) && ncs_carry(c->fn, request.arg, (int)item.at).how == NCS_CARRY_LATE) {
            far_keep_late(c, item.at, data);
            continue;
        }
        struct serve_memory m = {
            .memory = ncs_new(item.room + 1), .room = item.room, .at = item.at, .back = item.back && is_argument
        };
        if (item.bytes > 0)
            memcpy(m.memory, data, item.bytes);
        serve_set_argument(c, item.at, m.memory);
        c->memory[c->memories++] = m;
    }
    return items.at == items.end;
}

/* Tells of handles that have been written since the last time. NCCL clears some first and fills them later. What is told arrives
 * before any answer that is sent after it, on whatever line. */
static void serve_tell_late(void)
{
    static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
    struct ncs_str told = { 0 };
    pthread_mutex_lock(&order);
    pthread_mutex_lock(&serving.lock);
    for (struct serve_late **at = &serving.late, *l; (l = *at) != NULL;) {
        const void *now;
        memcpy(&now, l->cell, sizeof now);
        bool written = now != l->before;
        if (written)
            ncs_str_add_bytes(&told, &(struct far_late){ l->there, (uintptr_t)now }, sizeof(struct far_late));
        l->before = now;
        if (written && now) { /* the cell itself stays: a call may still be writing it */
            *at = l->next;
            ncs_free(l);
        } else {
            at = &l->next;
        }
    }
    pthread_mutex_unlock(&serving.lock);
    if (told.bytes > 0)
        ncs_team_send(serving.team, 0, FAR_LATE, 0, told.text, told.bytes, NULL, 0);
    pthread_mutex_unlock(&order);
    ncs_str_free(&told);
}

/* A run has ended: its cells are no more. */
static void serve_forget_late(void)
{
    pthread_mutex_lock(&serving.lock);
    for (struct serve_late *l = serving.late, *next; l; l = next) {
        next = l->next;
        ncs_free(l);
    }
    serving.late = NULL;
    pthread_mutex_unlock(&serving.lock);
}

static void serve_answer(uint32_t line, struct far_answer *answer, const struct ncs_str *items)
{
    const struct ncs_api *api = serving.api;
    int device = 0;
    if (api->cudaGetDevice && api->cudaGetDevice(&device) == cudaSuccess)
        answer->device = device;
    answer->error = api->cudaPeekAtLastError ? (int)api->cudaPeekAtLastError() : 0;
    bool fits = sizeof *answer + items->bytes <= NCS_TEAM_MOST;
    answer->absent |= !fits;
    ncs_team_send(serving.team, 0, FAR_ANSWER, line, answer, sizeof *answer, items->text, fits ? items->bytes : 0);
}

static void serve_add_results(const struct serve_call *c, const struct far_answer *answer, struct ncs_str *out)
{
    int64_t rc = answer->result.i;
    bool is_text = c->info->result == NCS_RESULT_TEXT;
    bool done = is_text || rc == 0 || (c->info->lib == NCS_LIB_NCCL && rc == ncclInProgress);
    const char *text = is_text && answer->result.p ? answer->result.p : "";
    if (is_text)
        far_add_item(out, &(struct far_item){ .at = FAR_TEXT, .bytes = strlen(text) + 1 }, text);
    for (size_t i = 0; i < c->memories && done; i++)
        if (c->memory[i].back)
            far_add_item(out, &(struct far_item){ .at = c->memory[i].at, .bytes = c->memory[i].room }, c->memory[i].memory);
}

/* The project's own functions use the driver's memory. */
static bool far_invoke(struct serve_call *c, union ncs_arg *result)
{
    bool own = c->info->lib == NCS_LIB_EXT;
    if (own)
        ncs_real_take();
    bool there = ncs_invoke(serving.api, c->fn, c->arg, result);
    if (own)
        ncs_real_leave();
    return there;
}

/* NCCL keeps the address of a communicator's name (NCCL 2.29, src/init.cc), and ncclCommInitAll in a group writes its list at the
 * group's end. */
static bool serve_stays(const struct serve_call *c, uint32_t at)
{
    return at == FAR_COMM_NAME || (at < (uint32_t)c->info->nargs && c->info->arg[at].kind == NCS_ARG_COMMS_OUT);
}

static void serve_a_call(uint32_t line, const unsigned char *body, size_t bytes)
{
    struct serve_call c = { .memories = 0 };
    struct far_answer answer = { .absent = 1 };
    struct ncs_str items = { 0 };
    if (serve_take(&c, body, bytes)) {
        struct serve_task *task = serve_new_task(c.info, c.arg);
        answer.absent = !far_invoke(&c, &answer.result);
        if (answer.absent || answer.result.i != 0)
            ncs_free(task);
        serve_add_results(&c, &answer, &items);
        serve_tell_late();
    }
    serve_answer(line, &answer, &items);
    ncs_str_free(&items);
    for (size_t i = 0; i < c.memories; i++)
        if (!serve_stays(&c, c.memory[i].at))
            ncs_free(c.memory[i].memory);
}

/* ---- other questions ---- */

static void serve_a_read(uint32_t line, const unsigned char *body, size_t bytes)
{
    struct far_extent extent = { 0, 0 };
    struct far_answer answer = { .absent = 0 };
    struct ncs_str items = { 0 };
    if (bytes == sizeof extent)
        memcpy(&extent, body, sizeof extent);
    if (extent.address && extent.bytes <= FAR_CHUNK)
        far_add_item(&items, &(struct far_item){ .at = 0, .bytes = extent.bytes }, (const void *)(uintptr_t)extent.address);
    serve_answer(line, &answer, &items);
    ncs_str_free(&items);
}

/* The value that a variable had at first. */
static struct serve_variable {
    struct serve_variable *next;
    char *name, *value; /* NULL = it was not set */
} * serve_variables;

static void serve_restore(void)
{
    for (struct serve_variable *v = serve_variables, *next; v; v = next) {
        next = v->next;
        if (v->value)
            setenv(v->name, v->value, 1);
        else
            unsetenv(v->name);
        ncs_free(v->name);
        ncs_free(v->value);
        ncs_free(v);
    }
    serve_variables = NULL;
}

static void serve_put(char *setting)
{
    char *value = strchr(setting, '=');
    struct serve_variable *v = ncs_new(sizeof *v);
    if (value)
        *value++ = '\0';
    *v = (struct serve_variable){ serve_variables, ncs_copy_text(setting), ncs_copy_text(getenv(setting)) };
    serve_variables = v;
    if (value)
        setenv(setting, value, 1);
    else
        unsetenv(setting);
}

static void serve_a_variable(uint32_t line, const unsigned char *body, size_t bytes)
{
    char *setting = ncs_new(bytes + 1);
    struct ncs_error ignored = { 0 };
    if (bytes > 0)
        memcpy(setting, body, bytes);
    if (setting[0] && ncs_environment_allows(setting, strcspn(setting, "="), true, &ignored)) {
        serve_put(setting);
    } else if (!setting[0]) {
        serve_restore();
        serve_forget_late();
    }
    ncs_free(setting);
    serve_answer(line, &(struct far_answer){ .absent = 0 }, &(struct ncs_str){ 0 });
}

static void serve_question(uint32_t line, const struct serve_question *q)
{
    if (q->kind == FAR_CALL)
        serve_a_call(line, q->body, q->bytes);
    else if (q->kind == FAR_READ)
        serve_a_read(line, q->body, q->bytes);
    else if (q->kind == FAR_VARIABLE)
        serve_a_variable(line, q->body, q->bytes);
}

/* ---- messages ---- */

static void *serve_line_main(void *line)
{
    serve_line(line);
    ncs_free(line);
    return NULL;
}

/* With the lock. NULL: no thread can be started. */
static struct serve_line *serve_new_line(uint32_t number)
{
    struct serve_line *l = ncs_new(sizeof *l);
    pthread_t thread;
    serve_line_begin(l, number);
    if (pthread_create(&thread, NULL, serve_line_main, l) == 0) {
        pthread_detach(thread);
        return l;
    }
    ncs_map_remove(&serving.lines, number);
    pthread_cond_destroy(&l->changed);
    ncs_free(l);
    return NULL;
}

static void serve_heard(void *arg, int from, const struct ncs_team_message *m)
{
    (void)arg;
    (void)from;
    struct serve_question *q = ncs_new(sizeof *q + m->bytes);
    q->kind = m->kind;
    q->bytes = m->bytes;
    if (m->bytes > 0)
        memcpy(q->body, m->body, m->bytes);
    pthread_mutex_lock(&serving.lock);
    struct serve_line *l = ncs_map_get(&serving.lines, m->line);
    if (!l && m->line < FAR_TASK_LINES && m->kind != FAR_CLOSE)
        l = serve_new_line(m->line);
    if (l) {
        *l->last = q;
        l->last = &q->next;
        pthread_cond_signal(&l->changed);
    } else {
        ncs_free(q);
    }
    pthread_mutex_unlock(&serving.lock);
}

int far_serve(struct ncs_team *team, const struct ncs_api *api, struct ncs_error *err)
{
    serving.team = team;
    serving.api = api;
    return ncs_team_serve(team, serve_heard, NULL, err);
}
