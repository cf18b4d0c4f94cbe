// Give the lease back. The nodes stay: another may be waiting at them.
// parameters: holder
// columns:
MATCH (l:Lease)
WHERE l.holder = $holder
REMOVE l.holder, l.beat, l.asked
