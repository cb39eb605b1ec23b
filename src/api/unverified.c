#include "api/unverified.h"

static const struct {
    const char *name, *text;
} reasons[NCS_UNVERIFIED_REASONS] = {
    [NCS_FIT] = { "verified", "verified" },
    [NCS_UNVERIFIED_OFF] = { "verification-off", "verification is off" },
    [NCS_UNVERIFIED_ASKED] = { "not-asked", "verify = false at the call" },
    [NCS_UNVERIFIED_DISAGREEMENT] = { "ranks-disagree", "the ranks passed different arguments" },
    [NCS_UNVERIFIED_CUT_SHORT] = { "cut-short", "the communicator was aborted, revoked or failed" },
    [NCS_UNVERIFIED_FREED] = { "memory-freed", "a buffer was freed before the operation ended" },
    [NCS_UNVERIFIED_ROOM] = { "no-room", "no room for copies of the buffers" },
    [NCS_UNVERIFIED_WINDOW] = { "ambiguous-window", "several windows begin at the same address" },
    [NCS_UNVERIFIED_UNPAIRED] = { "unpaired", "the calls of the other ranks are not known" },
    [NCS_UNVERIFIED_TYPE] = { "unknown-type", "ncclscript does not know the type or the operator" },
    [NCS_UNVERIFIED_KERNEL] = { "kernel-not-run", "kernels that may write its inputs were not run" },
    [NCS_UNVERIFIED_ONE_SIDED] = { "put-on-real-nccl", "real NCCL does not show when a put has arrived" },
    [NCS_UNVERIFIED_IN_PROGRESS] = { "call-in-progress", "nobody asked whether the call was launched" },
    [NCS_UNVERIFIED_SHARED_STREAM] = { "shared-stream", "another thread launched on the same stream or communicator" },
    [NCS_UNVERIFIED_BUSY] = { "too-many-copies", "too many operations were under way to copy their buffers" },
    [NCS_UNVERIFIED_COPY] = { "copy-refused", "CUDA refused to copy the buffers" },
};

const char *ncs_unverified_name(enum ncs_unverified why)
{
    return reasons[why].name;
}

const char *ncs_unverified_text(enum ncs_unverified why)
{
    return reasons[why].text;
}
