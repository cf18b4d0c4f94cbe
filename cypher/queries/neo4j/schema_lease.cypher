// There is one lease, so two loads cannot both make it.
// parameters:
// columns:
CREATE CONSTRAINT lease_name IF NOT EXISTS FOR (l:Lease) REQUIRE l.name IS UNIQUE
