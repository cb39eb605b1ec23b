/* Each thread that makes calls in another process has a line to it: one question at a time, answered by a thread of its own there. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/thread.h"
#include "driver/far/far.h"
#include "driver/token.h"
#include "driver/world.h"
#include "team/team.h"

/* How long a question may take that is asked with the token: until then no other rank goes on. */
#define ASK_PATIENCE (30 * SECOND)

enum { ASK_WHY = 128 };

struct ask_line {
    uint32_t number;
    int process;
    pthread_cond_t changed;
    bool has_answer;
    struct ncs_str answer;
    struct far_kept kept;
    struct ask_line *next; /* of the same thread */
};

static struct {
    struct ncs_team *team;
    far_lost *lost;
    pthread_mutex_t lock; /* guards what follows */
    struct ncs_map lines; /* by process and number */
    struct ncs_map late;  /* by address: the process that will write there, from 1 */
    uint32_t last;
    char (*gone)[ASK_WHY]; /* by process: why it is gone; "" = it is not */
    pthread_key_t key;
} asking = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct ask_line *ask_lines;

/* ---- lines ---- */

/* Members number the lines of their tasks each for itself. */
static uint64_t ask_key(int process, uint32_t number)
{
    return (uint64_t)process << 32 | number;
}

static void ask_close_lines(void *first)
{
    ask_lines = NULL;
    for (struct ask_line *l = first, *next; l; l = next) {
        next = l->next;
        ncs_team_send(asking.team, l->process, l->number < FAR_TASK_LINES ? FAR_CLOSE : FAR_DONE, l->number, NULL, 0, NULL, 0);
        pthread_mutex_lock(&asking.lock);
        ncs_map_remove(&asking.lines, ask_key(l->process, l->number));
        pthread_mutex_unlock(&asking.lock);
        pthread_cond_destroy(&l->changed);
        ncs_str_free(&l->answer);
        ncs_free(l);
    }
}

/* Of the calling thread. number: the member's; 0 = a new one. */
static struct ask_line *ask_new_line(int process, uint32_t number)
{
    struct ask_line *l = ncs_new(sizeof *l);
    l->process = process;
    ncs_cond_new(&l->changed);
    l->next = ask_lines;
    ask_lines = l;
    pthread_setspecific(asking.key, l);
    pthread_mutex_lock(&asking.lock);
    l->number = number ? number : ++asking.last;
    ncs_map_put(&asking.lines, ask_key(process, l->number), l);
    pthread_mutex_unlock(&asking.lock);
    return l;
}

static struct ask_line *ask_line_to(int process)
{
    struct ask_line *l = ask_lines;
    while (l && l->process != process)
        l = l->next;
    return l ? l : ask_new_line(process, 0);
}

struct far_kept *far_kept(int process)
{
    return &ask_line_to(process)->kept;
}

/* ---- questions ---- */

/* With the lock. The first reason counts. */
static void ask_note_gone(int process, const char *why)
{
    if (!asking.gone[process][0])
        snprintf(asking.gone[process], ASK_WHY, "%s", why);
}

/* May be called several times. */
static void ask_tell_lost(int process)
{
    const struct ncs_peer *peer = ncs_team_peer(asking.team, process);
    struct ncs_str message = { 0 };
    pthread_mutex_lock(&asking.lock);
    ask_note_gone(process, "the connection ended");
    ncs_str_addf(&message, "its process (%d on host %s: %s)", (int)peer->pid, peer->host, asking.gone[process]);
    pthread_mutex_unlock(&asking.lock);
    asking.lost(process, message.text);
    ncs_str_free(&message);
}

static bool ask_is_late(int64_t until)
{
    return until >= 0 && ncs_clock() >= until;
}

/* With the lock. */
static bool ask_wait(struct ask_line *l, int64_t until)
{
    struct timespec t = { (time_t)(until / SECOND), (long)(until % SECOND) };
    while (!l->has_answer && !asking.gone[l->process][0] && !ask_is_late(until)) {
        if (until < 0)
            pthread_cond_wait(&l->changed, &asking.lock);
        else
            pthread_cond_timedwait(&l->changed, &asking.lock, &t);
    }
    return l->has_answer;
}

/* With the lock. What a process answers that has been given up belongs to no later question. */
static bool ask_may(const struct ask_line *l, const struct ncs_str *body)
{
    return !asking.gone[l->process][0] && body->bytes <= NCS_TEAM_MOST;
}

