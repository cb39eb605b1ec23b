/* A timeline: when each call of a run began and returned, when each device operation did, which
 * operations met, and which faults happened. The journal has no clock; the timeline has, and keeps
 * its records until the run is reported. It is made only if the options ask for it.
 *
 * Times are those of the machine, in nanoseconds from the start of the run: virtual on the
 * simulator, real on real hardware, which reports no operations of its devices. */
#ifndef NCS_TIMELINE_TIMELINE_H
#define NCS_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/journal.h"
#include "api/machine.h"
#include "api/snapshot.h"

/* A call or a wait of a host thread. */
struct ncs_host_span {
    struct ncs_call *call; /* pinned; NULL of a wait */
    const char *what;      /* a wait: "store:get", "barrier", "join", "sleep"; static */
    char *key;             /* of a wait: "store key `go`", for people; NULL = none */
    int rank, thread;
    struct ncs_place place;
    int64_t begin, end; /* end < 0: not over */
    bool never;         /* the call was taken back because its rank was stopped */
};

/* An operation of a device. */
struct ncs_device_span {
    const char *kind; /* as in ncs_work */
    int rank, device;
    struct ncs_call **call;
    size_t calls; /* the calls it executes, in order */
    const void **stream;
    size_t streams;             /* handles; NULL = the legacy one */
    int64_t queued, begin, end; /* begin, end < 0: not reached */
    int status;                 /* when it has ended: cudaError_t */
};

enum ncs_match_kind { NCS_MATCH_COLLECTIVE, NCS_MATCH_PAIR, NCS_MATCH_SIGNAL };

/* Two operations met: `to` could not end without `from`. In a collective, `from` is the last to
 * arrive and each of the others is a `to`. In an all-to-all, gather or scatter, `from` belongs to
 * the rank whose data arrived last. */
struct ncs_match {
    enum ncs_match_kind kind;
    size_t from, to; /* indices of device spans */
    const struct ncs_call *from_call, *to_call;
};

/* A deliberate fault, or one that the machine has found. */
struct ncs_mark {
    int rank, thread;
    int64_t time;
    struct ncs_place place;
    char *text;
};

struct ncs_timeline {
    struct ncs_host_span *host;
    size_t hosts;
    struct ncs_device_span *device;
    size_t devices;
    struct ncs_match *match;
    size_t matches;
    struct ncs_mark *mark;
    size_t marks;
    int64_t now; /* time of closing */
    bool closed;
    struct ncs_timeline_private *own;
};

/* `now` tells the time. */
struct ncs_timeline *ncs_timeline_open(int64_t (*now)(void));
/* Ignores all later events, because contexts are being abandoned. */
void ncs_timeline_close(struct ncs_timeline *t);
void ncs_timeline_free(struct ncs_timeline *t); /* NULL is a no-op */

/* The closed timeline of a run that was recorded elsewhere, in the order of its calls: 1 us for each (record.c). */
struct ncs_timeline *ncs_timeline_of_record(const struct ncs_journal *journal, const struct ncs_snapshot *snapshot);

/* ---- what it is told while the run goes on ---- */

void ncs_timeline_entered(struct ncs_timeline *t, struct ncs_call *call);
void ncs_timeline_returned(struct ncs_timeline *t, const struct ncs_call *call);

/* Begins a wait of the calling thread. The returned number ends it. */
size_t ncs_timeline_wait(struct ncs_timeline *t, const char *what, const char *key);
void ncs_timeline_waited(struct ncs_timeline *t, size_t wait);

/* Adds a mark of the calling thread; `text` is copied. */
void ncs_timeline_mark(struct ncs_timeline *t, int rank, int thread, struct ncs_place place, const char *text);

/* The callback of an observer. */
void ncs_timeline_work(struct ncs_timeline *t, const struct ncs_work *work, enum ncs_work_state state);
void ncs_timeline_moved(struct ncs_timeline *t, struct ncs_call *const *calls, size_t count);
void ncs_timeline_finished(struct ncs_timeline *t, const struct ncs_call *call);

#endif
