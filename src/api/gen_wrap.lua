-- Writes the rows of src/api/gen/functions.def, from which rooms that wrap every function define
-- their wrappers.
return function(given)
  local api, output, wrapped, declare = given.api, given.output, given.wrapped, given.declare

  -- A program compiled for a default stream per thread calls these CUDA functions by other names:
  -- _ptsz takes stream 0 as the thread's own stream, _ptds makes the call wait for that stream.
  local no_stream_meant = { cudaStreamDestroy = true, cudaMemcpyPeerAsync = true }
  local in_stream = { cudaMemcpy = true, cudaMemset = true, cudaMemcpy2D = true, cudaMemset2D = true }
  -- Functions that differ between major versions of the CUDA runtime, or need libcuda, are written by hand.
  local by_hand = { cudaGetDeviceProperties = true, cudaRuntimeGetVersion = true, cudaMemAdvise = true,
                    cudaMemPrefetchAsync = true, cudaGetDriverEntryPoint = true,
                    cudaGetDriverEntryPointByVersion = true, cudaStreamGetCaptureInfo = true }

  local function export(fn)
    if fn.lib == "ext" or by_hand[fn.name] then return "NONE" end
    if fn.lib == "nccl" then return "NCCL" end
    local stream = false
    for _, a in ipairs(fn.list) do
      stream = stream or a.kind.name == "stream" and not no_stream_meant[fn.name]
    end
    return stream and "CUDA_PTSZ" or in_stream[fn.name] and "CUDA_PTDS" or "CUDA"
  end

  local function kind(fn)
    assert(not fn.direct == not fn.is_text, fn.name .. ": texts are direct, and nothing else")
    return fn.is_text and "TEXT" or fn.is_void and "VOID" or fn.counted and "COUNTED" or "CODE"
  end

  local function functions()
    local line = output("src/api/gen/functions.def", "/* " .. given.note)
    line " * NCS_FUNCTION(kind, export, result, name, (parameters), (arguments), the same as union ncs_arg)"
    line " *   kind    CODE: returns a code; COUNTED: such a one that communicates; VOID; TEXT: not journalled"
    line " *   export  NCCL, CUDA: under its name by that library; CUDA_PTSZ, CUDA_PTDS: that form too; NONE */"
    for _, fn in ipairs(api.functions) do
      local parameters, names, arguments = {}, {}, {}
      for i, a in ipairs(fn.list) do
        parameters[i], names[i] = declare(a.kind.ctype, a.name), a.name
        arguments[i] = ("{ .%s = %s%s }"):format(a.kind.member,
          a.kind.by_value and "&" or a.kind.member == "f" and "(void (*)(void))" or "", a.name)
      end
      local items = { kind(fn), export(fn), fn.result, fn.name }
      local function add(list, empty)
        for i, item in ipairs(#list == 0 and { empty } or list) do
          items[#items + 1] = (i == 1 and "(" or "") .. item .. (i >= #list and ")" or "")
        end
      end
      add(parameters, "void")
      add(names, "")
      for _, a in ipairs(#arguments == 0 and { "{ 0 }" } or arguments) do items[#items + 1] = a end
      wrapped(line, "NCS_FUNCTION(", items, ")", 4)
    end
  end

  return { functions = functions }
end
