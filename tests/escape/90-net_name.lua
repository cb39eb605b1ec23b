-- status: 4
-- never: /tmp/net.so:
-- A network by the name of a library, in a configuration instead of the environment.
scenario { ranks = 1, world = { net_name = "/tmp/net.so" } }
