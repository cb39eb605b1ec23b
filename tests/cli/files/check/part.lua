local part = {}
function part.anything(...) return param.of_the_scenario, rnk, ... end
function helper() end
return part
