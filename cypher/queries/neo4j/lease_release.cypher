// Give the lease back. The node stays: another may be waiting at it.
// parameters: holder
// columns:
MATCH (l:Lease {name: 'load'})
WHERE l.holder = $holder
REMOVE l.holder, l.beat, l.asked
