# Without NCCL_DEBUG there is no log.
$ ncclscript run log.lua
> [0] done
> [1] done
> PASS  log.lua  2 ranks, sim, seed 0: 2 results verified, <*> calls

# Warnings are dated, in virtual time, and stand where they arose among what the ranks print.
$ NCCL_DEBUG=WARN ncclscript run log.lua
> NCCL version 2.32.3+cuda13.0
> [<*>] host0:0:0 [0] NCCL WARN Broadcast : invalid root 2 (root should be in the 0..2 range)
> [0] done
> [1] done
> PASS  log.lua  2 ranks, sim, seed 0: 2 results verified, <*> calls
$ NCCL_DEBUG=version ncclscript run --nccl-version 2.28.9 log.lua | head -n 1
> NCCL version 2.28.9+cuda13.0

# Subsystems: INIT and ENV unless others are named, or all but one.
$ NCCL_DEBUG=INFO NCCL_CHECK_POINTERS=1 ncclscript run log.lua | grep -v PASS
> host0:0:0 [0] NCCL INFO NCCL_CHECK_POINTERS set by environment to 1.
> host0:0:0 [0] NCCL INFO NCCL version 2.32.3+cuda13.0
> ...
> host0:1:0 [1] NCCL INFO ncclCommInitRank comm 0x2 rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 11000 commId 0x<*> - Init COMPLETE
> ...
# The end of a communicator has a subsystem of its own, since 2.30.3.
$ NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=DESTROY ncclscript run log.lua | grep ':0:0.*comm'
> host0:0:0 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 10000 commId 0x<*> - Destroy COMPLETE
$ NCCL_DEBUG=INFO ncclscript run --nccl-version 2.29.7 log.lua | grep -c 'Destroy COMPLETE'
> 2
$ NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL ncclscript run log.lua | grep AllReduce
> host0:0:0 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f<*> recvbuff 0x7f<*> count 8 datatype 7 op 0 root 0 comm 0x1 [nranks=2] stream 0x<*>
> host0:1:0 [1] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f<*> recvbuff 0x7f<*> count 8 datatype 7 op 0 root 0 comm 0x2 [nranks=2] stream 0x<*>
$ NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=^INIT ncclscript run log.lua | grep -c Init
> 0
? 1
$ NCCL_DEBUG=TRACE NCCL_DEBUG_SUBSYS=CALL ncclscript run log.lua | grep 'host0:1.*CALL'
> host0:1:0 NCCL CALL ncclCommInitRank(0x2, 2, 0x<*>, 1, 1)
> host0:1:0 NCCL CALL ncclAllReduce(7f<*>,7f<*>,8,7,0,0,0x2,0x4)

# The same bytes in every run, whatever the ranks are.
$ export NCCL_DEBUG=TRACE NCCL_DEBUG_SUBSYS=ALL; cmp <(ncclscript run --seed 3 log.lua) <(ncclscript run --seed 3 --ranks-as thread log.lua)

# A report for machines has standard output for itself.
$ NCCL_DEBUG=WARN ncclscript run --format json log.lua 2>/dev/null | wc -l
> 1
$ NCCL_DEBUG=WARN ncclscript run --format json log.lua >/dev/null
! NCCL version 2.32.3+cuda13.0
! [<*>] host0:0:0 [0] NCCL WARN Broadcast : invalid root 2 (root should be in the 0..2 range)
$ NCCL_DEBUG=INFO ncclscript run -q log.lua

# Into files, by virtual host and process. A script may not choose them.
$ NCCL_DEBUG=WARN NCCL_DEBUG_FILE=nccl.%h.%p ncclscript run log.lua && cat nccl.host0.0; ls nccl.*
> [0] done
> [1] done
> PASS  log.lua  2 ranks, sim, seed 0: 2 results verified, <*> calls
> NCCL version 2.32.3+cuda13.0
> [<*>] host0:0:0 [0] NCCL WARN Broadcast : invalid root 2 (root should be in the 0..2 range)
> nccl.host0.0
$ ncclscript run log_file.lua
! log_file.lua:1:31: error: env: 'NCCL_DEBUG_FILE' needs --unsafe: <*>
!     1 | scenario { ranks = 1, env = { NCCL_DEBUG_FILE = "elsewhere" } }
!       |                               ^^^^^^^^^^^^^^^
? 2