bool far_ask(int process, enum far_kind kind, struct ncs_str *message)
{
    struct ask_line *l = ask_line_to(process);
    struct ncs_carry_answer head;
    struct ncs_str answer = { 0 };
    int64_t until = ncs_token_is_held() ? ncs_clock() + ASK_PATIENCE : -1;
    pthread_mutex_lock(&asking.lock);
    bool may = ask_may(l, message);
    pthread_mutex_unlock(&asking.lock);
    if (message->bytes > NCS_TEAM_MOST)
        return false;
    if (kind == FAR_CALL)
        memcpy(message->text + offsetof(struct ncs_carry_request, clears), &(uint32_t){ l->kept.clears }, sizeof(uint32_t));
    l->kept = (struct far_kept){ .known = false, .clears = kind == FAR_CALL ? false : l->kept.clears };
    bool heard = may &&
                 ncs_team_send_until(asking.team, process, (uint32_t)kind, l->number, message->text, message->bytes, until);
    ncs_str_free(message);
    pthread_mutex_lock(&asking.lock);
    heard = heard && ask_wait(l, until);
    if (!heard && ask_is_late(until))
        ask_note_gone(process, "it has not answered for 30 s");
    if (heard) {
        answer = l->answer;
        l->answer = (struct ncs_str){ 0 };
    }
    l->has_answer = false;
    pthread_mutex_unlock(&asking.lock);
    *message = answer;
    if (!heard)
        ask_tell_lost(process); /* before the rank sees that its call has failed */
    if (!heard || answer.bytes < sizeof head)
        return false;
    memcpy(&head, answer.text, sizeof head);
    l->kept = (struct far_kept){ .known = true, .clears = l->kept.clears, .device = head.device, .error = head.error };
    return true;
}

/* ---- handles that come late ---- */

void far_expect_late(int process, const void *address)
{
    pthread_mutex_lock(&asking.lock);
    ncs_map_put_number(&asking.late, ncs_map_key(address), (size_t)process);
    pthread_mutex_unlock(&asking.lock);
}

void far_forget_script(void)
{
    ncs_carry_forget_functions();
    pthread_mutex_lock(&asking.lock);
    ncs_map_free(&asking.late);
    asking.late = (struct ncs_map){ 0 };
    pthread_mutex_unlock(&asking.lock);
}

/* With the lock. */
static void ask_write_late(int process, const struct far_late *late)
{
    const void *handle = far_mark((const void *)(uintptr_t)late->handle, process);
    if (ncs_map_number(&asking.late, late->address) != (size_t)process)
        return;
    memcpy((void *)(uintptr_t)late->address, &handle, sizeof handle);
    if (handle)
        ncs_map_put_number(&asking.late, late->address, 0);
}

static void ask_write_all_late(int process, const struct ncs_message *m)
{
    const struct far_late *late = m->body;
    pthread_mutex_lock(&asking.lock);
    for (size_t i = 0; i < m->bytes / sizeof *late; i++)
        ask_write_late(process, &late[i]);
    pthread_mutex_unlock(&asking.lock);
}

/* ---- functions of the script's that a stream runs there ---- */

struct ask_task {
    struct ncs_carry_function of;
    int process;
    uint32_t line;
    struct far_task task;
};

static void *ask_run_task(void *arg)
{
    struct ask_task *t = arg;
    ask_new_line(t->process, t->line); /* its end tells the process that the task has run */
    ncs_carry_run_function(&t->of, far_mark((const void *)(uintptr_t)t->task.stream, t->process), t->task.status);
    ncs_free(t);
    return NULL;
}

static void ask_begin_task(int process, const struct ncs_message *m)
{
    struct ask_task *t = ncs_new(sizeof *t);
    *t = (struct ask_task){ .process = process, .line = m->line };
    if (m->bytes == sizeof t->task)
        memcpy(&t->task, m->body, sizeof t->task);
    if (ncs_carry_take_function(process, t->task.number, false, &t->of) && ncs_thread_start(NULL, NULL, ask_run_task, t) == 0)
        return;
    ncs_team_send(asking.team, process, FAR_DONE, m->line, NULL, 0, NULL, 0); /* its stream goes on */
    ncs_free(t);
}

/* ---- the team ---- */

static void ask_heard(void *arg, int from, const struct ncs_message *m)
{
    (void)arg;
    if (m->kind == FAR_TASK)
        ask_begin_task(from, m);
    if (m->kind == FAR_LATE)
        ask_write_all_late(from, m);
    if (m->kind != FAR_ANSWER)
        return;
    pthread_mutex_lock(&asking.lock);
    struct ask_line *l = ncs_map_get(&asking.lines, ask_key(from, m->line));
    if (l && !l->has_answer) {
        ncs_str_clear(&l->answer);
        ncs_str_add_bytes(&l->answer, m->body, m->bytes);
        l->has_answer = true;
        pthread_cond_broadcast(&l->changed);
    }
    pthread_mutex_unlock(&asking.lock);
}

static void ask_wake(void *value, void *arg)
{
    (void)arg;
    pthread_cond_broadcast(&((struct ask_line *)value)->changed);
}

static void *ask_tell_main(void *process)
{
    ask_tell_lost((int)(intptr_t)process);
    return NULL;
}

/* Called by the thread that delivers answers. It must not take the token, whose holder may wait for an answer. */
static void ask_lost(void *arg, int process, const char *why)
{
    (void)arg;
    pthread_mutex_lock(&asking.lock);
    ask_note_gone(process, why);
    ncs_map_each(&asking.lines, ask_wake, NULL);
    pthread_mutex_unlock(&asking.lock);
    ncs_thread_start(NULL, NULL, ask_tell_main, (void *)(intptr_t)process); /* without it its ranks' next calls tell it */
}

bool far_lead(struct ncs_team *team, far_lost *lost, struct ncs_error *err)
{
    asking.team = team;
    asking.lost = lost;
    asking.gone = ncs_new((size_t)ncs_team_size(team) * sizeof *asking.gone);
    pthread_key_create(&asking.key, ask_close_lines);
    return ncs_team_listen(team, ask_heard, ask_lost, NULL, err);
}
