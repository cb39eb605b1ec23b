# Standard input that does not block, as some shells and programs leave a pipe, is read to its end.
$ printf 'scenario { ranks = 2 }\nlocal x = cuda.buffer("float32", 8)\nworld:all_reduce(x)\nstream:sync()\n' >piped.lua; python3 nonblocking.py piped.lua ncclscript run -
> PASS  -  2 ranks, sim, seed 0: <*>
$ printf 'rank\nnranks\n' >typed; python3 nonblocking.py typed ncclscript repl -n 2
> 0  0
> 1  1
> 0, 1  2
