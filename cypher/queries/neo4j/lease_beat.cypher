// Write a new heartbeat if the holder still holds the lease; otherwise return no row. The query locks this node of the
// lease until the transaction ends.
// parameters: holder, name
// columns: holder
MATCH (l:Lease {name: $name})
SET l.asked = $holder
WITH l
WHERE l.holder = $holder
SET l.beat = randomUUID()
RETURN l.holder AS holder
