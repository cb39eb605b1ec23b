# Prints the Python that can build a wheel here, with scikit-build-core; status 1 if there is none. A new environment gets it
# where pip reaches an index: $1 is where it may be made.
for python in build/tools/bin/python3 python3 /usr/bin/python3; do
    "$python" -c 'import pip, scikit_build_core' 2>/dev/null && echo "$python" && exit 0
done
[ $# -eq 1 ] && python3 -m venv "$1" 2>/dev/null && timeout 120 "$1/bin/pip" install -q scikit-build-core >/dev/null 2>&1 &&
    echo "$1/bin/python3"
