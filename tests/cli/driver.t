# Driver nccl: what is no library, and options that are another driver's.
$ ncclscript run --driver nccl --nccl-lib nowhere/libnccl.so.2 pass.lua
> INVALID  pass.lua  <*> ranks, nccl, seed 0
>   why   --nccl-lib: no file `nowhere/libnccl.so.2`
>   fix   give the path of libnccl.so.2
? 2

$ ncclscript run --driver nccl --nccl-lib . pass.lua
> INVALID  <*>
>   why   --nccl-lib: `.` is a folder
>   fix   <*>
? 2

$ ncclscript run --driver nccl --nccl-lib pass.lua pass.lua
> INVALID  <*>
>   why   --nccl-lib: `pass.lua` cannot be loaded as a shared library: <*>
? 2

$ ncclscript run --driver nccl --nccl-lib libc.so.6 pass.lua
> INVALID  <*>
>   why   --nccl-lib: `libc.so.6` is not NCCL: it has no ncclGetVersion
? 2

$ ncclscript run --nccl-lib libnccl.so.2 pass.lua
! ncclscript: error: --nccl-lib is for --driver nccl, this run is on sim
? 2

$ ncclscript run --driver nccl --seed 3 pass.lua
! ncclscript: error: --seed is for --driver sim, this run is on nccl
? 2

# What runs here: never a failure, whatever is missing.
$ ncclscript doctor
> simulator   works: NCCL 2.26.2, <*>
> NCCL        <*>
> ...
> GPUs        <*>
> ...
> real runs   <*>
> ...

$ ncclscript doctor --nccl-lib nowhere/libnccl.so.2
! ncclscript: error: --nccl-lib: no file `nowhere/libnccl.so.2`
! <*>
? 2

$ ncclscript doctor patient
! ncclscript doctor: takes no operands, `patient` is one
! try `ncclscript doctor --help`
? 2

# Without a launcher there is one process.
$ ncclscript doctor --hosts
! this is the only process: start it with a launcher, as mpirun -np 2 ncclscript doctor --hosts
> simulator   works: NCCL 2.26.2, <*>
> ...

$ ncclscript doctor --rendezvous here:1
! ncclscript doctor: --rendezvous is for --hosts
! <*>
? 2

# The user's variables are for real NCCL: an interface that this host lacks is no fault of the simulator's.
$ NCCL_SOCKET_IFNAME=none7 ncclscript doctor
> simulator   works: NCCL 2.26.2, <*>
> ...
