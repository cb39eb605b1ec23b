-- The functions that drivers put around each other's: a record of each call, and the token of the real
-- libraries given back while one of them runs.
return function(given)
  local api, output, wrapped, declare = given.api, given.output, given.wrapped, given.declare

  local function journal()
    local line = output("src/driver/gen/journal_wrap.c", "/* " .. given.note)
    line " * Every function of the API with a record of its call around it. */"
    line "#include \"driver/journal.h\""
    line ""
    line "#include \"api/journal.h\""
    line ""
    line "static struct ncs_journal *journal;"
    line "static const struct ncs_api *next;"
    for _, fn in ipairs(api.functions) do
      if not fn.direct then
        local args, names = {}, {}
        for i, a in ipairs(fn.list) do
          args[i], names[i] = declare(a.kind.ctype, a.name), a.name
        end
        line ""
        wrapped(line, ("static %s("):format(declare(fn.result, "wrap_" .. fn.name)),
          #args == 0 and { "void" } or args, ")", 4)
        line "{"
        line("    struct ncs_call *call = ncs_journal_enter(journal, NCS_FN_%s);", fn.name)
        for i, a in ipairs(fn.list) do
          line("    call->arg[%d].%s = %s%s;", i - 1, a.kind.member,
            a.kind.by_value and "&" or a.kind.member == "f" and "(void (*)(void))" or "", a.name)
        end
        if fn.is_void or fn.is_text then
          line "    ncs_journal_begin(journal, call);"
          wrapped(line, ("    %snext->%s("):format(fn.is_void and "" or fn.result .. " rc = ", fn.name),
            names, ");", 8)
        else
          line("    %s rc = (%s)ncs_journal_begin(journal, call);", fn.result, fn.result)
          line "    if (rc == 0 && !call->withdrawn)"
          wrapped(line, ("        rc = next->%s("):format(fn.name), names, ");", 12)
        end
        line("    ncs_journal_leave(journal, call, %s);", fn.is_void and "0" or "(int)rc")
        if not fn.is_void then line "    return rc;" end
        line "}"
      end
    end
    line ""
    line "const struct ncs_api *ncs_journal_wrap(struct ncs_journal *j, const struct ncs_api *api)"
    line "{"
    line "    static struct ncs_api wrapped;"
    line ""
    line "    journal = j;"
    line "    next = api;"
    line "    wrapped = (struct ncs_api){ 0 };"
    line "    ncs_journal_ask(j, api);"
    for _, fn in ipairs(api.functions) do
      if fn.direct then
        line("    wrapped.%s = api->%s;", fn.name, fn.name)
      else
        line("    if (api->%s)", fn.name)
        line("        wrapped.%s = wrap_%s;", fn.name, fn.name)
      end
    end
    line "    return &wrapped;"
    line "}"
  end

  -- Functions that end a group, and whether only to estimate it; and those that end a communicator.
  local ends_group = { ncclGroupEnd = "false", ncclGroupSimulateEnd = "true" }
  local function leaves(fn) return fn.ends == "comm" or fn.name == "ncclCommRevoke" end

  -- The opened libraries' functions with the token given back around each.
  local function real()
    local line = output("src/driver/gen/real_wrap.c", "/* " .. given.note)
    line " * Every function of the opened libraries, with the token given back while it runs. */"
    line "#include \"driver/stage.h\""
    line "#include \"driver/token.h\""
    line ""
    line "static const struct ncs_api *next;"
    local function is_wrapped(fn)
      return fn.lib ~= "ext" and not fn.direct and not fn.is_text
    end
    for _, fn in ipairs(api.functions) do
      if is_wrapped(fn) then
        local args, names = {}, {}
        for i, a in ipairs(fn.list) do
          args[i], names[i] = declare(a.kind.ctype, a.name), a.name
        end
        line ""
        wrapped(line, ("static %s("):format(declare(fn.result, "real_" .. fn.name)),
          #args == 0 and { "void" } or args, ")", 4)
        line "{"
        local stream, comm
        for _, a in ipairs(fn.list) do
          if a.kind.name == "stream" then stream = a.name end
          if a.kind.name == "comm" then comm = a.name end
        end
        local launches, ends = fn.counted and stream, ends_group[fn.name]
        if launches then line("    ncs_stage_begin(NCS_FN_%s, %s);", fn.name, comm) end
        if ends then line("    ncs_stage_group_ending(%s);", ends) end
        if leaves(fn) then line("    ncs_stage_leaves(NCS_FN_%s, %s);", fn.name, comm) end
        line "    bool held = ncs_token_leave();"
        local head = fn.is_void and "" or fn.result .. " rc = "
        wrapped(line, ("    %snext->%s("):format(head, fn.name), names, ");", 8)
        line("    ncs_token_take(held, NCS_FN_%s, %s);", fn.name, fn.is_void and "0" or "(int)rc")
        if launches then line "    ncs_stage_end((int)rc);" end
        if fn.name == "ncclCommGetAsyncError" then
          line "    if (rc == ncclSuccess && *asyncError == ncclSuccess)"
          line "        ncs_stage_ready(comm);"
        end
        if fn.name == "ncclGroupStart" then line "    ncs_stage_group_started();" end
        if ends then line("    ncs_stage_group_ended(%s, (int)rc);", ends) end
        if not fn.is_void then line "    return rc;" end
        line "}"
      end
    end
    line ""
    line "void ncs_real_wrap(const struct ncs_api *api, struct ncs_api *out)"
    line "{"
    line "    next = api;"
    line "    *out = *api;"
    for _, fn in ipairs(api.functions) do
      if is_wrapped(fn) then
        line("    if (api->%s)", fn.name)
        line("        out->%s = real_%s;", fn.name, fn.name)
      end
    end
    line "}"
  end

  return { journal = journal, real = real }
end
