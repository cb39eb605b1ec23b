/* How bytes between processes are cut into messages: a head, and a body that is filled up to a multiple of NCS_FRAME_ALIGNED bytes.
 * Numbers are the machine's own. No more than this, for those who share no code with the other side. */
#ifndef NCS_BASE_FRAME_H
#define NCS_BASE_FRAME_H

#include <stdint.h>

enum { NCS_FRAME_ALIGNED = 16 };

struct ncs_frame_head {
    uint32_t magic; /* a broken stream is not taken for lengths */
    uint32_t kind, line, bytes;
};
#define NCS_FRAME_MAGIC 0x6e637374u

#endif
