#include "shim/driver/context.h"

#include "base/mem.h"

#define DEVICES 1024

struct ncs_context {
    int device;
    bool primary;
    int retained;             /* a primary one: by how many */
    struct ncs_context *next; /* of those that programs made */
};

/* The contexts that a thread has pushed; the last one is current. */
struct context_stack {
    struct ncs_context *context[16];
    int depth;
};

static struct ncs_context primary[DEVICES];
static struct ncs_context *made;
static _Thread_local struct context_stack *mine; /* a pointer only: these libraries have little room for such */

static struct context_stack *context_stack(void)
{
    if (!mine)
        mine = ncs_new(sizeof *mine);
    return mine;
}

bool context_is(const struct ncs_context *context)
{
    if (context >= primary && context < primary + DEVICES)
        return context->retained > 0 || context->primary;
    for (const struct ncs_context *at = made; at; at = at->next)
        if (at == context)
            return true;
    return false;
}

int context_device(const struct ncs_context *context)
{
    return context->device;
}

struct ncs_context *context_primary(int device)
{
    if (device < 0 || device >= DEVICES)
        return NULL;
    primary[device].device = device;
    primary[device].primary = true;
    return &primary[device];
}

cudaError_t driver_check(const struct ncs_api *api, int device)
{
    int devices = 0;
    cudaError_t rc = api->cudaGetDeviceCount(&devices);
    return rc != cudaSuccess ? rc : device < 0 || device >= devices ? cudaErrorInvalidDevice : cudaSuccess;
}

/* The current context; NULL = none. The runtime's cudaSetDevice puts a primary context in the place of the current one
 * (driver API, "Interactions with the CUDA Runtime API"). */
static struct ncs_context *context_current(const struct ncs_api *api)
{
    struct context_stack *stack = context_stack();
    int device = 0;
    if (stack->depth == 0 && !ncs_shim_thread_uses_runtime())
        return NULL;
    if (api->cudaGetDevice(&device) != cudaSuccess)
        return NULL;
    if (stack->depth > 0 && stack->context[stack->depth - 1]->device == device)
        return stack->context[stack->depth - 1];
    stack->depth += stack->depth == 0;
    return stack->context[stack->depth - 1] = context_primary(device);
}

bool context_is_current(const struct ncs_api *api)
{
    return context_current(api) != NULL;
}

/* ---- primary contexts ---- */

cudaError_t context_retain(const struct ncs_api *api, struct ncs_context **context, int device)
{
    cudaError_t rc = driver_check(api, device);
    if (rc != cudaSuccess || !context)
        return rc != cudaSuccess ? rc : cudaErrorInvalidValue;
    *context = context_primary(device);
    (*context)->retained++;
    return cudaSuccess;
}

cudaError_t context_release(const struct ncs_api *api, int device)
{
    cudaError_t rc = driver_check(api, device);
    if (rc != cudaSuccess)
        return rc;
    if (context_primary(device)->retained == 0)
        return cudaErrorDeviceUninitialized;
    primary[device].retained--;
    return cudaSuccess;
}

/* Calls in the context of another device. */
static cudaError_t on_context_device(const struct ncs_api *api, int device, cudaError_t (*act)(const struct ncs_api *, void *),
                                     void *arg)
{
    int before = 0;
    cudaError_t rc = api->cudaGetDevice(&before);
    if (rc == cudaSuccess)
        rc = api->cudaSetDevice(device);
    if (rc == cudaSuccess)
        rc = act(api, arg);
    if (before != device)
        api->cudaSetDevice(before);
    return rc;
}

static cudaError_t reset_current(const struct ncs_api *api, void *arg)
{
    (void)arg;
    return api->cudaDeviceReset();
}

cudaError_t context_reset(const struct ncs_api *api, int device)
{
    cudaError_t rc = driver_check(api, device);
    if (rc != cudaSuccess)
        return rc;
    context_primary(device)->retained = 0;
    return on_context_device(api, device, reset_current, NULL);
}

