-- A module, for raised.lua.
local raises = {}

function raises.boom()
  error("boom")
end

return raises
