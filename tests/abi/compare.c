/* Compares this project's declarations of NCCL and CUDA with the official headers. */
#include <stdio.h>
#include <string.h>

#include "facts.h"

static const struct fact *find(const struct fact *facts, const char *what)
{
    for (; facts->what; facts++)
        if (strcmp(facts->what, what) == 0)
            return facts;
    return NULL;
}

int main(void)
{
    int compared = 0, wrong = 0, newer = 0;

    for (const struct fact *theirs = official; theirs->what; theirs++) {
        const struct fact *mine = find(ours, theirs->what);

        compared++;
        if (mine && mine->value == theirs->value)
            continue;
        wrong++;
        if (mine)
            printf("%s: %lld here, %lld in the official header\n", mine->what, mine->value, theirs->value);
        else
            printf("%s: not declared here\n", theirs->what);
    }
    for (const struct fact *mine = ours; mine->what; mine++)
        newer += find(official, mine->what) == NULL;
    printf("headers of CUDA %d and NCCL %d: %d facts compared, %d equal, %d differ, %d are of newer "
           "ones\n",
           official_cuda, official_nccl, compared, compared - wrong, wrong, newer);
    return compared == 0 || wrong > 0;
}