static cudaError_t is_in_use(const struct ncs_api *api, void *arg)
{
    size_t free = 0, total = 0;
    cudaError_t rc = api->cudaMemGetInfo(&free, &total);
    *(bool *)arg = free < total;
    return rc;
}

/* Active: retained, or in use by the runtime, which shows in its memory. */
cudaError_t context_state(const struct ncs_api *api, int device, unsigned *flags, int *active)
{
    cudaError_t rc = driver_check(api, device);
    bool in_use = false;
    if (rc != cudaSuccess || !flags || !active)
        return rc != cudaSuccess ? rc : cudaErrorInvalidValue;
    *flags = 0;
    if (context_primary(device)->retained == 0)
        rc = on_context_device(api, device, is_in_use, &in_use);
    *active = primary[device].retained > 0 || in_use;
    return rc;
}

/* ---- the current context ---- */

cudaError_t context_push(const struct ncs_api *api, struct ncs_context *context)
{
    struct context_stack *stack = context_stack();
    if (!context_is(context) || stack->depth == (int)(sizeof stack->context / sizeof *stack->context))
        return cudaErrorDeviceUninitialized;
    cudaError_t rc = api->cudaSetDevice(context->device);
    if (rc == cudaSuccess)
        stack->context[stack->depth++] = context;
    return rc;
}

cudaError_t context_pop(const struct ncs_api *api, struct ncs_context **context)
{
    struct context_stack *stack = context_stack();
    struct ncs_context *current = context_current(api);
    if (!current)
        return cudaErrorDeviceUninitialized;
    if (context)
        *context = current;
    stack->depth--;
    return stack->depth > 0 ? api->cudaSetDevice(stack->context[stack->depth - 1]->device) : cudaSuccess;
}

cudaError_t context_set(const struct ncs_api *api, struct ncs_context *context)
{
    struct context_stack *stack = context_stack();
    if (context && !context_is(context))
        return cudaErrorDeviceUninitialized;
    stack->depth -= stack->depth > 0;
    return context ? context_push(api, context) : cudaSuccess;
}

cudaError_t context_get(const struct ncs_api *api, struct ncs_context **context)
{
    if (!context)
        return cudaErrorInvalidValue;
    *context = context_current(api);
    return cudaSuccess;
}

cudaError_t context_of_stream(const struct ncs_api *api, cudaStream_t stream, struct ncs_context **context)
{
    int device = 0;
    cudaError_t rc = api->cudaStreamGetDevice(stream, &device);
    struct ncs_context *current = context_current(api);
    if (rc == cudaSuccess && context)
        *context = current && current->device == device ? current : context_primary(device);
    return rc != cudaSuccess || context ? rc : cudaErrorInvalidValue;
}

/* ---- contexts that programs make ---- */

cudaError_t context_create(const struct ncs_api *api, struct ncs_context **context, unsigned flags, int device)
{
    cudaError_t rc = driver_check(api, device);
    (void)flags;
    if (rc != cudaSuccess || !context)
        return rc != cudaSuccess ? rc : cudaErrorInvalidValue;
    *context = ncs_new(sizeof **context);
    **context = (struct ncs_context){ .device = device, .next = made };
    made = *context;
    return context_push(api, *context);
}

/* Other threads that have it on their stacks find it gone at their next look. */
cudaError_t context_destroy(const struct ncs_api *api, struct ncs_context *context)
{
    struct context_stack *stack = context_stack();
    struct ncs_context **at = &made;
    while (*at && *at != context)
        at = &(*at)->next;
    if (!*at)
        return cudaErrorDeviceUninitialized;
    if (stack->depth > 0 && stack->context[stack->depth - 1] == context) {
        stack->depth--;
        if (stack->depth > 0)
            api->cudaSetDevice(stack->context[stack->depth - 1]->device);
    }
    *at = context->next;
    context->next = NULL; /* never freed: a stack may still name it, and programs make few */
    return cudaSuccess;
}
