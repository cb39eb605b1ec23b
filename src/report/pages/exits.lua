-- The exit statuses of the program. Fields: pages.lua.

exit_status { "exit-0", "as expected",
  what = [[
Every run ended as its scenario declares: most pass, a reproducer of a hang hangs. Skipped runs among
others do not count. Of the other commands: nothing was found to be wrong.]],
  also = "exit-status verdict" }

exit_status { "exit-1", "a result was wrong, an expectation failed, or --fail-on counts a finding",
  what = [[
Data that came out other than NCCL promises, an expect or assert of the scenario that did not hold, or
ranks that disagreed without a hang. The report names rank, element, and what was got and wanted.
With run --fail-on also a run that passes with findings that it counts: its verdict stays pass, and the
report ends with the findings that fail it ("failing" in JSON).
Of score, that the bar is not met; of compare, that something differs.]],
  repair = [[
Look at the first of them: what comes later may follow from it.]],
  also = "exit-status verdict note" }

exit_status { "exit-2", "bad usage, or a scenario that does not load",
  what = [[
An option that does not exist, a file that cannot be read, an error of syntax, of YAML or of what
scenario{} declares: no rank has run a statement. What a rank raises later is exit-4.]],
  repair = [[
The message has file, line and column. ncclscript check tells all of a file in one go.]],
  also = "exit-status verdict" }

exit_status { "exit-3", "hang: nothing can ever happen again",
  what = [[
Ranks wait for what never comes. On the simulator that is certain and is told at once; on real hardware
it is told when nothing has come about for --timeout.]],
  see = [[
The report names who waits for whom, the cause, the line and what to change; --format tree shows the
waits. A scenario that declares outcome = { hang = true } ends with 0 then.]],
  also = "exit-status culprit cycle skipped-call" }

exit_status { "exit-4", "a call failed or a rank raised an error, and nothing caught it",
  what = [[
A rank ended with an error: an NCCL or CUDA call failed, the script called error(), or Lua raised one,
such as for an index of nil, a name that does not exist or a wrong argument. If other ranks hang
because of it, that is listed under the error: it is the earliest cause.]],
  see = [[
The report has the message, its file and line, and of a failed call the result; explain has a page for
each result. ncclscript check finds wrong names and arguments before the run. A root or a peer that is
no rank is left to NCCL in a run: its answer is ncclInvalidArgument.]],
  repair = [[
Repair the line. If the error is meant to come, catch it with pcall or expect.error and let the other
ranks know, or declare it: outcome = { error = "ncclInvalidArgument" }, or "lua" for the script's own.]],
  also = "exit-status error-path ncclInvalidArgument" }

exit_status { "exit-5", "nothing was executed",
  what = [[
There was no scenario, no case was left by -k or exclude, or a scenario has no statement but
scenario{}, no step in YAML. A test that does nothing shall not count as passed. Of a program under
exec: it called neither NCCL nor the CUDA runtime here, or found real ones past the drop-in libraries.]],
  also = "exit-status verdict" }

exit_status { "exit-6", "ranks were lost: faults stopped every one",
  what = [[
fault.kill or fault.stall ended every rank, and nobody is left to say that all is well. Where some
ranks go on, it is a pass if they come to their end, and a hang if they wait for the lost ones.]],
  repair = [[
Let at least one rank go on, or declare outcome = { lost = RANK } if that is what is tried.]],
  also = "exit-status rank-lost" }

exit_status { "exit-7", "the memory budget was used up",
  what = [[
A run made the host hold more than --memory allows: device, pinned and managed memory, the scripts'
values, the store, messages under way, labels, the journal and the report count together. Without
--memory a run may hold half of what the system, its control group and its own limits leave; -j shares
that half among its processes. Or the host had no memory left at all. Nothing is said about the program.

Device memory from 32 MiB on counts when it is written, 1 MiB at a time. A call that gets no memory from
the host returns cudaErrorMemoryAllocation, store:set raises an error, and Lua raises "not enough
memory": a script may catch these. What nobody can catch ends the run.]],
  see = [[
The report names the first call that got no memory, or shows where the ranks were.]],
  repair = [[
Give the run more, as in --memory 8G, run fewer cases at a time with -j, or look for what grows without
end.]],
  also = "exit-status cudaErrorMemoryAllocation" }

exit_status { "exit-70", "a fault of ncclscript itself",
  what = [[
Something that it rules out has come about, or its process was ended by a signal.]],
  repair = [[
Report it with the scenario, the seed and the version (ncclscript --version).]],
  also = "exit-status" }

exit_status { "exit-74", "not all of the output could be written",
  what = [[
Standard output, or the file of NCCL_DEBUG_FILE, did not take all there is to say: a full disk, a limit
of file sizes. What was written is cut off somewhere, so no verdict may be read from it.]],
  repair = [[
Make room and run it again. A reader that goes away, as head does, ends the program by SIGPIPE (141 in
a shell) and is none of these.]],
  also = "exit-status" }

exit_status { "exit-77", "skipped: no such driver or hardware here",
  what = [[
The scenario needs real hardware, a newer NCCL or more GPUs than are here, or says skip(reason); the
report tells which. Only where all runs were skipped it is the status.]],
  see = [[
ncclscript doctor says what runs here, and what real runs lack.]],
  also = "exit-status verdict" }

exit_status { "exit-124", "past the time limit, or computing without end",
  what = [[
The run did not end within --timeout of real time, and is no hang as far as can be told: a rank
computes without end, or the run is large. A hang on the simulator is told at once, not by this limit.

Without a time limit, from --timeout or from the scenario, the script of a rank on the simulator may
take 20000000000 of Lua's instructions, about a minute, without a call of NCCL or CUDA by any rank. What
Lua's own functions do counts as instructions. A session at the prompt gives up the line and goes on.]],
  repair = [[
The report tells where the ranks were, or the line that computes. If the work needs it, set --timeout:
then that time is the only limit.]],
  also = "exit-status livelock" }

exit_status { "exit-130", "interrupted",
  what = [[
By Ctrl-C or SIGTERM. The report of what had been run is whole in every format, and tells what was not.]],
  also = "exit-status" }

exit_status { "exit-141", "whoever read the output went away",
  what = [[
The pipe that the output goes to was closed before all was written, as `head -n 1` closes it: SIGPIPE
ended the program, which a shell reports as 128 + 13. That is no verdict. Any other signal N that ends
the program is 128 + N.]],
  repair = [[
Where the status counts, write to a file, or read all of the output.]],
  also = "exit-status exit-74" }
