/* Two times belong to each call, and CLOCK_MONOTONIC costs 20 ns or more (measured on an EPYC). The processor's counter costs
 * half of that. */
#include "shim/record/recorder.h"

#include <time.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum { OLD = 1 << 28 }; /* ticks: about 0.1 s */

static int64_t recorder_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

#ifdef __x86_64__
/* The counter runs at one speed in all states of the processor. */
static bool counter_is_steady(void)
{
    static int steady = -1;
    unsigned a, b, c, d;
    if (steady < 0)
        steady = __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
    return steady;
}
#endif

uint64_t ncs_recorder_ticks(void)
{
#ifdef __x86_64__
    if (counter_is_steady())
        return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
    return (uint64_t)recorder_clock(CLOCK_MONOTONIC);
}

struct ncs_recording_pulse ncs_recorder_pulse(void)
{
    struct ncs_recording_pulse pulse = { ncs_recorder_ticks(), 0 };
    pulse.real = recorder_clock(CLOCK_REALTIME);
    return pulse;
}

static int busy; /* a thread writes the moment */

void ncs_recorder_forget_time(void)
{
    busy = 0;
}

/* A reader takes one that is complete: the other is being written. */
void ncs_recorder_keep_time(struct ncs_recording_head *head, uint64_t ticks)
{
    uint64_t pulses = __atomic_load_n(&head->pulses, __ATOMIC_RELAXED);
    if (ticks - head->latest[pulses % 2].ticks < OLD && pulses > 4)
        return;
    if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        return;
    pulses = head->pulses;
    head->latest[(pulses + 1) % 2] = ncs_recorder_pulse();
    __atomic_store_n(&head->pulses, pulses + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}
