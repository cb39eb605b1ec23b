# Succeeds if elfutils' library is installed, with which `exec` finds lines. A sanitizer's program finds them, too.
has_libdw() {
    [ -n "$(find /lib/ /usr/lib/ /lib64/ /usr/lib64/ -name libdw.so.1 -print -quit 2>/dev/null)" ]
}
