/* Lets a binding or a framework name the calls that it makes for others. A program on the simulator
 * (`ncclscript exec`) may say in which line its next calls are, and for which rank. Reports then have this line
 * instead of the one in the binding, and compare ranks by it.
 *
 * The functions are in libncclscript-sim.so, which the simulated libnccl.so.2 brings along. Elsewhere they do not
 * exist. They are declared weak, so that a program links and runs without them:
 *
 *     if (ncclscriptPlace)
 *         ncclscriptPlace("model.py", 66, "train_step");
 *     ncclAllReduce(...);
 *
 * Or look them up: dlsym(handle of libnccl.so.2, "ncclscriptPlace"), or in Python
 * ctypes.CDLL("libnccl.so.2").ncclscriptPlace.
 *
 * Threads: each function concerns only the calls of its own thread. Any thread may call them at any time, also before
 * its first call of NCCL. They never block, and call neither NCCL nor CUDA. */
#ifndef NCCLSCRIPT_PLACE_H
#define NCCLSCRIPT_PLACE_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NCCLSCRIPT_WEAK __attribute__((weak, visibility("default")))
#else
#define NCCLSCRIPT_WEAK
#endif

/* Names the place of this thread's next calls, until it is named again. file: relative to the working directory, or
 * absolute; NULL = unknown. line: from 1. function: is shown if no file and line are given; may be NULL. Both texts are
 * copied. Without file and function, calls have their own places again. Cannot fail. */
NCCLSCRIPT_WEAK void ncclscriptPlace(const char *file, int line, const char *function);

/* Names the rank that this thread acts for, from its next call on. A thread that joins a communicator need not call it: it has
 * the first rank as which it joins. A thread acts for one rank. Returns 0, or 1 and changes nothing if the
 * thread has another rank already, or if the rank is not in 0 .. 1048575. */
NCCLSCRIPT_WEAK int ncclscriptRank(int rank);

#ifdef __cplusplus
}
#endif

#endif
