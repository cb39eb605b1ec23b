#!/usr/bin/env bash
# Programs that open the libraries by themselves: every function that the libraries of NVIDIA export is found by name. A missing
# library or function is an error of the program; exec reports a program that opened none.
set -u
. tests/exec/common.bash

for library in libcudart.so.13 libcudart.so.12 libnccl.so.2; do
    list=tests/abi/exports/$library.txt
    run "$library by name" 0 "${sanitized[@]}" "${exec[@]}" -n 3 -- "${clients}lazy" "$library" "$list"
    says "^$(wc -w <"$list") found, 0 missing, opened 1 times$"
    says '^no such function$'
    if [[ $library == libnccl* ]]; then says '^code 0, -1 devices, version 2[0-9]{4}$'; else says '^code 0, 3 devices, version 0$'; fi
done

run "a missing library" 5 "${sanitized[@]}" "${exec[@]}" -- "${clients}lazy" libnosuch.so.1 tests/abi/exports/libnccl.so.2.txt
says "^0 found, [1-9][0-9]* missing, opened 1 times$"
says '^libnosuch\.so\.1: cannot open shared object file'
finish "libraries that programs open"
