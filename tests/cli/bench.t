@ jq
# A command line of nccl-tests, and its columns in its order. Times are the host's: any number.
$ ncclscript bench ./build/all_reduce_perf -b 8 -e 128 -f 4 -g 4 -n 2
> # ncclscript <*>, driver sim: 4 ranks
> # Times are those of this host, which simulates: they say nothing of a GPU.
> # nThread 1 nGpus 4 minBytes 8 maxBytes 128 step: 4(factor) warmup iters: 1 iters: 2 agg iters: 1 validation: 1 graph: 0
> #
> # Collective test starting: all_reduce
> #
> #                                                              out-of-place                         in-place
> #       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
> #        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
>            8             2     float     sum      -1<*>0<*>0
>           32             8     float     sum      -1<*>0<*>0
>          128            32     float     sum      -1<*>0<*>0
> # Out of bounds values : 0 OK
> # Avg bus bandwidth    : <*>
> #

# Virtual time is the simulator's model, the same on every machine: 10 us for a call, its bytes at 100 GB/s.
$ ncclscript bench all --clock virtual -g 4 -b 1M -e 1M -n 3 | grep -v '^#'
>      1048576        262144     float     sum      -1    20.48   51.19   76.78       0    20.48   51.19   76.78       0
>      1048576         65536     float    none      -1    20.48   51.19   38.39       0    20.48   51.19   38.39       0
>      1048576         65536     float     sum      -1    20.48   51.19   38.39       0    20.48   51.19   38.39       0
>      1048576        262144     float    none       0    20.48   51.19   51.19       0    20.48   51.19   51.19       0
>      1048576        262144     float     sum       0    20.48   51.19   51.19       0    20.48   51.19   51.19       0
>      1048576         65536     float    none      -1    12.62   83.08   62.31       0    12.62   83.08   62.31     N/A
>      1048576         65536     float    none       0    12.62   83.08   62.31       0    12.62   83.08   62.31       0
>      1048576         65536     float    none       0    12.62   83.08   62.31       0    12.62   83.08   62.31       0
>      1048576        262144     float    none      -1    20.48   51.19   51.19       0    20.48   51.19   51.19     N/A
>      1048576         65536     float    none      -1    40.48   19.43   19.43       0    27.86   28.22   28.22       0

# A machine's links: more for large sizes, and the same on every machine.
$ ncclscript bench all_reduce --model hgx-h100 -b 8 -e 8M -f 1048576 -n 2 -c 0 | grep -v '^# [^T]'
> # Times are virtual, by the model hgx-h100: 8 H100 SXM5 with NVSwitch, 8 NDR NICs.
> #
> #
>            8             2     float     sum      -1    15.00    0.00    0.00     N/A    15.00    0.00    0.00     N/A
>      8388608       2097152     float     sum      -1    55.58  150.92  264.11     N/A    55.58  150.92  264.11     N/A
> #
$ for g in 8 16; do ncclscript bench alltoall --model hgx-a100 -g $g -b 1M -e 1M -n 1 --format json | jq -c '[.model, .clock, (.results[0].out_of_place.time | round)]'; done
> ["hgx-a100","virtual",16]
> ["hgx-a100","virtual",45]
$ ncclscript run --model hgx-h100 -v labelled.lua | grep -o 'virtual time .* on [^,]*'
> virtual time <*> us on hgx-h100
$ ncclscript run --model hgx-h100 --format json labelled.lua | jq -r .model
> hgx-h100
$ ncclscript bench all_reduce --model hgx-a100 --clock host
! ncclscript bench: --model makes virtual times: it does not go with --clock host
! try `ncclscript bench --help`
? 2
$ ncclscript bench all_reduce --model dgx
! ncclscript bench: `--model dgx`: expected `plain`, `hgx-a100` or `hgx-h100`
! <*>try `ncclscript bench --help`
? 2

# Every type, operator and root.
$ ncclscript bench reduce -d all -o all -r all -g 3 -b 96 -e 96 -n 1 --format json | jq -c '[(.results | length), ([.results[].type] | unique | length), ([.results[].redop] | unique | length), ([.results[].root] | unique), ([.results[] | .out_of_place.nwrong, .in_place.nwrong] | add)]'
> [216,12,6,[0,1,2],0]

