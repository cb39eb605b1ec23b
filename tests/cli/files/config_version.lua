-- Fields of a configuration that only some versions refuse.
scenario { ranks = 1 }
local function try(config)
  local ok, e = pcall(world.split, world, config)
  return ok and "taken" or e.detail
end
print(try { color = 0, min_ctas = 2 }, try { color = 0, graph_usage_mode = 7 }, try { color = 0, host_cft_mode = 7 })
