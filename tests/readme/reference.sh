#!/usr/bin/env bash
# docs/lua.md is what docs/lua.lua writes from the annotations.
command -v lua5.4 >/dev/null || { echo "left out: there is no lua5.4"; exit 77; }
if ! lua5.4 docs/lua.lua | diff -u docs/lua.md -; then
    echo "docs/lua.md is stale: lua5.4 docs/lua.lua >docs/lua.md"
    exit 1
fi
