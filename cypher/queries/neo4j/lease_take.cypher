// Take the lease if nobody holds it, or if its holder's heartbeat still is the one that was seen long enough ago.
// The first SET locks the node, so what is read after it is what stands until this transaction ends; taking the hands waits
// for whatever the holder before is committing.
// parameters: holder, seen, hands
// columns: holder, beat
MERGE (l:Lease {name: 'load'})
SET l.asked = $holder
WITH l, l.holder IS NULL OR l.beat = $seen AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END | SET l.holder = $holder, l.beat = randomUUID())
FOREACH (name IN CASE WHEN free THEN $hands ELSE [] END |
  MERGE (h:Lease {name: name})
  SET h.holder = $holder)
RETURN l.holder AS holder, l.beat AS beat
