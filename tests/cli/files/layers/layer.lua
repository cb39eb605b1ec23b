local layer = {}

function layer.reduce(x, skip)
  if not skip then world:all_reduce(x, { label = "layer" }) end
end

return layer
