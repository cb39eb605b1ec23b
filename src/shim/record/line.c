/* The line of Python that makes a call, as exec finds it: of the innermost frame that is the program's own; if there is
 * none, of the innermost frame. Each instruction is looked up once. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/python.h"
#include "shim/record/recorder.h"

/* DEEP: frames of packages inside of the program's, as of torch.distributed. More cost more than a call may. */
enum { LINES = 1 << 13, LINE_PROBES = 16, DEEP = 24 };

/* An instruction of Python. The key is written last. It has the code object, the name of its file and the offset: another
 * code object may come to the same address later. */
static struct recorder_line {
    uint64_t key;
    uint16_t index; /* its site + 1; 0 = none so far */
    bool own;       /* of the program */
} recorder_lines[LINES];
static pthread_mutex_t recorder_line_lock = PTHREAD_MUTEX_INITIALIZER;

/* Code objects of packages that this thread has met: most frames are such. On the heap: libraries that the program opens
 * later need the loader's little room for threads, too. */
static __thread struct ncs_python_known *recorder_packages __attribute__((tls_model("initial-exec")));

void ncs_recorder_end_lines(void)
{
    free(recorder_packages);
    recorder_packages = NULL;
}

/* Which line of a frame is wanted: one of the program's own code; any; its own for a call of another thread. */
enum frame_use { FRAME_OWN, FRAME_ANY, FRAME_ELSEWHERE };

static uint64_t key_of_frame(const struct ncs_python_frame *f, enum frame_use use)
{
    uint64_t code = ncs_hash((uint64_t)(uintptr_t)f->code ^ f->tail, (uint64_t)(uintptr_t)f->file);
    return ncs_hash(code, 2 * (uint64_t)f->instruction + (use == FRAME_ELSEWHERE)) | 1;
}

static uint16_t site_of_frame(struct recorder_file *f, const struct ncs_python_frame *frame, const char *file, bool elsewhere)
{
    struct ncs_recording_site site = { .offset = elsewhere };
    int line = ncs_python_line(frame);
    size_t bytes = strlen(file), most = sizeof site.module - 1, cut = bytes > most ? bytes - most : 0;
    site.line = line > 0 ? (uint32_t)line : 1;
    memcpy(site.module, file + cut, bytes - cut); /* the end of a long path says more */
    return ncs_recorder_add_site(f, &site);
}

/* Completes an entry, with the lock. */
static void fill_line(struct recorder_file *f, struct recorder_line *line, const struct ncs_python_frame *frame,
                      enum frame_use use)
{
    char file[4096];
    if (!ncs_python_file(frame, file, sizeof file))
        return;
    line->own = ncs_python_is_own(file);
    if ((line->own || use == FRAME_ANY) && !line->index)
        __atomic_store_n(&line->index, site_of_frame(f, frame, file, use == FRAME_ELSEWHERE), __ATOMIC_RELEASE);
}

/* NULL = there is no room. */
static const struct recorder_line *line_of_frame(struct recorder_file *f, const struct ncs_python_frame *frame,
                                                 enum frame_use use)
{
    uint64_t key = key_of_frame(frame, use), hash = ncs_mix(key);
    bool wanted = use == FRAME_ANY;
    struct recorder_line *line = NULL;
    for (uint64_t i = 0; i < LINE_PROBES; i++) {
        line = &recorder_lines[(hash + i) & (LINES - 1)];
        uint64_t there = __atomic_load_n(&line->key, __ATOMIC_ACQUIRE);
        if (there == key && (!wanted || line->index))
            return line;
        if (there == key || !there)
            break;
        line = NULL;
    }
    if (!line || (wanted && f->head->sites >= f->head->area[NCS_RECORDING_SITES].entries))
        return NULL;
    pthread_mutex_lock(&recorder_line_lock);
    if (line->key == 0 || line->key == key) {
        fill_line(f, line, frame, use);
        __atomic_store_n(&line->key, key, __ATOMIC_RELEASE);
    } else {
        line = NULL; /* another thread has taken the entry: the next call finds a free one */
    }
    pthread_mutex_unlock(&recorder_line_lock);
    return line;
}

/* As exec does (shim/exec/python.c): an engine makes calls in threads that have a state of Python and no frame, while the thread that
 * has called it waits. */
static uint16_t line_of_waiting_thread(struct recorder_file *f)
{
    struct ncs_python_frame frame;
    uint16_t index = 0;
    for (const void *thread = NULL; (thread = ncs_python_other(thread, &frame));) {
        const struct recorder_line *own = NULL;
        bool there = true;
        for (int i = 0; i < DEEP && there && !own; i++, there = ncs_python_outer(&frame)) {
            own = frame.code ? line_of_frame(f, &frame, FRAME_ELSEWHERE) : NULL;
            own = own && own->own ? own : NULL;
        }
        if (own && index)
            return 0;
        index = own ? own->index : index;
    }
    return index;
}

uint16_t ncs_recorder_line(struct recorder_file *f)
{
    struct ncs_python_frame frame, innermost = { 0 };
    bool there = ncs_python_innermost(&frame);
    if (!there)
        return line_of_waiting_thread(f);
    if (!recorder_packages && !(recorder_packages = calloc(NCS_PYTHON_KNOWN, sizeof *recorder_packages)))
        return 0;
    for (int i = 0; i < DEEP && there; i++, there = ncs_python_skip(&frame, recorder_packages, DEEP)) {
        if (!frame.code)
            continue;
        if (!innermost.code)
            innermost = frame;
        const struct recorder_line *line = line_of_frame(f, &frame, FRAME_OWN);
        if (line && line->own && line->index)
            return line->index;
        if (line && !line->own)
            recorder_packages[ncs_python_slot(frame.code)] = (struct ncs_python_known){ frame.code, frame.file };
    }
    const struct recorder_line *line = innermost.code ? line_of_frame(f, &innermost, FRAME_ANY) : NULL;
    return line ? line->index : 0;
}

bool ncs_recorder_looks_for_python(void)
{
    const char *text = getenv(NCS_RECORDING_PYTHON);
    return !text || strcmp(text, "0") != 0;
}

void ncs_recorder_forget_lines(void)
{
    memset(recorder_lines, 0, sizeof recorder_lines);
    pthread_mutex_init(&recorder_line_lock, NULL);
}
