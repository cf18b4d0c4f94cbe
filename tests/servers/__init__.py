"""Real Neo4j and Elasticsearch processes for the tests, and for `make servers`.

java, artifacts     what is needed to run them: a JDK, and the servers themselves (fetched once, cached)
process, keeper     a server process on loopback that dies with the process that started it
neo4j, elasticsearch, compose
                    how each server is started: here by Java, else by a container engine
pool                starts each store's server at most once, in the background
fixtures, __main__  the two ways in: pytest, and `python -m tests.servers`
"""
