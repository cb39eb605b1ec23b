/* Properties and attributes of a device, from the tables. */
#ifndef NCCLSCRIPT_CUDA_DEVICE_ABI_H
#define NCCLSCRIPT_CUDA_DEVICE_ABI_H

#include <stddef.h>

#include "cuda_tables.h"

#define NCS_NUMBER(type, name) type name;
#define NCS_LIST(type, name, length) type name[length];
#define NCS_TEXT(name, length) char name[length];
#define NCS_BYTES(name, length) char name[length];
struct cudaDeviceProp {
    NCS_CUDA_PROPERTIES(NCS_NUMBER, NCS_LIST, NCS_TEXT, NCS_BYTES)
    int reserved[56];
};
#undef NCS_NUMBER
#undef NCS_LIST
#undef NCS_TEXT
#undef NCS_BYTES

#define NCS_ATTRIBUTE(what, number) cudaDevAttr##what = number,
enum cudaDeviceAttr { NCS_CUDA_ATTRIBUTES(NCS_ATTRIBUTE) };
#undef NCS_ATTRIBUTE

#endif
