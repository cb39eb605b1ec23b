/* Scenarios: any bytes either do not load, with a message and a line, or run to a verdict that is no
 * fault of ours. Runs are bounded by steps of the machine and by a time limit. */
#include "run.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    fuzz_run(data, bytes, NULL, NULL);
    return 0;
}
