/* Runs a scenario given as text, for targets that make one. */
#ifndef NCS_FUZZ_RUN_H
#define NCS_FUZZ_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct ncs_run_options;

/* False when the text does not load. `change`, NULL = none: what is to be different from the options
 * of a plain bounded run. A fault of ours ends the process, as does a refusal without a word. */
bool fuzz_run(const void *text, size_t bytes, void (*change)(struct ncs_run_options *options, void *arg), void *arg);

#endif
