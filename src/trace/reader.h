/* The kinds of files that are read. Each has a file of its own with a struct trace_reader, and a line in readers.def;
 * all fill one record, so that a folder of several kinds is joined by rank. */
#ifndef NCS_TRACE_READER_H
#define NCS_TRACE_READER_H

#include "trace/record.h"

struct trace_file {
    const char *path; /* lives as long as the record */
    struct ncs_str text;
    int rank;       /* that its name has; -1 = none */
    bool of_folder; /* the user named its folder, so it may be any file */
    bool in_memory; /* it cannot be read again */
};

#define NCS_TRACE_FILE_MOST ((size_t)512 << 20)

enum trace_taken { TRACE_TAKEN, TRACE_NOT_MINE, TRACE_BAD /* and err */ };

struct trace_state {
    struct record *record;
    struct ncs_error *err;
};

struct trace_reader {
    const char *kind; /* in the report: "Flight Recorder dumps" */
    const char *word; /* what a rank without one lacks: "dump" */
    const char *next; /* what to collect where files of this kind leave the cause open; NULL = the usual */
    bool (*is)(const struct trace_file *file); /* at a glance */
    size_t bytes; /* of the state that the functions below share; it begins with a struct trace_state */
    enum trace_taken (*take)(void *state, struct trace_file *file);
    /* All files are taken: completes the record. Readers finish in the order of readers.def, so that one sees
     * what better sources have said. */
    bool (*finish)(void *state);
    void (*end)(void *state); /* frees what the state owns */
    bool plays;               /* finish makes the trace's journal and snapshot; files of other kinds are not used */
};

#define NCS_TRACE_READER(name) extern const struct trace_reader ncs_reader_##name;
#include "trace/readers.def"
#undef NCS_TRACE_READER

struct ncs_arena;
struct value;
/* Reads a pickle of protocols 2 to 5: tuples become lists. NULL and err, with the offset and the opcode, for a pickle
 * that contains more than data. */
const struct value *ncs_pickle_read(struct ncs_arena *arena, const void *bytes, size_t count, struct ncs_error *err);
/* The rank in the name of a file: the number after the last "rank", otherwise the last number. -1 = none. */
int ncs_rank_of_name(const char *path);
/* The ranks in the names of files of one folder: without the word "rank", the last number by which names of the same
 * shape all differ. */
void ncs_rank_names(const char *const *path, size_t count, int *rank);
/* Unpacks a file of gzip in place; false and err, also where the library for it is missing. */
bool ncs_gunzip(struct ncs_str *text, size_t most, struct ncs_error *err);

#endif
