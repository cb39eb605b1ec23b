scenario {
  about   = "a rank that is not the root uses its receive buffer as if the call had given it a result",
  bug     = { entry = "K4",
              nccl = "no error; the buffer holds what was there before: zeros, an old result, anything" },
  params  = { call = "reduce", use = "copy" },
  matrix  = { ranks = { 2, 4 }, call = { "reduce", "gather" }, use = { "copy", "send_on", "expect" } },
  outcome = function(run)
    local others = {}
    for r = 1, run.nranks - 1 do others[r] = r end
    local finding = { rule = "result-off-root", culprit = others, call = 1, certainty = "undefined" }
    if run.param.use == "expect" then return { wrong = { rank = 1 }, finding = finding, findings = 1 } end
    return { pass = true, finding = finding, findings = 0 }
  end,
}

local x, y = cuda.buffer("float32", 8):fill(1), cuda.buffer("float32", 8 * nranks):fill(0)
if param.call == "reduce" then
  world:reduce(x, y:slice(1, 8), { root = 0 })
else
  world:gather(x, y, { root = 0 })
end

if param.use == "send_on" then
  world:all_reduce(y:slice(1, 8), x) -- every rank adds what it takes for the result
end
stream:sync()
if param.use == "copy" then
  local host = y:get(1, 8) -- a loss to print, a norm to compare: of the root alone
elseif param.use == "expect" then
  expect.equal(y:slice(1, 8), param.call == "reduce" and nranks or 1)
end
