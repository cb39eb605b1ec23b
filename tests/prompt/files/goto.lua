scenario { ranks = 2 }
local x = 1
goto done
x = 2
::done::
