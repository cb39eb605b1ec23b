-- Writes the headers of include/ncclscript/compat, with which a program is built where NVIDIA's are missing. Names,
-- types and numbers are those of the binary interface; the text is ours.

return function(tools)

local api, output, wrapped, declare = tools.api, tools.output, tools.wrapped, tools.declare

-- Trailing arguments that C++ programs may leave out (CUDA runtime API, declarations for C++).
local optional = {
  cudaEventRecord = "stream", cudaEventRecordWithFlags = "stream flags", cudaStreamWaitEvent = "flags",
  cudaMemcpyAsync = "stream", cudaMemcpy2DAsync = "stream", cudaMemsetAsync = "stream", cudaMallocManaged = "flags",
}

local function prototypes(line, lib)
  line "#ifdef __cplusplus"
  line "extern \"C\" {"
  line "#endif"
  line ""
  for _, fn in ipairs(api.functions) do
    if fn.lib == lib then
      local list = {}
      for i, a in ipairs(fn.list) do
        local leave_out = (" " .. (optional[fn.name] or "") .. " "):find(" " .. a.name .. " ", 1, true)
        list[i] = declare(a.kind.ctype, a.name) .. (leave_out and " NCS_OPTIONAL" or "")
      end
      if #list == 0 then list[1] = "void" end
      wrapped(line, declare(fn.result, fn.name) .. "(", list, ");", 4)
    end
  end
  line ""
  line "#ifdef __cplusplus"
  line "}"
  line "#endif"
end

local function nccl_header()
  local line = output("include/ncclscript/compat/nccl.h", "/* " .. tools.note)
  line " * The functions of NCCL's host API that ncclscript has, for programs that are built without NVIDIA's"
  line " * headers. Include this or NVIDIA's nccl.h, never both. */"
  line "#ifndef NCCLSCRIPT_COMPAT_NCCL_H"
  line "#define NCCLSCRIPT_COMPAT_NCCL_H"
  line ""
  line "#include \"../nccl_abi.h\""
  line "#include \"cuda_runtime_api.h\""
  line ""
  line "#define NCCL_MAJOR 2"
  line "#define NCCL_MINOR 32"
  line "#define NCCL_PATCH 3"
  line "#define NCCL_SUFFIX \"\""
  line "#define NCCL_VERSION_CODE NCCL_VERSION(NCCL_MAJOR, NCCL_MINOR, NCCL_PATCH)"
  line ""
  prototypes(line, "nccl")
  line ""
  line "#endif"
end

-- nvcc needs what its own headers say of kernels.
local function for_nvcc(line, name)
  line "#ifdef __CUDACC__"
  line("#include_next <%s>", name)
  line "#else"
end

local function cuda_header()
  local line = output("include/ncclscript/compat/cuda_runtime_api.h", "/* " .. tools.note)
  line " * The functions of the CUDA runtime 13 that ncclscript simulates, for programs that are built without"
  line " * NVIDIA's headers. Include this or NVIDIA's cuda_runtime_api.h, never both: for nvcc it is NVIDIA's. */"
  for_nvcc(line, "cuda_runtime_api.h")
  line "#ifndef NCCLSCRIPT_COMPAT_CUDA_RUNTIME_API_H"
  line "#define NCCLSCRIPT_COMPAT_CUDA_RUNTIME_API_H"
  line ""
  line "#include \"../cuda_abi.h\""
  line ""
  line "#define CUDART_VERSION 13000"
  line ""
  line "#ifdef __cplusplus"
  line "#define NCS_OPTIONAL = 0"
  line "#else"
  line "#define NCS_OPTIONAL"
  line "#endif"
  line ""
  prototypes(line, "cuda")
  line ""
  line "#endif"
  line "#endif"
end

local function cuda_short_header()
  local line = output("include/ncclscript/compat/cuda_runtime.h", "/* " .. tools.note)
  line " * cuda_runtime_api.h, and for C++ the allocations that take a pointer to any type. For nvcc it is NVIDIA's. */"
  for_nvcc(line, "cuda_runtime.h")
  line "#ifndef NCCLSCRIPT_COMPAT_CUDA_RUNTIME_H"
  line "#define NCCLSCRIPT_COMPAT_CUDA_RUNTIME_H"
  line ""
  line "#include \"cuda_runtime_api.h\""
  line ""
  line "#ifdef __cplusplus"
  for _, name in ipairs { "cudaMalloc", "cudaMallocHost" } do
    line("template <class T> cudaError_t %s(T **memory, size_t bytes)", name)
    line "{"
    line("    return %s((void **)memory, bytes);", name)
    line "}"
  end
  line "#endif"
  line ""
  line "#endif"
  line "#endif"
end

return function()
  nccl_header()
  cuda_header()
  cuda_short_header()
end
end
