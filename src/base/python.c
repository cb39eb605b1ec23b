/* A call comes from a binding that has usually released the interpreter's lock. Python's own functions for frames
 * need this lock: waiting for it would cost up to 5 ms a call while other threads compute, and could wait forever
 * for a thread that holds the lock inside a call that waits for ours. So the frames are read in memory, by the
 * layout of each version. That is safe without the lock: only this thread changes its frames, and it is in this
 * function; a code object lives as long as a frame runs it, and its file's name never changes. Until the first frame
 * was found, the kernel copies the memory: a layout that is another one than expected costs the places, and
 * is no crash. */
#define _GNU_SOURCE /* process_vm_readv, dl_iterate_phdr */
#include "base/python.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Offsets in bytes, computed from the headers of CPython 3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1, 3.13.0. They are
 * the same in all releases of a minor version. */
struct layout {
    int minor;
    int frame;          /* in PyThreadState */
    int of_frame;       /* the frame in what `frame` points to; -1 = it points to the frame */
    int code, back, at; /* in a frame: its code, its caller, its instruction */
    int unit;           /* bytes that `at`, an int, counts; 0 = `at` is the address of an instruction */
    int instructions;   /* in a code object: the first one; the name of the file */
    int file;
    int ascii, wide; /* in a str: its characters, if all are ASCII; if not */
};

static const struct layout layouts[] = {
    { 8, 24, -1, 32, 24, 104, 1, 0, 104, 48, 72 }, { 9, 24, -1, 32, 24, 104, 1, 0, 104, 48, 72 },
    { 10, 24, -1, 32, 24, 96, 2, 0, 104, 48, 72 }, { 11, 56, 8, 32, 48, 56, 0, 184, 112, 48, 72 },
    { 12, 56, 0, 0, 8, 56, 0, 192, 112, 40, 56 },  { 13, 72, -1, 0, 8, 56, 0, 200, 112, 40, 56 },
};
enum { NEXT = 8 /* in PyThreadState */, TYPE = 8, LENGTH = 16, STATE = 32, ASCII = 0x40, COMPACT = 0x20 };

static struct {
    void *(*thread_state)(void); /* needs no lock, as the next two */
    void *(*interpreter)(void);
    char *(*newest_state)(void *interpreter);
    const char *(*version)(void);
    int (*is_ready)(void);
    int (*is_ending)(void);
    int (*line)(void *code, int instruction); /* only reads */
    const void *code_type;
} py;

static _Atomic(const struct layout *) layout; /* NULL = no interpreter is known */
static atomic_bool confirmed;                 /* a frame was found by the layout */
static _Thread_local bool reads_others;       /* frames of other threads, which may end */

/* ---- finding it ---- */

static int is_interpreter(struct dl_phdr_info *info, size_t bytes, void *path)
{
    (void)bytes;
    if (!strstr(info->dlpi_name, "/libpython3."))
        return 0;
    *(const char **)path = info->dlpi_name;
    return 1;
}

/* The program itself, or a library that a host program has loaded for itself. */
static bool find_interpreter(void **library)
{
    const char *path = NULL;
    *library = RTLD_DEFAULT;
    if (dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"))
        return true;
    dl_iterate_phdr(is_interpreter, &path);
    *library = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    return *library != NULL;
}

static bool python_load(void *library)
{
    *(void **)&py.thread_state = dlsym(library, "PyGILState_GetThisThreadState");
    *(void **)&py.interpreter = dlsym(library, "PyInterpreterState_Main");
    *(void **)&py.newest_state = dlsym(library, "PyInterpreterState_ThreadHead");
    *(void **)&py.version = dlsym(library, "Py_GetVersion");
    *(void **)&py.is_ready = dlsym(library, "Py_IsInitialized");
    *(void **)&py.is_ending = dlsym(library, "Py_IsFinalizing");
    if (!py.is_ending)
        *(void **)&py.is_ending = dlsym(library, "_Py_IsFinalizing");
    *(void **)&py.line = dlsym(library, "PyCode_Addr2Line");
    py.code_type = dlsym(library, "PyCode_Type");
    return py.thread_state && py.interpreter && py.newest_state && py.version && py.is_ready && py.is_ending && py.line &&
           py.code_type;
}

/* Interpreters without the lock have other layouts, and say so behind their number. */
static const struct layout *layout_of(const char *version)
{
    int minor;
    if (sscanf(version, "3.%d.", &minor) != 1 || strstr(version, "free-threading"))
        return NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].minor == minor)
            return &layouts[i];
    return NULL;
}

void ncs_python_look(void)
{
    static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;
    if (atomic_load(&layout))
        return;
    void *library;
    pthread_mutex_lock(&looking);
    if (!atomic_load(&layout) && find_interpreter(&library) && python_load(library))
        atomic_store(&layout, layout_of(py.version()));
    pthread_mutex_unlock(&looking);
}

/* ---- reading ---- */

