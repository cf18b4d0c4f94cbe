// The releases the store knows of, whole: in a folder that an earlier version made they have fewer properties.
// parameters:
// columns: release
MATCH (r:Release)
RETURN r AS release
