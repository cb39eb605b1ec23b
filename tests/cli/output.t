# Standard output that cannot be written.
$ ncclscript --help >/dev/full
! ncclscript: standard output: No space left on device
? 70

# A reader that is gone ends the program as it ends others, without a word.
$ exec 7> >(true); wait $!; ncclscript --help >&7
? 141
