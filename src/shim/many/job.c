#define _GNU_SOURCE /* syscall */
#include "shim/many/job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

#define JOB_OWN_MOST 4 /* threads of this process besides those that stand in */

static struct {
    pthread_mutex_t lock;            /* guards the lists; taken after the token, if both */
    struct server_process **process; /* one thread alone adds */
    size_t processes, processes_room;
    struct stand_in *first;
    pid_t own[JOB_OWN_MOST];
    int owns;
} job = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- the lists ---- */

pid_t job_thread_number(void)
{
    return (pid_t)syscall(SYS_gettid);
}

void job_note_own(void)
{
    pthread_mutex_lock(&job.lock);
    job.own[job.owns++] = job_thread_number();
    pthread_mutex_unlock(&job.lock);
}

void job_add_process(struct server_process *p)
{
    pthread_mutex_lock(&job.lock);
    NCS_PUSH(job.process, job.processes, job.processes_room, p);
    pthread_mutex_unlock(&job.lock);
}

size_t job_processes(void)
{
    return job.processes;
}

struct server_process *job_process(size_t i)
{
    return job.process[i];
}

struct server_process *job_find(pid_t pid)
{
    for (size_t i = 0; i < job.processes; i++)
        if (job.process[i]->pid == pid && !job.process[i]->gone)
            return job.process[i];
    return NULL;
}

void job_add(struct stand_in *s)
{
    pthread_mutex_lock(&job.lock);
    s->next = job.first;
    job.first = s;
    pthread_mutex_unlock(&job.lock);
}

void job_remove(struct stand_in *s)
{
    pthread_mutex_lock(&job.lock);
    struct stand_in **at = &job.first;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    pthread_mutex_unlock(&job.lock);
    munmap(s->wire, sizeof *s->wire);
    close(s->socket);
    ncs_str_free(&s->request);
    ncs_free(s);
}

/* Its stand-ins that wait for a request end; those that are in a call never return from it. */
void job_close_wires(struct server_process *p)
{
    pthread_mutex_lock(&job.lock);
    for (struct stand_in *s = job.first; s; s = s->next)
        if (s->process == p) {
            p->called |= atomic_load(&s->wire->state) == WIRE_SERVED;
            wire_set(s->wire, WIRE_CLOSED);
        }
    pthread_mutex_unlock(&job.lock);
    if (p->runner)
        wire_set(p->runner, WIRE_CLOSED);
}

/* ---- what its threads do ---- */

bool job_owns(pid_t thread)
{
    bool owned = false;
    for (int i = 0; i < job.owns; i++)
        owned |= job.own[i] == thread;
    pthread_mutex_lock(&job.lock);
    for (const struct stand_in *s = job.first; s && !owned; s = s->next)
        owned = s->own == thread;
    pthread_mutex_unlock(&job.lock);
    return owned;
}

bool job_has_process(pid_t process)
{
    pthread_mutex_lock(&job.lock);
    bool has = job_find(process) != NULL;
    pthread_mutex_unlock(&job.lock);
    return has;
}

bool job_each_process(bool (*look)(pid_t process, void *arg), void *arg)
{
    bool all = true;
    size_t count = 0;
    pthread_mutex_lock(&job.lock);
    pid_t *pid = ncs_new((job.processes + 1) * sizeof *pid);
    for (size_t i = 0; i < job.processes; i++)
        if (!job.process[i]->gone)
            pid[count++] = job.process[i]->pid;
    pthread_mutex_unlock(&job.lock);
    for (size_t i = 0; all && i < count; i++)
        all = look(pid[i], arg);
    ncs_free(pid);
    return all;
}

/* The threads that are in no call, by process and thread, for job_each_outside. */
struct outside {
    pid_t process, thread;
    int rank;
};

/* Calls `look` for each thread of the job that has made calls and is in none now. */
static bool job_each_outside(bool (*look)(const struct outside *o, void *arg), void *arg)
{
    bool all = true;
    pthread_mutex_lock(&job.lock);
    for (const struct stand_in *s = job.first; s && all; s = s->next) {
        struct outside o = { s->process->pid, s->thread, s->rank };
        int state = atomic_load(&s->wire->state);
        all = s->process->gone || state == WIRE_SERVED || (state == WIRE_IDLE && look(&o, arg));
    }
    pthread_mutex_unlock(&job.lock);
    return all;
}

static bool outside_waits(const struct outside *o, void *arg)
{
    (void)arg;
    return *doing_name(o->process, o->thread) != '\0';
}

bool job_is_stalled(void)
{
    return job_each_outside(outside_waits, NULL);
}

static bool outside_list(const struct outside *o, void *arg)
{
    if (o->rank >= 0)
        ncs_str_addf(arg, "; rank %d (process %d) is in no call and %s", o->rank, (int)o->process,
                     doing_name(o->process, o->thread));
    else if (o->process == o->thread)
        ncs_str_addf(arg, "; process %d, which has no rank so far, is in no call and %s", (int)o->process,
                     doing_name(o->process, o->thread));
    return true;
}

void job_list_outside(struct ncs_str *out)
{
    job_each_outside(outside_list, out);
}

const char *job_doing(pid_t own)
{
    pid_t process = getpid(), thread = own;
    pthread_mutex_lock(&job.lock);
    for (const struct stand_in *s = job.first; s; s = s->next)
        if (s->own == own) {
            process = s->process->pid;
            thread = s->thread;
        }
    pthread_mutex_unlock(&job.lock);
    return doing_name(process, thread);
}

enum job_thread job_thread(pid_t process, pid_t thread, pid_t *own)
{
    enum job_thread does = JOB_UNKNOWN;
    pthread_mutex_lock(&job.lock);
    for (size_t i = 0; i < job.processes; i++) {
        const struct server_process *p = job.process[i];
        if (p->pid == process && p->runner && p->runner_thread == thread && atomic_load(&p->runner->state) == WIRE_IDLE)
            does = JOB_RESTS;
    }
    for (const struct stand_in *s = job.first; s; s = s->next)
        if (s->process->pid == process && s->thread == thread) {
            int state = atomic_load(&s->wire->state);
            does = state == WIRE_SERVED ? JOB_SERVED : state == WIRE_IDLE ? JOB_OUTSIDE : JOB_CALLS;
            *own = s->own;
        }
    pthread_mutex_unlock(&job.lock);
    return does;
}
