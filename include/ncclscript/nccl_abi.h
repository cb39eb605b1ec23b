/* The binary interface of NCCL's host API as this project declares it, so that it builds with no
 * NCCL on the machine. Values, sizes and offsets are those of NCCL 2.30.7 on 64-bit Linux; a test
 * holds them against the official nccl.h where one is found. Include this or nccl.h, never both. */
#ifndef NCCLSCRIPT_NCCL_ABI_H
#define NCCLSCRIPT_NCCL_ABI_H

#include <limits.h>
#include <stddef.h>

#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_SPLIT_NOCOLOR (-1)
#define NCCL_CONFIG_UNDEF_INT INT_MIN
#define NCCL_CONFIG_UNDEF_PTR NULL
#define NCCL_CONFIG_MAGIC 0xcafebeefu

/* 2.7.8 is 2708, 2.28.9 is 22809. */
#define NCCL_VERSION(x, y, z) \
    (((x) <= 2 && (y) <= 8) ? (x) * 1000 + (y) * 100 + (z) : (x) * 10000 + (y) * 100 + (z))

typedef struct ncclComm *ncclComm_t;
typedef struct CUstream_st *cudaStream_t;

typedef struct {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7,
    ncclTimeout = 8, /* 2.30.3 */
    ncclNumResults = 9
} ncclResult_t;

typedef enum {
    ncclInt8 = 0,
    ncclChar = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclInt = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6,
    ncclHalf = 6,
    ncclFloat32 = 7,
    ncclFloat = 7,
    ncclFloat64 = 8,
    ncclDouble = 8,
    ncclBfloat16 = 9,
    ncclFloat8e4m3 = 10, /* 2.24 */
    ncclFloat8e5m2 = 11, /* 2.24 */
    ncclNumTypes = 12
} ncclDataType_t;

/* Values from ncclNumOps to ncclMaxRedOp are handles of user operators. */
typedef enum {
    ncclSum = 0,
    ncclProd = 1,
    ncclMax = 2,
    ncclMin = 3,
    ncclAvg = 4, /* 2.10 */
    ncclNumOps = 5,
    ncclMaxRedOp = 0x7fffffff
} ncclRedOp_t;

typedef enum {
    ncclScalarDevice = 0,
    ncclScalarHostImmediate = 1
} ncclScalarResidence_t;

/* A field that is not set holds NCCL_CONFIG_UNDEF_INT or NCCL_CONFIG_UNDEF_PTR. */
typedef struct {
    size_t size;
    unsigned int magic;
    unsigned int version;
    int blocking;
    int cgaClusterSize;      /* 2.17 */
    int minCTAs;
    int maxCTAs;
    const char *netName;
    int splitShare;          /* 2.18 */
    int trafficClass;        /* 2.26 */
    const char *commName;    /* 2.27 */
    int collnetEnable;
    int CTAPolicy;
    int shrinkShare;
    int nvlsCTAs;
    int nChannelsPerNetPeer; /* 2.28 */
    int nvlinkCentricSched;
    int graphUsageMode;      /* 2.29 */
    int numRmaCtx;
    int maxP2pPeers;         /* 2.30.3 */
    int graphStreamOrdering; /* 2.30.7 */
} ncclConfig_t;

#endif
