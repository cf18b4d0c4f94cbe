// Take the lease if nobody holds it, or if its holder's heartbeat still is the one that was seen long enough ago.
// The first SET locks the node, so what is read after it is what stands until this transaction ends.
// parameters: holder, seen
// columns: holder, beat
MERGE (l:Lease {name: 'load'})
SET l.asked = $holder
WITH l, l.holder IS NULL OR l.beat = $seen AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END | SET l.holder = $holder, l.beat = randomUUID())
RETURN l.holder AS holder, l.beat AS beat
