scenario {
  ranks = 2, needs = { nccl = "2.30.7" },
  about = "every field of a communicator's configuration reaches NCCL",
}

-- What NCCL says of a value that no field takes names the field as C does.
local named = {
  blocking = "blocking", cga_cluster_size = "cgaClusterSize", split_share = "splitShare",
  shrink_share = "shrinkShare", collnet_enable = "collnetEnable", cta_policy = "config policy attribute",
  min_ctas = "min/max channels attribute value %-7/", max_ctas = "min/max channels attribute value .*/%-7",
  nvls_ctas = "nvlsCTAs", n_channels_per_net_peer = "nChannelsPerNetPeer",
  nvlink_centric_sched = "nvlinkCentricSched", graph_usage_mode = "graphUsageMode",
  num_rma_ctx = "numRmaCtx", max_p2p_peers = "maxP2pPeers", graph_stream_ordering = "graphStreamOrdering",
}
for r = 0, nranks - 1 do -- one at a time: where ranks share a process, they share the last error
  for field, text in pairs(rank == r and named or {}) do
    local e = expect.error("ncclInvalidArgument", world.split, world, { color = 0, [field] = -7 })
    expect.that(e.detail:find(text), e.detail)
  end
  barrier()
end

-- The others take anything. The name is the script's own, and NCCL's too unless it has another.
local row = world:split {
  color = 0, key = rank, name = "row", comm_name = "ROW", net_name = "Socket", traffic_class = 3,
  blocking = true, split_share = true,
}
expect.equal(row.name, "row")
expect.equal(row.state, "ready")
row:destroy()
