std = "lua54"
max_line_length = 100

-- Built by the generator and by CMake; and what is wrong on purpose.
exclude_files = {
    "build/", "src/api/gen/", "tests/badinput/", "tests/cli/files/broken.lua",
    "tests/cli/files/check/", "tests/fuzz/seeds/",
}

-- The names that every rank finds ready-made.
local scenario = {
    read_globals = {
        "C", "barrier", "clock", "cuda", "expect", "fault", "nccl", "nranks", "param", "rank",
        "scenario", "skip", "sleep", "spawn", "store", "stream", "world",
    },
}
files["src/api"] = { max_line_length = 120 } -- a table, one function per row
files["scenarios"] = scenario
files["tests/bench"] = scenario
files["tests/cli"] = scenario
files["tests/hangs"] = scenario
files["tests/twins"] = scenario
files["tests/unit/plants"] = scenario

-- Declarations for editors: bodies are empty on purpose.
files["lua/library"] = { ignore = { "111", "112", "121", "122", "131", "212", "221", "241", "631" } }
