// Return the holder of the lease and the last heartbeat; no row if the lease was never taken.
// parameters:
// columns: holder, beat
MATCH (l:Lease {name: 'load'})
RETURN l.holder AS holder, l.beat AS beat
