/* The binary interface of NCCL's host API as this project declares it, so that it builds on a machine
 * without NCCL. Values, sizes and offsets are those of NCCL 2.32.3 on 64-bit Linux; a test compares them
 * with the official nccl.h where it finds one. Include this or nccl.h, never both. */
#ifndef NCCLSCRIPT_NCCL_ABI_H
#define NCCLSCRIPT_NCCL_ABI_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_SPLIT_NOCOLOR (-1)
#define NCCL_CONFIG_UNDEF_INT INT_MIN
#define NCCL_CONFIG_UNDEF_PTR NULL
#define NCCL_API_MAGIC 0xcafebeefu
#define NCCL_CONFIG_MAGIC NCCL_API_MAGIC
#define NCCL_UNDEF_FLOAT (-1.0f)
#define NCCL_SIM_INFO_MAGIC 0x74685283u

#define NCCL_WIN_DEFAULT 0x00
#define NCCL_WIN_COLL_SYMMETRIC 0x01
#define NCCL_WIN_STRICT_ORDERING 0x02 /* 2.29 */
#define NCCL_WIN_REQUIRED_ALIGNMENT 4096
#define NCCL_CTA_POLICY_DEFAULT 0x00
#define NCCL_CTA_POLICY_EFFICIENCY 0x01
#define NCCL_CTA_POLICY_ZERO 0x02
#define NCCL_SHRINK_DEFAULT 0x00
#define NCCL_SHRINK_ABORT 0x01
#define NCCL_REVOKE_DEFAULT 0x00
#define NCCL_SUSPEND_MEM 0x01

/* 2.7.8 is 2708, 2.28.9 is 22809. */
#define NCCL_VERSION(x, y, z) (((x) <= 2 && (y) <= 8) ? (x)*1000 + (y)*100 + (z) : (x)*10000 + (y)*100 + (z))

/* Whose header this is: what a program that is built with it says in `version` of a configuration. */
#define NCCLSCRIPT_NCCL_VERSION NCCL_VERSION(2, 32, 3)

typedef struct ncclComm *ncclComm_t;
typedef struct ncclWindow_vidmem *ncclWindow_t;
typedef struct ncclParamHandle *ncclParamHandle_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

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

typedef enum { ncclScalarDevice = 0, ncclScalarHostImmediate = 1 } ncclScalarResidence_t;

/* An unset field holds NCCL_CONFIG_UNDEF_INT or NCCL_CONFIG_UNDEF_PTR. */
typedef struct {
    size_t size;
    unsigned int magic;
    unsigned int version;
    int blocking;
    int cgaClusterSize; /* 2.17 */
    int minCTAs;
    int maxCTAs;
    const char *netName;
    int splitShare;       /* 2.18 */
    int trafficClass;     /* 2.26 */
    const char *commName; /* 2.27 */
    int collnetEnable;
    int CTAPolicy;
    int shrinkShare;
    int nvlsCTAs;
    int nChannelsPerNetPeer; /* 2.28 */
    int nvlinkCentricSched;
    int graphUsageMode; /* 2.29 */
    int numRmaCtx;
    int maxP2pPeers;         /* 2.30.3 */
    int graphStreamOrdering; /* 2.30.7 */
    int launchOrderImplicit; /* 2.31.2 */
    int numRmaSig;
    int rmaEagerInit;
    int hostCftMode;
    int nvlsHostMode; /* 2.32.3 */
} ncclConfig_t;

/* The configuration of one collective (2.31.2). */
typedef struct {
    size_t size;
    unsigned int magic;
    unsigned int version;
    void *ext;
    int minCTAs;
    int maxCTAs;
    int nvlsCTAs;
    int cgaClusterSize;
    const char *algSelection;
    int forceAlgSelection;
    int CTAPolicy;
    uint64_t userProfilerTag;
    cudaEvent_t launchCompletionEvent; /* 2.32.3 */
} ncclCollConfig_t;

/* How processes encrypt what they send (2.32.3). */
typedef struct {
    size_t size;
    unsigned int magic;
    unsigned int version;
    int mode;
    const char *psk;
} ncclEncryptionConfig_t;

/* A configuration in which nothing is set. C++ wants the fields in their order. */
#define NCCL_CONFIG_INITIALIZER                                                                                            \
    {                                                                                                                      \
        .size = sizeof(ncclConfig_t), .magic = NCCL_CONFIG_MAGIC, .version = NCCLSCRIPT_NCCL_VERSION,                      \
        .blocking = NCCL_CONFIG_UNDEF_INT, .cgaClusterSize = NCCL_CONFIG_UNDEF_INT, .minCTAs = NCCL_CONFIG_UNDEF_INT,      \
        .maxCTAs = NCCL_CONFIG_UNDEF_INT, .netName = NCCL_CONFIG_UNDEF_PTR, .splitShare = NCCL_CONFIG_UNDEF_INT,           \
        .trafficClass = NCCL_CONFIG_UNDEF_INT, .commName = NCCL_CONFIG_UNDEF_PTR, .collnetEnable = NCCL_CONFIG_UNDEF_INT,  \
        .CTAPolicy = NCCL_CONFIG_UNDEF_INT, .shrinkShare = NCCL_CONFIG_UNDEF_INT, .nvlsCTAs = NCCL_CONFIG_UNDEF_INT,       \
        .nChannelsPerNetPeer = NCCL_CONFIG_UNDEF_INT, .nvlinkCentricSched = NCCL_CONFIG_UNDEF_INT,                         \
        .graphUsageMode = NCCL_CONFIG_UNDEF_INT, .numRmaCtx = NCCL_CONFIG_UNDEF_INT, .maxP2pPeers = NCCL_CONFIG_UNDEF_INT, \
        .graphStreamOrdering = NCCL_CONFIG_UNDEF_INT, .launchOrderImplicit = NCCL_CONFIG_UNDEF_INT,                        \
        .numRmaSig = NCCL_CONFIG_UNDEF_INT, .rmaEagerInit = NCCL_CONFIG_UNDEF_INT, .hostCftMode = NCCL_CONFIG_UNDEF_INT,   \
        .nvlsHostMode = NCCL_CONFIG_UNDEF_INT,                                                                             \
    }

typedef struct {
    size_t size;
    unsigned int magic;
    unsigned int version;
    float estimatedTime; /* microseconds; NCCL_UNDEF_FLOAT = nothing was estimated */
} ncclSimInfo_t;

typedef enum {
    ncclStatGpuMemSuspend = 0,
    ncclStatGpuMemSuspended = 1,
    ncclStatGpuMemPersist = 2,
    ncclStatGpuMemTotal = 3
} ncclCommMemStat_t;

/* The peer whose signals to wait for, and their number. */
typedef struct {
    int opCnt;
    int peer;
    int sigIdx;
    int ctx;
} ncclWaitSignalDesc_t;

typedef enum { NCCL_GIN_TYPE_NONE = 0, NCCL_GIN_TYPE_PROXY = 2, NCCL_GIN_TYPE_GDAKI = 3, NCCL_GIN_TYPE_GPI = 4 } ncclGinType_t;

/* NCCL declares it in nccl_device.h, although it describes the host's communicator. */
typedef struct ncclCommProperties {
    size_t size;
    unsigned int magic;
    unsigned int version;
    int rank;
    int nRanks;
    int cudaDev;
    int nvmlDev;
    bool deviceApiSupport;
    bool multimemSupport;
    ncclGinType_t ginType;
    int nLsaTeams;
    bool hostRmaSupport;
    ncclGinType_t railedGinType;
} ncclCommProperties_t;

#endif
