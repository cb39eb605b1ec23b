/* Which sanitizer a file is compiled for, with gcc and clang: 0 or 1. gcc defines a macro for
 * each, clang has __has_feature. */
#ifndef NCS_BASE_SANITIZER_H
#define NCS_BASE_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define NCS_ASAN 1
#elif defined(__has_feature)
#define NCS_ASAN __has_feature(address_sanitizer)
#else
#define NCS_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define NCS_TSAN 1
#elif defined(__has_feature)
#define NCS_TSAN __has_feature(thread_sanitizer)
#else
#define NCS_TSAN 0
#endif

#endif