# Ways of waiting, aggregated calls, times of single calls, registered and unaligned buffers.
$ for way in '-z 1' '-z 2' '-z 3' '-y 1' '-C 1' '-R 1' '-u 3' '-m 5' '-p 1' '-N 2' '-a 0' '-a 2' '-a 3' '-I 1 -K 2' '-c 3' '-c 0'; do ncclscript bench all_gather -b 64 -e 64 -g 2 -n 4 $way --format json | jq -c '[(.results | length), .results[0].in_place.nwrong, .results[0].in_place.time > 0]'; done | LC_ALL=C sort | uniq -c | sed 's/^ *//'
> 14 [1,0,true]
> 1 [1,null,true]
> 1 [2,0,true]
$ ncclscript bench all_gather -b 64 -e 64 -g 2 -n 4 -I 1 -K 1 --clock virtual --format json | jq -c '.results[0].out_of_place_per_iter | map_values(if type == "array" then map(round) else round end)'
> {"min_us":10,"max_us":10,"avg_us":10,"p50_us":10,"p95_us":10,"p99_us":10,"stdev_us":0,"cv_pct":0,"times_us":[10,10,10,10]}

$ ncclscript bench all_gather -b 64 -e 64 -g 2 --format json | jq -c '[.schema, .version, .driver, .ranks]'
> ["ncclscript.bench/1",1,"sim",2]

# Comparison: equal virtual times are not slower; times beyond the threshold are, with exit status 1.
$ ncclscript bench sendrecv -b 1K -e 4K -f 2 -g 2 -n 2 --clock virtual -J old.json >/dev/null
$ ncclscript bench sendrecv -b 1K -e 4K -f 2 -g 2 -n 2 --clock virtual --compare old.json | tail -1
> # Compared with old.json: 6 times, 0 slower by more than 5 %
$ jq '.results[1].in_place.time = 9' old.json >older.json
$ ncclscript bench sendrecv -b 1K -e 4K -f 2 -g 2 -n 2 --clock virtual --compare older.json | tail -2; exit ${PIPESTATUS[0]}
> # Compared with older.json: 6 times, 1 slower by more than 5 %
> #   sendrecv, 2048 B, float, in place: 10.02 us, was 9.00 us (+11.3 %)
? 1
$ ncclscript bench sendrecv -b 1K -e 4K -f 2 -g 2 -n 2 --clock virtual --compare older.json --threshold 20% | tail -1
> # Compared with older.json: 6 times, 0 slower by more than 20 %
$ ncclscript bench sendrecv -b 1M -e 1M -g 2 -n 2 --clock virtual --compare old.json | tail -1; exit ${PIPESTATUS[0]}
> # Compared with old.json: it has none of these figures
? 5
$ ncclscript bench sendrecv -b 1K -e 1K -g 2 -n 2 --compare old.json
! old.json: error: these are times of the virtual clock, this run has --clock host
? 2
$ ncclscript bench sendrecv -b 1K -e 1K -g 3 -n 2 --clock virtual --compare old.json
! old.json: error: these are times of 2 ranks, this run has 3
? 2
$ echo '{"results": 3}' >bad.json; ncclscript bench sendrecv --compare bad.json
! bad.json: error: no list `results`, as bench and nccl-tests write with -J
? 2
$ printf '{"results":\n [,]}' >bad.json; ncclscript bench sendrecv --compare bad.json
! bad.json:2:3: error: no JSON: <*>
! ...
? 2
$ ncclscript bench sendrecv --compare missing.json
! missing.json: error: <*>
! ...
? 2

# The memory budget lowers the largest size, as nccl-tests does.
$ ncclscript bench all_reduce -b 1K -e 1G -f 1048576 -g 2 -n 1 --memory 64M | grep -c Reducing
> 1

# The calls of a scenario, by label, in virtual time.
$ ncclscript bench --scenario labelled.lua -g 4
> PASS  labelled.lua  4 ranks<*>
> # Times are virtual, by the model plain: 10 us for each operation, and its bytes at 100 GB/s.
> # label                 call                calls  ranks         size      time     least       p50       p95      most   algbw   busbw
> #                                                                 (B)      (us)      (us)      (us)      (us)      (us)  (GB/s)  (GB/s)
>   gradients             AllReduce               3      4         4096     10.04     10.04     10.04     10.04     10.04    0.41    0.61
>   line 6                AllGather               1      4        16384     10.16     10.16     10.16     10.16     10.16    1.61    1.21
> # 40.<*> us from the first begin to the last end; in 40.<*> us at least one call was in progress
$ ncclscript bench --scenario labelled.lua --format json 2>/dev/null | jq -c '[.schema, .clock, (.results[] | [.label, .line, .call, .calls, .ranks, .size, (.time.times_us | length)])]'
> ["ncclscript.bench-scenario/1","virtual",["gradients",4,"ncclAllReduce",3,2,4096,3],[null,6,"ncclAllGather",1,2,8192,1]]
$ ncclscript bench all_reduce --scenario labelled.lua
! ncclscript bench: a collective or --scenario, not both
! try `ncclscript bench --help`
? 2
$ ncclscript bench --scenario labelled.lua -n 3
! ncclscript bench: --iters does not go with --scenario, which has calls of its own
! try `ncclscript bench --help`
? 2
$ ncclscript bench --scenario nowhere.lua
! nowhere.lua: error: cannot be opened: No such file or directory
? 2
$ ncclscript bench --scenario hang.lua >/dev/null
? 3

