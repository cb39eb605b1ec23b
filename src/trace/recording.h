/* Recordings of live jobs (api/recording.h): the files of all processes, merged by time and made again through a journal.
 * Private to this room. */
#ifndef NCS_TRACE_RECORDING_H
#define NCS_TRACE_RECORDING_H

#include "api/recording.h"
#include "trace/reader.h"

/* One call of one process. */
struct recorded_call {
    struct ncs_recording_call raw;
    enum ncs_fn fn;
    int file;
    int rank;            /* if its process has several: as which it is made; -1 = unknown */
    uint64_t begin, end; /* ns, on one clock for all files; end: UINT64_MAX = it has not returned */
    uint64_t *list;      /* words of the list among its arguments, owned; NULL = none */
    size_t words;
    bool over;     /* its process has seen that its work is done */
    bool of_ring;  /* of the ring that overwrites its oldest calls */
    bool left_out; /* it is not made again */
};

struct recorded_thread {
    int rank;   /* of the run; -1 = it has none */
    int number; /* among the threads of its rank */
    bool used, ended, polls;
    bool wide;                 /* it makes calls for several ranks */
    int part;                  /* 1: it uses a communicator, 2: for collectives, sends or receives */
    struct recorded_call poll; /* if it polls: its latest query, which found nothing */
};

struct recorded_file {
    const char *path;
    struct ncs_recording_head head;
    double tick; /* ns */
    struct recorded_call *call;
    size_t calls, room;
    struct recorded_thread *thread;
    int threads;
    struct ncs_recording_site *site;
    int sites;
    struct ncs_recording_comm *comm;
    int comms;
    struct ncs_recording_pair *pair;
    int pairs;
    int *line;     /* of each site: its line in the trace; 0 = unknown */
    int rank;      /* of the run, of all its threads; -1 = each thread has its own */
    bool several;  /* it has several ranks of a communicator */
    bool as_one;   /* and their calls are made as those of one rank with several devices */
    bool cut;      /* the oldest calls have been overwritten */
    bool left_out; /* it is of an earlier start */
    bool implied;  /* its rank left no file: the calls are those that the others' calls need */
};

struct recording {
    struct record *record;
    struct recorded_file *file;
    size_t files;
    int ranks;      /* of the run */
    bool threads;   /* of one process, which has the whole job, and each rank has threads of its own */
    size_t unknown; /* calls of functions that this version does not know */
};

/* Reads one file; false with the place in err. `keep`: most calls that are kept, the latest ones. */
bool ncs_recorded_read(struct recorded_file *f, int number, const struct trace_file *from, size_t keep, size_t *unknown,
                       struct ncs_error *err);
void ncs_recorded_free(struct recorded_file *f);

/* The rank and the number of ranks of a communicator that a call joins; false if it joins none. All ranks: rank is -1. */
bool ncs_recorded_join(const struct recorded_call *c, uint64_t *id, int64_t *rank, int64_t *nranks);
/* The devices behind the communicators that ncclCommInitAll has made; NULL = the recording has none. */
const uint64_t *ncs_recorded_devices(const struct recorded_call *c);
/* Leaves out the files of earlier starts. True: the launcher's numbers are the ranks. */
bool ncs_recorded_find_start(struct recording *r);
/* Finds the rank of each process and of its threads. */
bool ncs_recorded_rank(struct recording *r, struct ncs_error *err);

/* Adds files for ranks that left none, with the calls that they must have made. */
void ncs_recorded_imply(struct recording *r);

/* Notes the first call that failed, and on which ranks it did. */
void ncs_recorded_note_failures(const struct recording *r);

/* Marks calls as over whose process has waited for them. */
void ncs_recorded_follow_waits(struct recorded_file *f);

/* Makes the calls in a new journal of the trace, and infers what waits. */
bool ncs_recorded_play(struct recording *r, struct ncs_error *err);

/* Names the places of the calls in the trace. */
void ncs_recorded_name_sites(struct recording *r);
/* The line of the trace that stands for a site of the file (index + 1); 0 = unknown. */
int ncs_recorded_line(const struct recorded_file *f, int site);

#endif
