/* Lists through the `previous` and `next` of their items: first and last are the list's ends. */
#ifndef NCS_SIM_LIST_H
#define NCS_SIM_LIST_H

#include <stddef.h>

#define LIST_APPEND(first, last, item) \
    do {                               \
        (item)->next = NULL;           \
        (item)->previous = (last);     \
        if (last)                      \
            (last)->next = (item);     \
        else                           \
            (first) = (item);          \
        (last) = (item);               \
    } while (0)

#define LIST_REMOVE(first, last, item)                 \
    do {                                               \
        if ((item)->previous)                          \
            (item)->previous->next = (item)->next;     \
        else                                           \
            (first) = (item)->next;                    \
        if ((item)->next)                              \
            (item)->next->previous = (item)->previous; \
        else                                           \
            (last) = (item)->previous;                 \
    } while (0)

/* Queues with one link per item: items join at the end and leave at the front. */
#define QUEUE_APPEND(first, last, item, link) \
    do {                                      \
        (item)->link = NULL;                  \
        if (last)                             \
            (last)->link = (item);            \
        else                                  \
            (first) = (item);                 \
        (last) = (item);                      \
    } while (0)

#define QUEUE_TAKE(first, last, link) \
    do {                              \
        (first) = (first)->link;      \
        if (!(first))                 \
            (last) = NULL;            \
    } while (0)

#endif
