// Return the releases that the store has recorded, as nodes with all their properties. In a folder that an earlier
// version made, they have fewer properties.
// parameters:
// columns: release
MATCH (r:Release)
RETURN r AS release
