// Replace the properties of those edges of one relation that exist, and return the positions of their rows. The rows
// have the form described in create_edges.
// parameters: keys, rows, release
// columns: found
UNWIND range(0, size($keys) - 1) AS place
MATCH (c:Concept {key: $keys[place]})
WITH c
ORDER BY place
WITH collect(c) AS ends
WHERE size(ends) = size($keys)
UNWIND range(0, size($rows) - 1) AS place
WITH ends[$rows[place][0]] AS a, ends[$rows[place][1]] AS b, $rows[place] AS row, place
MATCH (a)-[r:RELATION]->(b)
SET r = {pmids: row[3], articles: row[4], first_pmid: row[5], last_pmid: row[6], belief: row[7], changed_in: $release,
         url: row[8]}
RETURN collect(place) AS found