/* Copies memory of this process, which may not be there as long as the layout is not confirmed, or if another thread has it. */
static inline bool peek(const void *from, void *to, size_t bytes)
{
    if (atomic_load_explicit(&confirmed, memory_order_relaxed) && !reads_others) {
        memcpy(to, from, bytes);
        return true;
    }
    struct iovec here = { to, bytes }, there = { (void *)from, bytes };
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

static inline void *peek_pointer(const void *from)
{
    void *p = NULL;
    return from && peek(from, &p, sizeof p) ? p : NULL;
}

static const char *innermost_frame(const struct layout *l, const char *state)
{
    char *frame = peek_pointer(state + l->frame);
    return frame && l->of_frame >= 0 ? peek_pointer(frame + l->of_frame) : frame;
}

/* Writes a character as UTF-8; returns its bytes. */
static size_t add_character(char *out, uint32_t c)
{
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    out[0] = (char)(lead[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* Reads a str object as UTF-8; 0 if it is none, or too long for a file's name. */
static size_t peek_text(const struct layout *l, const char *object, char *out, size_t room)
{
    enum { MOST = 1024 };
    unsigned char head[40], characters[4 * MOST];
    uint64_t length;
    uint32_t state;
    size_t bytes = 0;
    if (!object || !peek(object, head, sizeof head))
        return 0;
    memcpy(&length, head + LENGTH, sizeof length);
    memcpy(&state, head + STATE, sizeof state);
    size_t width = state >> 2 & 7;
    if (!(state & COMPACT) || length == 0 || length > MOST || (width != 1 && width != 2 && width != 4) ||
        !peek(object + (state & ASCII ? l->ascii : l->wide), characters, length * width))
        return 0;
    for (size_t i = 0; i < length; i++) {
        uint32_t c = 0; /* little-endian, as the machines with NCCL are */
        memcpy(&c, characters + i * width, width);
        if (bytes + 5 > room)
            return 0;
        bytes += add_character(out + bytes, c);
    }
    out[bytes] = '\0';
    return bytes;
}

static inline const char *load(const char *from)
{
    const char *p;
    memcpy(&p, from, sizeof p);
    return p;
}

/* 0 until a frame was found. */
static uint64_t tail_of_name(const struct layout *l, const char *name)
{
    uint64_t length, tail = 0;
    uint32_t state;
    if (!name || reads_others || !atomic_load_explicit(&confirmed, memory_order_relaxed))
        return 0;
    memcpy(&length, name + LENGTH, sizeof length);
    memcpy(&state, name + STATE, sizeof state);
    uint64_t bytes = length * (state >> 2 & 7);
    if (state & COMPACT && length < 65536 && bytes >= sizeof tail)
        memcpy(&tail, name + (state & ASCII ? l->ascii : l->wide) + bytes - sizeof tail, sizeof tail);
    return tail ^ length << 40;
}

/* A frame that runs no code of Python has no `code`. Loads of fixed size: a recorder reads frames at each call. */
static bool read_frame(const struct layout *l, const char *at, struct ncs_python_frame *f)
{
    const char *code = NULL, *where = NULL, *back = NULL;
    int units = 0;
    if (!at || !peek(at + l->code, &code, sizeof code) || !peek(at + l->back, &back, sizeof back) ||
        !(l->unit ? peek(at + l->at, &units, sizeof units) : peek(at + l->at, &where, sizeof where)))
        return false;
    *f = (struct ncs_python_frame){ .back = back };
    if (!code || peek_pointer(code + TYPE) != py.code_type)
        return true;
    f->code = code;
    f->file = peek_pointer(code + l->file);
    f->tail = tail_of_name(l, f->file);
    f->instruction = l->unit ? units * l->unit : (int)(where - (code + l->instructions));
    return f->file != NULL;
}

bool ncs_python_innermost(struct ncs_python_frame *f)
{
    const struct layout *l = atomic_load_explicit(&layout, memory_order_acquire);
    if (!l || !py.is_ready() || py.is_ending())
        return false;
    reads_others = false;
    const char *state = py.thread_state();
    return state && read_frame(l, innermost_frame(l, state), f);
}

const void *ncs_python_other(const void *state, struct ncs_python_frame *f)
{
    const struct layout *l = atomic_load_explicit(&layout, memory_order_acquire);
    if (!l || !py.is_ready() || py.is_ending() || !py.thread_state())
        return NULL;
    reads_others = true;
    do
        state = state ? peek_pointer((const char *)state + NEXT) : py.newest_state(py.interpreter());
    while (state && !read_frame(l, innermost_frame(l, state), f));
    return state;
}

bool ncs_python_outer(struct ncs_python_frame *f)
{
    return read_frame(atomic_load_explicit(&layout, memory_order_acquire), f->back, f);
}

bool ncs_python_skip(struct ncs_python_frame *f, const struct ncs_python_known *known, int most)
{
    const struct layout *l = atomic_load_explicit(&layout, memory_order_acquire);
    const char *at = f->back;
    if (!atomic_load_explicit(&confirmed, memory_order_relaxed))
        return read_frame(l, at, f);
    for (; at && most > 0; most--) {
        const char *code = load(at + l->code);
        const struct ncs_python_known *k = &known[ncs_python_slot(code)];
        if (!code || k->code != code || k->file != load(code + l->file))
            return read_frame(l, at, f);
        at = load(at + l->back);
    }
    return false;
}

size_t ncs_python_file(const struct ncs_python_frame *f, char *out, size_t room)
{
    size_t bytes = f->code ? peek_text(atomic_load(&layout), f->file, out, room) : 0;
    if (bytes && !atomic_load_explicit(&confirmed, memory_order_relaxed))
        atomic_store(&confirmed, true);
    return bytes;
}

int ncs_python_line(const struct ncs_python_frame *f)
{
    return py.line((void *)f->code, f->instruction);
}

/* The interpreter's entry is a frame in 3.12. */
bool ncs_python_is_own(const char *file)
{
    static const char *const others[] = { "/site-packages/", "/dist-packages/", "/lib/python3.", "/lib64/python3." };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(file, others[i]))
            return false;
    return strncmp(file, "<frozen", 7) != 0 && strcmp(file, "<shim>") != 0;
}
