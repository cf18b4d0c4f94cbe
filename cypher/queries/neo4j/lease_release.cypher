// Release the lease. The nodes are kept, because another process may be waiting for their locks.
// parameters: holder
// columns:
MATCH (l:Lease)
WHERE l.holder = $holder
REMOVE l.holder, l.beat, l.asked
