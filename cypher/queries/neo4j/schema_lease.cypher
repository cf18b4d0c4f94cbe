// Make names of lease nodes unique, so that two loads cannot both create the lease.
// parameters:
// columns:
CREATE CONSTRAINT lease_name IF NOT EXISTS FOR (l:Lease) REQUIRE l.name IS UNIQUE
