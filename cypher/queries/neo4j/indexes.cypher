// The indexes, the constraints they belong to, and whether they answer.
// parameters:
// columns: name, constraint, state
SHOW INDEXES YIELD name, owningConstraint, state
RETURN name, owningConstraint AS constraint, state
