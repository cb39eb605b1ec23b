scenario { ranks = 2 }
world:wait_signal({ { op_cnt = 2 } })
