/* Calls as bytes: the caller's side. */
#include <string.h>

#include "api/carry.h"
#include "api/invoke.h"
#include "base/map.h"
#include "base/mem.h"

/* ---- items ---- */

static size_t carry_padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

void ncs_carry_add_item(struct ncs_str *out, const struct ncs_carry_item *item, const void *bytes)
{
    static const char zeros[8];
    ncs_str_add_bytes(out, item, sizeof *item);
    if (item->bytes > 0)
        ncs_str_add_bytes(out, bytes, item->bytes);
    ncs_str_add_bytes(out, zeros, carry_padded(item->bytes) - item->bytes);
}

bool ncs_carry_begin(struct ncs_carry_reader *r, const void *message, size_t bytes, void *first, size_t first_bytes)
{
    if (bytes < first_bytes)
        return false;
    memcpy(first, message, first_bytes);
    *r = (struct ncs_carry_reader){ (const unsigned char *)message + first_bytes, (const unsigned char *)message + bytes };
    return true;
}

bool ncs_carry_next(struct ncs_carry_reader *r, struct ncs_carry_item *item, const void **bytes)
{
    size_t left = (size_t)(r->end - r->at);
    if (left < sizeof *item)
        return false;
    memcpy(item, r->at, sizeof *item);
    left -= sizeof *item;
    if (item->bytes > left || carry_padded(item->bytes) > left || item->at >= NCS_CARRY_ITEMS)
        return false;
    *bytes = r->at + sizeof *item;
    r->at += sizeof *item + carry_padded(item->bytes);
    return true;
}

/* ---- a request ---- */

static void carry_add_text(struct ncs_str *out, uint32_t at, const char *text)
{
    if (text)
        ncs_carry_add_item(out, &(struct ncs_carry_item){ .at = at, .bytes = strlen(text) + 1, .room = strlen(text) + 1 }, text);
}

static void carry_add_config(struct ncs_str *out, uint32_t at, const ncclConfig_t *config)
{
    size_t bytes = config->size < sizeof *config ? config->size : sizeof *config;
    ncs_carry_add_item(out, &(struct ncs_carry_item){ .at = at, .bytes = bytes, .room = sizeof *config }, config);
    if (bytes > offsetof(ncclConfig_t, netName))
        carry_add_text(out, NCS_CARRY_NET_NAME, config->netName);
    if (bytes > offsetof(ncclConfig_t, commName))
        carry_add_text(out, NCS_CARRY_COMM_NAME, config->commName);
}

/* Memory of the caller's. */
static bool carry_add_memory(struct ncs_str *out, enum ncs_fn fn, const union ncs_arg *arg, int at)
{
    struct ncs_carried c = ncs_carry(fn, arg, at);
    bool back = c.how == NCS_CARRY_OUT || c.how == NCS_CARRY_INOUT;
    struct ncs_carry_item item = {
        .at = (uint32_t)at, .back = back, .bytes = c.how == NCS_CARRY_OUT ? 0 : c.bytes, .room = c.bytes
    };
    if (c.how == NCS_CARRY_NEVER || c.bytes > NCS_CARRY_MOST)
        return false;
    if (!arg[at].p)
        return true;
    if (c.how == NCS_CARRY_TEXT)
        carry_add_text(out, (uint32_t)at, arg[at].p);
    else if (c.how == NCS_CARRY_CONFIG)
        carry_add_config(out, (uint32_t)at, arg[at].p);
    else
        ncs_carry_add_item(out, &item, arg[at].p);
    return true;
}

static bool carry_pack_one(struct ncs_str *out, enum ncs_fn fn, union ncs_arg *arg, int at, const struct ncs_carry_view *view)
{
    bool is_memory = ncs_carry(fn, arg, at).how != NCS_CARRY_NOT;
    enum ncs_carry_seen seen = is_memory ? NCS_CARRY_MEMORY : NCS_CARRY_SEEN;
    if (view && (is_memory || ncs_carry_is_address(ncs_fn_info[fn].arg[at].kind)))
        seen = view->see(view->self, out, fn, arg, at);
    return seen == NCS_CARRY_SEEN || (seen == NCS_CARRY_MEMORY && carry_add_memory(out, fn, arg, at));
}

bool ncs_carry_pack(struct ncs_str *out, enum ncs_fn fn, const union ncs_arg *arg, const struct ncs_carry_view *view)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    struct ncs_carry_request request = { .fn = (int32_t)fn };
    union ncs_arg sent[NCS_MAX_ARGS];
    size_t begin = out->bytes;
    bool fine = true;
    memcpy(sent, arg, (size_t)info->nargs * sizeof *arg);
    ncs_str_add_bytes(out, &request, sizeof request);
    for (int i = 0; i < info->nargs && fine; i++) {
        fine = carry_pack_one(out, fn, sent, i, view);
        request.arg[i] = sent[i].u;
    }
    memcpy(out->text + begin, &request, sizeof request);
    return fine;
}

/* ---- an answer ---- */

