// Who holds the lease, and the last heartbeat; no row if nobody ever took it.
// parameters:
// columns: holder, beat
MATCH (l:Lease {name: 'load'})
RETURN l.holder AS holder, l.beat AS beat