# Bad input.
$ ncclscript bench
! ncclscript bench: no collective was given
! try `ncclscript bench --help`
? 2
$ ncclscript bench all_redu
! ncclscript bench: unknown collective `all_redu`: expected all_reduce, all_gather, <*>, hypercube, or all
! did you mean `all_reduce`? try `ncclscript bench --help`
? 2
$ ncclscript bench all_reduce -b 1M -e 1K
! ncclscript bench: --minbytes is larger than --maxbytes
! try `ncclscript bench --help`
? 2
$ ncclscript bench all_reduce -n 2 -I 1 -K 2
! ncclscript bench: --per_iter_skip leaves none of the --iters calls
! try `ncclscript bench --help`
? 2
$ ncclscript bench broadcast -r 8 -g 8
! ncclscript bench: --root is no rank: there are -t times -g
! try `ncclscript bench --help`
? 2
$ ncclscript bench all_reduce --compare old.json --threshold five
! ncclscript bench: `--threshold five`: expected a percentage, as 5%
! try `ncclscript bench --help`
? 2
$ ncclscript bench all_reduce -G -1
! ncclscript bench: `--cudagraph -1`: expected <*>
! try `ncclscript bench --help`
? 2
$ ncclscript bench all_reduce -G 2 -z 1
! ncclscript bench: --blocking waits after calls, and nothing can wait inside a graph: it does not go with --cudagraph
! try `ncclscript bench --help`
? 2
$ ncclscript bench all_reduce -G 2 -I 1
! ncclscript bench: --per_iter_timing times single calls: it does not go with --cudagraph
! try `ncclscript bench --help`
? 2
$ ncclscript bench all_reduce -G 2 -y 1
! ncclscript bench: the default stream cannot be captured: --stream_null does not go with --cudagraph
! try `ncclscript bench --help`
? 2
# Launches of a graph are timed, and verified.
$ for G in 0 3; do ncclscript bench all_reduce -g 4 -b 4K -e 4K -m 2 -G $G --clock virtual --format json | jq -c '[.config.graph, .results[0].out_of_place.time, .results[0].out_of_place.nwrong]'; done
> [0,<*>,0]
> [3,<*>,0]
$ ncclscript bench hypercube -g 6 | tail -1; exit ${PIPESTATUS[0]}
> # left out: it needs a number of ranks that is a power of 2, not 6
? 5
$ ncclscript bench all_reduce -b 8 -e 8 -J /nowhere/x.json >/dev/null
! <*>/nowhere/x.json<*>
! ...
? 74

# What recent command lines of nccl-tests hold: symmetric windows, a CTA policy, the time of day, memory.
$ ncclscript bench ./all_reduce_perf -b 64 -e 64 -g 4 -n 2 -R 2 -x 1 -V 16 -D 0 -G 0 -p 1 -S 1 -M 1
> # ncclscript <*>
> #<*>
> #<*>
> #
> # Collective test starting: all_reduce
> #
> #<*>out-of-place<*>in-place
> #<*>#wrong            timestamp
> #<*>YYYY-MM-DD hh:mm:ss
>           64            16     float     sum      -1<*>0<*>0  <*>-<*>-<*>:<*>:<*>
> # GPU memory usage     : Initialization <*> | User-Allocated <*> | Collective <*> | Total <*>
> # Out of bounds values : 0 OK
> # Avg bus bandwidth    : <*>
> #
$ for r in 0 1 2; do ncclscript bench all -g 4 -n 1 -b 64 -e 64 -R $r --format json | jq -c '[(.results | length), ([.results[] | .out_of_place.nwrong, .in_place.nwrong] | add)]'; done
> [10,0]
> [10,0]
> [10,0]
$ ncclscript bench all_reduce -V 128
! ncclscript bench: `--device_cta_count 128`: expected a whole number from 1 to 127
! try `ncclscript bench --help`
? 2