bool ncs_carry_unpack(enum ncs_fn fn, const union ncs_arg *arg, const struct ncs_carry_view *view, const void *message,
                      size_t bytes, struct ncs_carry_answer *answer, const char **text)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    struct ncs_carry_reader items;
    struct ncs_carry_item item;
    const void *from;
    *text = NULL;
    if (!ncs_carry_begin(&items, message, bytes, answer, sizeof *answer))
        return false;
    while (ncs_carry_next(&items, &item, &from)) {
        if (item.at == NCS_CARRY_RESULT && item.bytes > 0 && ((const char *)from)[item.bytes - 1] == '\0')
            *text = from;
        if (item.at >= (uint32_t)info->nargs || !arg[item.at].p)
            continue;
        struct ncs_carried c = ncs_carry(fn, arg, (int)item.at);
        enum ncs_kind kind = info->arg[item.at].kind;
        size_t room = c.how == NCS_CARRY_OUT || c.how == NCS_CARRY_INOUT ? c.bytes
                      : kind == NCS_ARG_OUT                              ? ncs_carry_copied(fn, arg, (int)item.at)
                                                                         : 0;
        if (item.bytes == 0 || item.bytes > room ||
            (view && !view->is_own(arg[item.at].p))) /* what the call does not write stays */
            continue;
        memcpy((void *)arg[item.at].p, from, item.bytes);
        if (view)
            view->mark(view->self, kind, (void *)arg[item.at].p, item.bytes);
    }
    return true;
}

union ncs_arg ncs_carry_code(enum ncs_fn fn, ncclResult_t nccl, cudaError_t cuda)
{
    bool is_nccl = ncs_fn_info[fn].lib == NCS_LIB_NCCL;
    return (union ncs_arg){ .i = is_nccl ? (int64_t)nccl : (int64_t)cuda };
}

/* A copy that stays, the same for equal texts. */
static const char *carry_keep_text(const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct kept_text {
        struct kept_text *next;
        char *text;
    } * first;
    pthread_mutex_lock(&lock);
    struct kept_text *k = first;
    while (k && strcmp(k->text, text) != 0)
        k = k->next;
    if (!k) {
        k = ncs_new(sizeof *k);
        *k = (struct kept_text){ first, ncs_copy_text(text) };
        first = k;
    }
    pthread_mutex_unlock(&lock);
    return k->text;
}

/* ---- functions that streams run ---- */

static struct {
    pthread_mutex_t lock;
    struct ncs_map of; /* by number */
    uint64_t last;
} carry_functions = { .lock = PTHREAD_MUTEX_INITIALIZER };

uint64_t ncs_carry_note_function(int maker, enum ncs_fn fn, union ncs_arg *arg)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    int host = info->at[NCS_ARG_HOSTFN], callback = info->at[NCS_ARG_STREAMFN], data = info->at[NCS_ARG_USERDATA];
    int at = host ? host : callback;
    if (!at || !data || !arg[at - 1].f)
        return 0;
    struct ncs_carry_function *f = ncs_new(sizeof *f);
    *f = (struct ncs_carry_function){ maker, callback != 0, arg[at - 1].f, arg[data - 1].p };
    pthread_mutex_lock(&carry_functions.lock);
    uint64_t number = ++carry_functions.last;
    ncs_map_put(&carry_functions.of, number, f);
    pthread_mutex_unlock(&carry_functions.lock);
    arg[at - 1] = (union ncs_arg){ .u = number };
    arg[data - 1] = (union ncs_arg){ .u = 0 };
    return number;
}

bool ncs_carry_take_function(int maker, uint64_t number, bool stays, struct ncs_carry_function *out)
{
    pthread_mutex_lock(&carry_functions.lock);
    struct ncs_carry_function *f = number ? ncs_map_get(&carry_functions.of, number) : NULL;
    bool has = f && (maker < 0 || f->maker == maker);
    if (has)
        *out = *f;
    if (has && !stays) {
        ncs_map_remove(&carry_functions.of, number);
        ncs_free(f);
    }
    pthread_mutex_unlock(&carry_functions.lock);
    return has;
}

void ncs_carry_forget_function(uint64_t number)
{
    struct ncs_carry_function f;
    ncs_carry_take_function(-1, number, false, &f);
}

static void carry_forget(void *function, void *arg)
{
    (void)arg;
    ncs_free(function);
}

void ncs_carry_forget_functions(void)
{
    pthread_mutex_lock(&carry_functions.lock);
    ncs_map_each(&carry_functions.of, carry_forget, NULL);
    ncs_map_free(&carry_functions.of);
    carry_functions.of = (struct ncs_map){ 0 };
    pthread_mutex_unlock(&carry_functions.lock);
}

void ncs_carry_run_function(const struct ncs_carry_function *f, const void *stream, int status)
{
    if (f->is_callback)
        ((cudaStreamCallback_t)f->function)((cudaStream_t)stream, (cudaError_t)status, (void *)f->data);
    else
        ((cudaHostFn_t)f->function)((void *)f->data);
}

/* ---- a call ---- */

union ncs_arg ncs_carry_call(enum ncs_fn fn, const union ncs_arg *arg, int maker, const struct ncs_carry_view *view,
                             struct ncs_str *message, ncs_carry_ask *ask)
{
    struct ncs_carry_answer answer;
    const char *text = NULL;
    union ncs_arg sent[NCS_MAX_ARGS], result = ncs_carry_code(fn, ncclInvalidArgument, cudaErrorInvalidValue);
    memcpy(sent, arg, (size_t)ncs_fn_info[fn].nargs * sizeof *arg);
    uint64_t function = ncs_carry_note_function(maker, fn, sent);
    ncs_str_clear(message);
    if (ncs_carry_pack(message, fn, sent, view)) {
        bool heard = ask(maker, fn, arg, message) &&
                     ncs_carry_unpack(fn, arg, view, message->text, message->bytes, &answer, &text);
        result = heard ? (union ncs_arg){ .i = answer.result } : ncs_carry_code(fn, ncclRemoteError, cudaErrorUnknown);
    }
    if (result.i != 0)
        ncs_carry_forget_function(function);
    if (ncs_fn_info[fn].result == NCS_RESULT_TEXT)
        result.p = carry_keep_text(text ? text : "");
    return result;
}
