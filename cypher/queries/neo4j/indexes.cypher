// Return the indexes, the constraints that they belong to, and their states.
// parameters:
// columns: name, constraint, state
SHOW INDEXES YIELD name, owningConstraint, state
RETURN name, owningConstraint AS constraint, state
