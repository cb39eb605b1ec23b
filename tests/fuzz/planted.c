/* A target that fails, to see what the driver makes of it: at the first input that begins with another
 * letter than the seed. */
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    if (bytes > 0 && data[0] != 'a')
        abort();
    return 0;
}
