/* A run's timeline as a drawing: a row for each host thread and each stream, bars in the rows, and
 * arrows from bar to bar. The trace and the HTML page render it. Room report only. */
#ifndef NCS_REPORT_CHART_H
#define NCS_REPORT_CHART_H

#include "report/report.h"
#include "run/timeline/timeline.h"

enum ncs_bar_kind {
    NCS_BAR_CALL,   /* a call in the journal */
    NCS_BAR_WAIT,   /* another wait of a host thread: a barrier, a store key, a sleep */
    NCS_BAR_DEVICE, /* an operation of a device */
    NCS_BAR_END,    /* a thread that was in no call at the end; arrows of waits need a bar */
};

struct ncs_bar {
    enum ncs_bar_kind kind;
    size_t row;
    const struct ncs_host_span *host;     /* of CALL and WAIT */
    const struct ncs_device_span *device; /* of DEVICE */
    const struct ncs_call *call;          /* its call, or the first one; NULL = none */
    int64_t begin, end;                   /* end < 0: not over */
    bool queued;                          /* has not begun: `begin` is the earliest time possible */
    uint64_t number;                      /* of a CALL, from 1; else 0 */
    size_t cause;                         /* a DEVICE bar: its enqueuing bar, + 1; 0 = unknown */
    char *name;                           /* "AllReduce", "cudaMalloc", "barrier" */
    char *text;                           /* with all its arguments, and how it ended */
};

struct ncs_chart_row {
    int rank;
    bool host;
    int thread; /* of a host row */
    int device; /* of a stream, with its handle */
    const void *stream;
    char *name; /* "main", "thread 1", "stream 2" */
    size_t *bar;
    size_t bars, room; /* in order of their beginning; none overlaps another */
};

enum ncs_arrow_kind { NCS_ARROW_COLLECTIVE, NCS_ARROW_PAIR, NCS_ARROW_SIGNAL, NCS_ARROW_WAIT };

struct ncs_arrow {
    enum ncs_arrow_kind kind;
    size_t from, to; /* bars. WAIT: from the waiting one to the awaited one; else from the one that
                      * arrived last to the one that needed it */
};

#define NCS_WAITS_DRAWN 8 /* per thread; the bar's text names the further ranks */

struct ncs_chart {
    struct ncs_chart_row *row;
    size_t rows, rows_room; /* by rank; host threads before streams */
    struct ncs_bar *bar;
    size_t bars, bars_room;
    struct ncs_arrow *arrow;
    size_t arrows, arrows_room;
    int64_t now;
    int ranks;
};

/* The run's result must have a timeline. */
void ncs_chart_build(const struct ncs_report_run *run, struct ncs_chart *out);
void ncs_chart_free(struct ncs_chart *l); /* the contents */

/* Where the scenario makes its call or wait; line 0 = not known. */
struct ncs_place ncs_bar_place(const struct ncs_bar *bar);

/* The time at which both ends of an arrow are reached. */
int64_t ncs_arrow_time(const struct ncs_chart *l, const struct ncs_arrow *a);

#endif
