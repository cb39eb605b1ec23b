# The version that the simulator is: declared, or given, which wins.
$ ncclscript run version.lua
> [0] 22809	2.28.9	unknown result code	true	false
> PASS  version.lua  1 rank, sim, seed 0: 0 results verified, <*> calls
$ ncclscript run --nccl-version 2.30.7 version.lua
> [0] 23007	2.30.7	timeout	true	true
> PASS  version.lua  1 rank, sim, seed 0: 0 results verified, <*> calls
$ ncclscript run --nccl-version 2.26.2 version.lua | head -n 1
> [0] 22602	2.26.2	unknown result code	true	false
$ ncclscript run --nccl-version 2.32.3 version.lua | head -n 1
> [0] 23203	2.32.3	timeout	true	true

$ ncclscript run --nccl-version 2.25.1 version.lua
! ncclscript run: `--nccl-version 2.25.1`: expected `2.26.2`, `2.27.3`, `2.27.5`, <*>, `2.31.2` or `2.32.3`
! <*>try `ncclscript run --help`
? 2
$ ncclscript run unknown_version.lua
! unknown_version.lua:1:39: error: sim: nccl = `2.25.1`: the simulator can be NCCL 2.26.2, <*>, 2.31.2 or 2.32.3
!     1 | scenario { ranks = 1, sim = { nccl = "2.25.1" } }
!       |                                       ^^^^^^
? 2

# What a version lacks is absent, and what needs a newer one is left out.
$ ncclscript run --nccl-version 2.28.9 absent.lua
> ERROR  absent.lua  1 rank, sim, seed 0
>     rank 0  ncclParamBind: ncclParamBind is not in the library that was opened: NCCL has it since 2.30.4    line 3
>   code  3 | C.ncclParamBind("NCCL_DEBUG")
? 4
$ ncclscript run --nccl-version 2.28.9 newer.lua
> SKIPPED  newer.lua  1 rank, sim, seed 0: needs NCCL 2.29.0 or newer, this is 2.28.9
? 77
$ ncclscript run --nccl-version 2.29.2 newer.lua
> PASS  newer.lua  1 rank, sim, seed 0: <*>

@ jq
$ ncclscript run --format json version.lua newer.lua --nccl-version 2.28.9 | jq -c '[.verdict, .nccl]'
> ["pass","2.28.9"]
> ["skipped","2.28.9"]
$ ncclscript run --format json version.lua newer.lua | jq -c '[.verdict, .nccl]'
> ["pass","2.28.9"]
> ["pass","2.32.3"]

# A failure of CUDA's inside NCCL: the version decides what the thread's last error of CUDA is then.
$ ncclscript run --nccl-version 2.28.9 cuda_error.lua | head -n 2
> [0] 1	Cuda failure 'invalid resource handle'	400
> [1] 1	Cuda failure 'invalid resource handle'	400
$ ncclscript run --nccl-version 2.29.7 cuda_error.lua | head -n 2
> [0] 1	Cuda failure 'invalid resource handle'	0
> [1] 1	Cuda failure 'invalid resource handle'	0

# Several ranks on one GPU.
$ ncclscript run --nccl-version 2.29.7 shared_gpu.lua | head -n 1
> [0] false	ncclInvalidUsage	Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 10000
$ ncclscript run shared_gpu.lua | grep -o 'false.*MULTI_RANK.*=1' | wc -l
> 2
$ NCCL_MULTI_RANK_GPU_ENABLE=1 ncclscript run shared_gpu.lua
> [0] true	false	false
> [1] true	false	false
> PASS  <*>
$ NCCL_MULTI_RANK_GPU_ENABLE=1 ncclscript run --nccl-version 2.29.7 shared_gpu.lua | grep -c Duplicate
> 2
$ NCCL_MULTI_RANK_GPU_ENABLE=1 NCCL_NVLS_ENABLE=1 ncclscript run shared_gpu.lua | grep -c 'ncclInvalidUsage	NCCL_NVLS_ENABLE'
> 2

# What registering a window, and a field of a configuration, say by version.
$ ncclscript run --nccl-version 2.27.5 window_version.lua | head -n 1
> [0] 0	nil	0	false	buffer <*> (baseAddr <*> align 1) size 64 (baseSize 16384 align 0) does not satisfy symmetric registration requirements
$ ncclscript run --nccl-version 2.28.9 window_version.lua | head -n 1
> [0] 0	nil	1	false	Cuda failure 1 'invalid argument'
$ ncclscript run --nccl-version 2.32.3 window_version.lua | head -n 1
> [0] 4	nil	1	false	Cuda failure 1 'invalid argument'
$ ncclscript run --nccl-version 2.27.5 config_version.lua | head -n 1
> [0] Invalid config min/max channels attribute value 2/-2147483648	taken	taken
$ ncclscript run --nccl-version 2.30.7 config_version.lua | head -n 1
> [0] Invalid config min/max channels attribute value 2/-2147483648	Invalig config graphUsageMode attribute value 7	taken
$ ncclscript run --nccl-version 2.32.3 config_version.lua | head -n 1
> [0] taken	Invalid config graphUsageMode attribute value 7	Invalid config hostCftMode attribute value 7

# The log of a communicator's end.
$ NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=ALL ncclscript run --nccl-version 2.30.7 window_version.lua | grep -c 'busId [0-9a-f]* - Destroy COMPLETE'
> 2
$ NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=ALL ncclscript run --nccl-version 2.31.2 window_version.lua | grep -c 'commId 0x[0-9a-f]* - Destroy COMPLETE'
> 2
