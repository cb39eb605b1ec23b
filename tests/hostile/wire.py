"""The rendezvous of a job, spoken by hand: what src/team/wire.h and src/team/seal.h say, written a second time."""
import hashlib
import hmac
import os
import socket
import struct

MAGIC, FRAME, ORDER, PROTOCOL = b"ncsteam\n", 0x6E637374, 0x01020304, 3
NO, ASK, YES, COMPLETE, FAILED, END = range(1, 7)
FOR_TOKEN, FOR_PORTS, FOR_OWN, FOR_MEMBER, FOR_LEADER, FOR_NO, FOR_UP, FOR_DOWN = range(1, 9)


def code(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def token_of(secret, job):
    return code(secret.encode(), struct.pack("<I", FOR_TOKEN), job.encode())[:16]


def prove(token, purpose, hello, challenge, more=b""):
    return code(token, struct.pack("<I", purpose), hello, challenge, more)


def greeting(version, magic=MAGIC, order=ORDER, protocol=PROTOCOL, of_long=8, of_pointer=8):
    return struct.pack("<8sIHBB64s", magic, order, protocol, of_long, of_pointer, version)


def hello(version, number=1, processes=3, local=-1, locals_=-1, pid=1, host=b"h", count=0, nonce=None, **more):
    return greeting(version, **more) + struct.pack("<16siiiiq256sII", nonce or os.urandom(16), number, processes, local, locals_, pid,
                                                   host, count, 0)


def frame(kind, line, body=b"", magic=FRAME, count=None):
    return struct.pack("<IIII", magic, kind, line, len(body) if count is None else count) + body + b"\0" * (-len(body) % 16)


def sealed(key, number, message):
    return message + code(key, struct.pack("<Q", number), message)[:16]


def connect(port):
    s = socket.socket()
    s.settimeout(30)
    s.connect(("127.0.0.1", port))
    return s


def say(s, said, last=False):
    """The other side may have closed before all is said."""
    try:
        s.sendall(said)
        if last:
            s.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def take(s, count):
    """So many bytes; fewer if the connection ends."""
    got = b""
    while len(got) < count:
        try:
            piece = s.recv(count - len(got))
        except ConnectionError:
            break
        if not piece:
            break
        got += piece
    return got


def hear(s):
    """Line and body of the next message of the team; None at the end."""
    head = take(s, 16)
    if len(head) < 16:
        return None
    magic, kind, line, count = struct.unpack("<IIII", head)
    body = take(s, (count + 15) // 16 * 16)
    return (line, body[:count]) if magic == FRAME and kind == 0 else None
