"""nonblocking.py FILE COMMAND...: COMMAND gets FILE from a pipe that does not block, in two parts with a pause between."""
import os
import subprocess
import sys
import time

text = open(sys.argv[1], "rb").read()
ours, theirs = os.pipe()[::-1]
os.set_blocking(theirs, False)
p = subprocess.Popen(sys.argv[2:], stdin=theirs)
time.sleep(0.3)  # a command that does not wait has ended by then
os.write(ours, text[: len(text) // 2])
time.sleep(0.1)
os.write(ours, text[len(text) // 2:])
os.close(ours)
os.close(theirs)
sys.exit(p.wait())
