#define _GNU_SOURCE
#include "sim/kernel/fiber.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sanitizer.h"

#if NCS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if NCS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* Sanitized frames are several times larger. */
#if NCS_ASAN || NCS_TSAN
#define STACK_BYTES ((size_t)2 << 20)
#else
#define STACK_BYTES ((size_t)512 << 10)
#endif
#define GUARD_BYTES ((size_t)64 << 10)
/* A guarded stack takes two of the memory mappings that a Linux process may have, 65 530 by default. Stacks beyond
 * this number have the room of a guard, but none: the kernel joins their mappings. */
#define GUARDED_MOST 24000

/* Stacks to use again, linked through their last word, whose page has been written before. The token protects the list
 * and the number. */
static char *spare;
static size_t stacks;

static char **link_of(char *stack)
{
    return (char **)(stack + STACK_BYTES) - 1;
}

/* The fiber to start, set just before the switch that starts it. */
static _Thread_local struct fiber *starting;

#if defined(__x86_64__)
/* The swap pushes the callee-saved registers; the compiler has saved the others in the caller. */
__asm__(".text\n"
        ".p2align 4\n"
        ".type ncs_fiber_swap,@function\n"
        "ncs_fiber_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size ncs_fiber_swap,.-ncs_fiber_swap\n");
#define SAVED_WORDS 6
#define FRAME_WORDS 8 /* saved registers, entry, and a word for the ABI's alignment */
#define ENTRY_WORD SAVED_WORDS
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".type ncs_fiber_swap,%function\n"
        "ncs_fiber_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x2, sp\n"
        "    str x2, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size ncs_fiber_swap,.-ncs_fiber_swap\n");
#define FRAME_WORDS 20
#define ENTRY_WORD 11
#else
#error "fibers are written for x86-64 and aarch64; add the switch for this processor here"
#endif

void ncs_fiber_swap(void **from_sp, void *to_sp);

static void begin_switch(struct fiber *from, const struct fiber *to)
{
    (void)from;
    (void)to;
#if NCS_ASAN
    __sanitizer_start_switch_fiber(from ? &from->fake_stack : NULL, to->stack, to->bytes);
#endif
#if NCS_TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
}

static void end_switch(struct fiber *self)
{
    (void)self;
#if NCS_ASAN
    __sanitizer_finish_switch_fiber(self->fake_stack, NULL, NULL);
#endif
}

static void run_entry(void)
{
    struct fiber *self = starting;
    end_switch(self);
    self->entry(self->arg);
    __builtin_trap(); /* entry ends with sim_fiber_leave */
}

void sim_fiber_adopt(struct fiber *f)
{
    *f = (struct fiber){ 0 };
#if NCS_ASAN
    pthread_attr_t attr;
    void *stack;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        if (pthread_attr_getstack(&attr, &stack, &f->bytes) == 0)
            f->stack = stack;
        pthread_attr_destroy(&attr);
    }
#endif
#if NCS_TSAN
    f->tsan = __tsan_get_current_fiber();
#endif
}

static char *take_stack(void)
{
    char *stack = spare;
    if (stack) {
        spare = *link_of(stack);
        return stack;
    }
    char *low = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (low == MAP_FAILED)
        return NULL;
    if (stacks < GUARDED_MOST && mprotect(low, GUARD_BYTES, PROT_NONE) != 0) {
        munmap(low, GUARD_BYTES + STACK_BYTES);
        return NULL;
    }
    stacks++;
    return low + GUARD_BYTES;
}

bool sim_fiber_make(struct fiber *f, void (*entry)(void *arg), void *arg)
{
    char *stack = take_stack();
    if (!stack)
        return false;
    *f = (struct fiber){ .stack = stack, .bytes = STACK_BYTES, .entry = entry, .arg = arg };
    uintptr_t *frame = (uintptr_t *)(stack + STACK_BYTES) - FRAME_WORDS;
    for (int i = 0; i < FRAME_WORDS; i++)
        frame[i] = 0;
    frame[ENTRY_WORD] = (uintptr_t)run_entry;
    f->sp = frame;
#if NCS_TSAN
    f->tsan = __tsan_create_fiber(0);
#endif
    return true;
}

void sim_fiber_switch(struct fiber *from, struct fiber *to)
{
    starting = to;
    begin_switch(from, to);
    ncs_fiber_swap(&from->sp, to->sp);
    end_switch(from);
}

void sim_fiber_leave(struct fiber *from, struct fiber *to)
{
    starting = to;
    begin_switch(NULL, to);
    ncs_fiber_swap(&from->sp, to->sp);
    __builtin_trap();
}

void sim_fiber_drop(struct fiber *f)
{
    if (!f->stack)
        return;
#if NCS_ASAN
    __asan_unpoison_memory_region(f->stack, f->bytes);
#endif
#if NCS_TSAN
    __tsan_destroy_fiber(f->tsan);
#endif
    *link_of(f->stack) = spare;
    spare = f->stack;
    f->stack = NULL;
}

void sim_fiber_trim(void)
{
    while (spare) {
        char *stack = spare;
        spare = *link_of(stack);
        munmap(stack - GUARD_BYTES, GUARD_BYTES + STACK_BYTES);
        stacks--;
    }
}
