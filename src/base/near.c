#include "base/near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64 }; /* letters; nothing longer is a slip of the keyboard */

/* Writes the letters of a word without case and '_'; false if the word is too long to be a typing error. */
static bool letters_of(const char *word, char *letters, size_t *count)
{
    *count = 0;
    for (; *word; word++) {
        if (*word == '_')
            continue;
        if (*count == LONGEST)
            return false;
        letters[(*count)++] = (char)tolower((unsigned char)*word);
    }
    return true;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Edit distance; two swapped neighbours count as one edit. */
static int near_distance(const char *a, size_t a_count, const char *b, size_t b_count)
{
    int rows[3][LONGEST + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_count; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_count; i++) {
        int *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = (int)i;
        for (size_t j = 1; j <= b_count; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[b_count];
}

/* Allows one edit for three letters, three at most: "max" is not "min", but "brodcast" is "broadcast". */
static int edits_allowed(size_t a_count, size_t b_count)
{
    return least((int)(a_count > b_count ? a_count : b_count) / 3, 3);
}

const char *ncs_nearest(const char *word, const char *const *names, size_t count)
{
    char a[LONGEST], b[LONGEST];
    size_t a_count, b_count;
    if (!letters_of(word, a, &a_count) || a_count == 0)
        return NULL;

    const char *nearest = NULL;
    int least_edits = LONGEST;
    for (size_t i = 0; count ? i < count : names[i] != NULL; i++) {
        if (!letters_of(names[i], b, &b_count))
            continue;
        int edits = near_distance(a, a_count, b, b_count);
        if (edits <= edits_allowed(a_count, b_count) && edits < least_edits) {
            nearest = names[i];
            least_edits = edits;
        }
    }
    return nearest;
}

const char *ncs_near_hint(char hint[NCS_NEAR_ROOM], char quote, const char *word, const char *const *names, size_t count,
                          const char *otherwise)
{
    const char *near = ncs_nearest(word, names, count);
    if (near)
        snprintf(hint, NCS_NEAR_ROOM, ": did you mean %c%.90s%c?", quote, near, quote);
    else
        snprintf(hint, NCS_NEAR_ROOM, "%s", otherwise);
    return hint;
}

bool ncs_fail_near(struct ncs_error *err, const char *word, const char *const *names, size_t count)
{
    const char *near = ncs_nearest(word, names, count);
    return near ? ncs_fail_hint(err, "did you mean `%s`?", near) : false;
}
