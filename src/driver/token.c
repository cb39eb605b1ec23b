/* The token of real runs, the host's time, and waits that give the token back. */
#include <errno.h>
#include <time.h>

#include "base/mem.h"
#include "base/thread.h"
#include "driver/token.h"
#include "driver/world.h"

static _Thread_local bool has_token;
_Thread_local struct real_context *ncs_real_self;
struct real_driver ncs_real = { .token = PTHREAD_MUTEX_INITIALIZER };

bool ncs_real_wait(pthread_cond_t *cond, int64_t until)
{
    int rc;
    has_token = false;
    if (until < 0) {
        rc = pthread_cond_wait(cond, &ncs_real.token);
    } else {
        struct timespec t = { (time_t)(until / SECOND), (long)(until % SECOND) };
        rc = pthread_cond_timedwait(cond, &ncs_real.token, &t);
    }
    has_token = true;
    return rc != ETIMEDOUT;
}

void ncs_real_take(void)
{
    pthread_mutex_lock(&ncs_real.token);
    has_token = true;
}

void ncs_real_leave(void)
{
    has_token = false;
    pthread_mutex_unlock(&ncs_real.token);
}

bool ncs_token_leave(void)
{
    bool held = has_token;
    if (!held)
        return false;
    if (ncs_real_self)
        ncs_real_self->at = AT_CALL;
    ncs_real_leave();
    return true;
}

bool ncs_real_is_look(enum ncs_fn fn)
{
    return ncs_fn_info[fn].looks;
}

void ncs_token_take(bool held, enum ncs_fn fn, int rc)
{
    bool done = rc == cudaSuccess && (fn == NCS_FN_cudaStreamQuery || fn == NCS_FN_cudaEventQuery);
    if (!held)
        return;
    ncs_real_take();
    if (ncs_real_self)
        ncs_real_self->at = AT_WORK;
    if (ncs_real_self && ncs_real_is_look(fn) && !done)
        ncs_real_self->polls++;
    else if (!ncs_real_is_look(fn))
        ncs_real.progress = ncs_clock();
    ncs_real_stop_dead();
}

bool ncs_token_is_held(void)
{
    return has_token;
}

bool ncs_token_over(void)
{
    return ncs_real.cancelled;
}

bool ncs_token_pause(int64_t nanoseconds)
{
    struct timespec t = { (time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND) };
    if (ncs_real.cancelled)
        return false;
    bool held = ncs_token_leave();
    nanosleep(&t, NULL);
    if (held) {
        ncs_real_take();
        ncs_real_stop_dead();
        if (ncs_real_self)
            ncs_real_self->at = AT_WORK;
    }
    return !ncs_real.cancelled;
}

void ncs_token_progress(void)
{
    ncs_real.progress = ncs_clock();
}

struct real_context *ncs_token_lend(struct ncs_local *local)
{
    ncs_real_take();
    if (ncs_real.cancelled || ncs_real.stopped || !ncs_real.open)
        return NULL;
    struct real_context *visitor = ncs_new(sizeof *visitor);
    visitor->options.local = local;
    visitor->next = ncs_real.visitors;
    ncs_real.visitors = visitor;
    ncs_real_self = visitor;
    ncs_local = local;
    return visitor;
}

void ncs_token_back(struct real_context *visitor)
{
    struct real_context **at = &ncs_real.visitors;
    if (visitor) {
        while (*at != visitor)
            at = &(*at)->next;
        *at = visitor->next;
        ncs_free(visitor->key);
        ncs_free(visitor->message);
        ncs_free(visitor);
        ncs_real.progress = ncs_clock();
    }
    ncs_real_self = NULL;
    ncs_local = NULL;
    ncs_real_leave();
}
