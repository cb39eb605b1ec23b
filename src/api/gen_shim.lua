-- The exports of the drop-in libraries: each function of the table under its own name, with the
-- simulator's token around it.
return function(given)
  local api, output, wrapped, parameters = given.api, given.output, given.wrapped, given.parameters

  local function begin(path, text)
    local line = output(path, "/* " .. given.note)
    line(" * %s */", text)
    line "#include \"shim/shim.h\""
    line ""
    line "#define DECLARE(name) extern __typeof__(*((struct ncs_api *)0)->name) name"
    return line
  end

  local split = given.split

  -- The arguments that say as which rank of which id the caller joins a communicator.
  local function joins(fn)
    local rank, id
    for _, a in ipairs(fn.list) do
      if a.name == "rank" or a.name == "myrank" then rank = a.name end
      if a.kind.name == "id" then id = "&" .. a.name .. ", 1" end
      if a.kind.name == "ids" then id = a.name .. ", nId" end
      if a.kind.name == "id_in" then id = a.name .. ", 1" end
    end
    return rank and id and ("%s, %s"):format(id, rank)
  end

  local function define(line, fn, name, body)
    line ""
    wrapped(line, ("%s("):format(given.declare(fn.result, name)), split(parameters(fn)), ")", 4)
    line "{"
    line("    const struct ncs_api *api = ncs_shim_enter(NCS_FN_%s);", fn.name)
    line "    if (!api)"
    line("        return%s;", fn.is_void and "" or fn.is_text and " \"\"" or
      (" (%s)ncs_shim_refusal()"):format(fn.result))
    body()
    line "}"
  end

  local function plain(line, fn, changed)
    local names = {}
    for i, a in ipairs(fn.list) do names[i] = changed and changed(a) or a.name end
    local join = joins(fn)
    if join then
      line("    if (!ncs_shim_join(%s))", join)
      line("        return (%s)ncs_shim_refusal();", fn.result)
    end
    local head = fn.is_void and "" or given.declare(fn.result, "rc") .. " = "
    wrapped(line, ("    %sapi->%s("):format(head, fn.name), names, ");", 8)
    line "    ncs_shim_leave();"
    if not fn.is_void then line "    return rc;" end
  end

  local function nccl()
    local line = begin("src/shim/gen/nccl.c", "What libnccl exports.")
    line "#define ALSO(name, also) extern __typeof__(name) also __attribute__((alias(#name)))"
    for _, fn in ipairs(api.functions) do
      if fn.lib == "nccl" then
        line ""
        line("DECLARE(%s);", fn.name)
        define(line, fn, fn.name, function() plain(line, fn) end)
        line("ALSO(%s, p%s);", fn.name, fn.name)
      end
    end
  end

  -- Programs compiled with a default stream per thread call these names: "ptsz" put a stream of 0 in
  -- the thread's own, "ptds" are done in it.
  local no_stream_meant = { cudaStreamDestroy = true, cudaMemcpyPeerAsync = true }
  local without_stream = { cudaGetDriverEntryPoint = true, cudaGetDriverEntryPointByVersion = true }
  local in_stream = { cudaMemcpy = "cudaMemcpyAsync", cudaMemset = "cudaMemsetAsync",
    cudaMemcpy2D = "cudaMemcpy2DAsync", cudaMemset2D = "cudaMemset2DAsync" }

  local function has_stream(fn)
    for _, a in ipairs(fn.list) do
      if a.kind.ctype == "cudaStream_t" then return not no_stream_meant[fn.name] end
    end
    return without_stream[fn.name]
  end

  local function cuda()
    local line = begin("src/shim/gen/cuda.c", "What libcudart exports.")
    for _, fn in ipairs(api.functions) do
      if fn.lib == "cuda" and not given.by_version[fn.name] then
        line ""
        line("DECLARE(%s);", fn.name)
        define(line, fn, fn.name, function() plain(line, fn) end)
        if has_stream(fn) then
          line ""
          line("extern __typeof__(%s) %s_ptsz;", fn.name, fn.name)
          define(line, fn, fn.name .. "_ptsz", function()
            plain(line, fn, function(a)
              return a.kind.ctype == "cudaStream_t" and ("ncs_shim_own(%s)"):format(a.name)
            end)
          end)
        end
        local async = in_stream[fn.name]
        if async then
          line ""
          line("extern __typeof__(%s) %s_ptds;", fn.name, fn.name)
          define(line, fn, fn.name .. "_ptds", function()
            local names = {}
            for i, a in ipairs(fn.list) do names[i] = a.name end
            names[#names + 1] = "cudaStreamPerThread"
            wrapped(line, ("    cudaError_t rc = api->%s("):format(async), names, ");", 8)
            line "    if (rc == cudaSuccess)"
            line "        rc = api->cudaStreamSynchronize(cudaStreamPerThread);"
            line "    ncs_shim_leave();"
            line "    return rc;"
          end)
        end
      end
    end
  end

  return { nccl = nccl, cuda = cuda }
end
