scenario { ranks = 2, about = "tells that it is there, and does not end" }
os.execute("exec sleep 60 >told 2>&1") -- its wait begins anew after a signal, and SIGINT it keeps away
