/* Contexts of the driver API. A device has a primary context, which the runtime uses, and programs make further ones;
 * here a context only says which device is current, as memory and streams belong to devices. Called with the token. */
#ifndef NCS_SHIM_DRIVER_CONTEXT_H
#define NCS_SHIM_DRIVER_CONTEXT_H

#include "shim/shim.h"

struct ncs_context;

bool context_is(const struct ncs_context *context); /* a live one */
int context_device(const struct ncs_context *context);
/* The calling thread has a current context; with a device of the runtime that is this device's primary one. */
bool context_is_current(const struct ncs_api *api);
struct ncs_context *context_primary(int device);

/* As cuDevicePrimaryCtx... and cuCtx... of these names. */
cudaError_t context_retain(const struct ncs_api *api, struct ncs_context **context, int device);
cudaError_t context_release(const struct ncs_api *api, int device);
cudaError_t context_reset(const struct ncs_api *api, int device);
cudaError_t context_state(const struct ncs_api *api, int device, unsigned *flags, int *active);
cudaError_t context_create(const struct ncs_api *api, struct ncs_context **context, unsigned flags, int device);
cudaError_t context_destroy(const struct ncs_api *api, struct ncs_context *context);
cudaError_t context_set(const struct ncs_api *api, struct ncs_context *context);
cudaError_t context_get(const struct ncs_api *api, struct ncs_context **context);
cudaError_t context_push(const struct ncs_api *api, struct ncs_context *context);
cudaError_t context_pop(const struct ncs_api *api, struct ncs_context **context);
cudaError_t context_of_stream(const struct ncs_api *api, cudaStream_t stream, struct ncs_context **context);

/* CUDA_ERROR_INVALID_DEVICE if there is no such device. */
cudaError_t driver_check(const struct ncs_api *api, int device);

#endif
