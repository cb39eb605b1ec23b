/* Unpacks files of gzip with the host's zlib, which is opened when the first such file comes: builds do not need it. */
#include <dlfcn.h>
#include <string.h>

#include "trace/reader.h"

/* zlib's z_stream, whose layout is part of its binary interface (zlib 1.2 and 1.3, zlib.h). */
struct gzip_stream {
    const unsigned char *next_in;
    unsigned avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    void *state, *zalloc, *zfree, *opaque;
    int data_type;
    unsigned long adler, reserved;
};

enum { GZIP_OK = 0, GZIP_STREAM_END = 1, GZIP_WINDOW = 15 + 16 /* gzip's header */, GZIP_BLOCK = 1 << 16 };

static struct gzip_library {
    int (*begin)(struct gzip_stream *, int window, const char *version, int size);
    int (*inflate)(struct gzip_stream *, int flush);
    int (*end)(struct gzip_stream *);
} gzip;

static bool open_gzip(void)
{
    void *library = gzip.end ? NULL : dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library) {
        *(void **)&gzip.begin = dlsym(library, "inflateInit2_");
        *(void **)&gzip.inflate = dlsym(library, "inflate");
        *(void **)&gzip.end = dlsym(library, "inflateEnd");
    }
    return gzip.begin && gzip.inflate && gzip.end;
}

/* Appends what one stream unpacks to; a file may have several. False: it is broken, cut off or too long. */
static bool unpack_stream(struct gzip_stream *z, size_t most, struct ncs_str *out)
{
    unsigned char block[GZIP_BLOCK];
    int status = GZIP_OK;
    while (status == GZIP_OK && out->bytes <= most) {
        z->next_out = block;
        z->avail_out = sizeof block;
        status = gzip.inflate(z, 0);
        if (status == GZIP_OK || status == GZIP_STREAM_END)
            ncs_str_add_bytes(out, block, sizeof block - z->avail_out);
    }
    return status == GZIP_STREAM_END && out->bytes <= most;
}

bool ncs_gunzip(struct ncs_str *text, size_t most, struct ncs_error *err)
{
    const unsigned char *in = (const unsigned char *)text->text;
    struct ncs_str out = { 0 };
    bool ok = true;
    if (text->bytes < 3 || in[0] != 0x1f || in[1] != 0x8b || in[2] != 8)
        return true;
    if (!open_gzip()) {
        ncs_fail(err, NCS_BAD_INPUT, "the file is packed by gzip, and libz.so.1 is not installed");
        return ncs_fail_hint(err, "unpack it with gunzip");
    }
    struct gzip_stream z = { .next_in = in, .avail_in = (unsigned)text->bytes };
    ncs_str_add(&out, "");
    while (ok && z.avail_in > 2 && z.next_in[0] == 0x1f) {
        ok = gzip.begin(&z, GZIP_WINDOW, "1.2.11", (int)sizeof z) == GZIP_OK;
        if (ok) {
            ok = unpack_stream(&z, most, &out);
            gzip.end(&z);
        }
    }
    /* A file that is cut off still has a beginning, whose reader says where it ends. */
    if (out.bytes > most || (!ok && !out.bytes)) {
        bool longer = out.bytes > most;
        ncs_str_free(&out);
        return ncs_fail(err, NCS_BAD_INPUT, longer ? "the file unpacks to more than 512 MiB" : "the file is no valid gzip");
    }
    ncs_str_free(text);
    *text = out;
    return true;
}
