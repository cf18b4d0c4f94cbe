// Take the lease if nobody holds it, or if the heartbeat is still the one that was seen before. The first SET locks the
// node, so the values read after it stay valid until this transaction ends. Setting the holder of the hands waits for
// transactions that the earlier holder is committing.
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
