/* CUDA_VISIBLE_DEVICES: which of the machine's devices a program sees, and in which order. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/cuda.h"
#include "sim/cuda/outside.h"

#define PREFIX "GPU-"

/* The next piece of a list, without the blanks around it. */
static const char *next_piece(const char **text, size_t *bytes)
{
    const char *from = *text, *end = from + strcspn(from, ",");
    *text = *end ? end + 1 : end;
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    *bytes = (size_t)(end - from);
    return from;
}

/* Matches the digits of a device's UUID in CUDA's form, GPU-12345678-1234-...; the list may
 * abbreviate it. */
static bool is_uuid(const char *piece, size_t bytes, int device)
{
    char uuid[16];
    size_t at = strlen(PREFIX);
    sim_device_uuid(uuid, 0, device);
    if (bytes <= at)
        return false;
    for (size_t i = 0; i < sizeof uuid && at < bytes; i++) {
        static const char digits[] = "0123456789abcdef";
        unsigned char byte = (unsigned char)uuid[i];
        if (i >= 4 && i <= 10 && i % 2 == 0 && piece[at++] != '-')
            return false;
        if (at < bytes && tolower((unsigned char)piece[at++]) != digits[byte >> 4])
            return false;
        if (at < bytes && tolower((unsigned char)piece[at++]) != digits[byte & 15])
            return false;
    }
    return at == bytes;
}

/* The device whose UUID begins so; -1 = no device, or several. */
static int find_uuid(const char *piece, size_t bytes, int devices)
{
    int found = -1;
    for (int d = 0; d < devices; d++)
        if (is_uuid(piece, bytes, d)) {
            if (found >= 0)
                return -1;
            found = d;
        }
    return found;
}

/* Reads the number of a device; as in CUDA, anything may follow it. -1 = no such device. */
static int find_device(const char *piece, size_t bytes, int devices)
{
    if (strncmp(piece, PREFIX, strlen(PREFIX)) == 0)
        return find_uuid(piece, bytes, devices);
    if (bytes == 0 || (*piece != '+' && !isdigit((unsigned char)*piece)))
        return -1;
    char *end;
    long number = strtol(piece, &end, 10);
    return end > piece && number >= 0 && number < devices ? (int)number : -1;
}

int sim_outside_visible(const char *text, int devices, int *number)
{
    int count = 0;
    while (*text) {
        size_t bytes;
        const char *piece = next_piece(&text, &bytes);
        int device = find_device(piece, bytes, devices);
        if (device < 0)
            break; /* the rest is ignored */
        for (int i = 0; i < count; i++)
            if (number[i] == device)
                return 0;
        number[count++] = device;
    }
    return count;
}
