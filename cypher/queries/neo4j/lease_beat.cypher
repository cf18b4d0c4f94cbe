// Show that the holder lives; no row if the lease is another's by now. Locks this node of the lease until the transaction
// ends.
// parameters: holder, name
// columns: holder
MATCH (l:Lease {name: $name})
SET l.asked = $holder
WITH l
WHERE l.holder = $holder
SET l.beat = randomUUID()
RETURN l.holder AS holder
