#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "api/environment.h"
#include "api/invoke.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/thread.h"
#include "driver/far/far.h"
#include "driver/far/own.h"
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

static struct {
    struct ncs_team *team;
    const struct ncs_api *api;
    pthread_mutex_t lock; /* guards what follows, and the lines */
    struct ncs_map lines;
    uint32_t last_task;
} serving = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct ncs_carry_lates serve_lates = { .lock = PTHREAD_MUTEX_INITIALIZER };

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

/* NULL = the call has none. */
static struct serve_task *serve_new_task(struct ncs_carry_call *c)
{
    struct serve_task *t = ncs_new(sizeof *t);
    t->task.number = ncs_carry_set_function(c, serve_host_function, serve_callback, t);
    if (t->task.number)
        return t;
    ncs_free(t);
    return NULL;
}

/* ---- a call ---- */

static void serve_add_late(void *told, uint64_t there, const void *handle)
{
    own_note_handle(handle);
    ncs_str_add_bytes(told, &(struct far_late){ there, (uintptr_t)handle }, sizeof(struct far_late));
}

/* The message arrives before any answer that is sent after it, on whatever line. */
static void serve_tell_late(void)
{
    static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
    struct ncs_str told = { 0 };
    pthread_mutex_lock(&order);
    ncs_carry_tell_late(&serve_lates, serve_add_late, &told);
    if (told.bytes > 0)
        ncs_team_send(serving.team, 0, FAR_LATE, 0, told.text, told.bytes, NULL, 0);
    pthread_mutex_unlock(&order);
    ncs_str_free(&told);
}

static void serve_answer(uint32_t line, struct ncs_carry_answer *answer, const struct ncs_str *items)
{
    const struct ncs_api *api = serving.api;
    int device = 0;
    if (api->cudaGetDevice && api->cudaGetDevice(&device) == cudaSuccess)
        answer->device = device;
    answer->error = api->cudaPeekAtLastError ? (int)api->cudaPeekAtLastError() : 0;
    ncs_team_send(serving.team, 0, FAR_ANSWER, line, answer, sizeof *answer, items->text, items->bytes);
}

/* The project's own functions use the driver's memory. False: the library here lacks the function. */
static bool far_invoke(struct ncs_carry_call *c, union ncs_arg *result)
{
    bool own = c->info->lib == NCS_LIB_EXT;
    if (own)
        ncs_real_take();
    bool there = ncs_invoke(serving.api, c->fn, c->arg, result);
    if (own)
        ncs_real_leave();
    if (!there && c->info->result != NCS_RESULT_TEXT)
        *result = ncs_carry_code(c->fn, ncclInvalidUsage, cudaErrorNotSupported);
    return there;
}

/* As of a stranger, or of a script that has computed with an address. */
static void serve_refuse_strange(const char *what)
{
    fprintf(stderr, "ncclscript: a request of process 0 was refused: %s\n", what);
}

static void serve_a_call(uint32_t line, const unsigned char *body, size_t bytes)
{
    struct ncs_carry_call c;
    struct ncs_carry_answer answer = { .absent = 1 };
    union ncs_arg result = { .i = 0 };
    struct ncs_str items = { 0 };
    if (ncs_carry_take(&c, body, bytes, &serve_lates, own_allows)) {
        struct serve_task *task = serve_new_task(&c);
        if (c.clears && serving.api->cudaGetLastError)
            serving.api->cudaGetLastError();
        answer.absent = !far_invoke(&c, &result);
        answer.result = result.i;
        if (answer.absent || result.i != 0)
            ncs_free(task);
        else
            own_note_results(&c);
        ncs_carry_results(&c, result, &items);
        serve_tell_late();
        if (sizeof answer + items.bytes > NCS_TEAM_MOST) {
            answer.result = ncs_carry_code(c.fn, ncclInvalidUsage, cudaErrorNotSupported).i;
            ncs_str_clear(&items);
        }
    } else {
        serve_refuse_strange(c.info ? c.info->name : "it names no function");
        answer.result = ncs_carry_code(c.fn, ncclInvalidArgument, cudaErrorInvalidValue).i;
    }
    serve_answer(line, &answer, &items);
    ncs_str_free(&items);
    ncs_carry_end(&c);
}

/* ---- other questions ---- */

static void serve_a_read(uint32_t line, const unsigned char *body, size_t bytes)
{
    struct far_extent extent = { 0, 0 };
    struct ncs_carry_answer answer = { .absent = 0 };
    struct ncs_str items = { 0 };
    if (bytes == sizeof extent)
        memcpy(&extent, body, sizeof extent);
    if (extent.bytes <= FAR_CHUNK && own_has((const void *)(uintptr_t)extent.address, extent.bytes))
        ncs_carry_add_item(&items, &(struct ncs_carry_item){ .at = 0, .bytes = extent.bytes },
                           (const void *)(uintptr_t)extent.address);
    serve_answer(line, &answer, &items);
    ncs_str_free(&items);
}

static void serve_a_variable(uint32_t line, const unsigned char *body, size_t bytes)
{
    char *setting = ncs_new(bytes + 1);
    struct ncs_error err = { 0 };
    if (bytes > 0)
        memcpy(setting, body, bytes);
    if (!setting[0]) {
        far_take_back();
        ncs_carry_forget_late(&serve_lates);
    } else if (ncs_environment_allows(setting, strcspn(setting, "="), true, &err)) {
        far_put_here(setting);
    } else {
        serve_refuse_strange(err.text);
    }
    ncs_free(setting);
    serve_answer(line, &(struct ncs_carry_answer){ .absent = 0 }, &(struct ncs_str){ 0 });
}

static void serve_question(uint32_t line, const struct serve_question *q)
{
    if (q->kind == FAR_CALL)
        serve_a_call(line, q->body, q->bytes);
    else if (q->kind == FAR_READ)
        serve_a_read(line, q->body, q->bytes);
    else if (q->kind == FAR_VARIABLE)
        serve_a_variable(line, q->body, q->bytes);
    else
        serve_refuse_strange("it is of no kind that this version knows");
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
    serve_line_begin(l, number);
    if (ncs_thread_start(NULL, NULL, serve_line_main, l) == 0)
        return l;
    ncs_map_remove(&serving.lines, number);
    pthread_cond_destroy(&l->changed);
    ncs_free(l);
    return NULL;
}

static void serve_heard(void *arg, int from, const struct ncs_message *m)
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
    own_open(api);
    return ncs_team_serve(team, serve_heard, NULL, err);
}
