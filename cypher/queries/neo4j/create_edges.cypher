// Write new edges, each of the type its row names. A row names its ends by their places among the keys, which are looked
// up once each; if one of these is missing, nothing is written.
// parameters: keys, rows, release
// columns: written
UNWIND range(0, size($keys) - 1) AS place
MATCH (c:Concept {key: $keys[place]})
WITH c
ORDER BY place
WITH collect(c) AS ends
WHERE size(ends) = size($keys)
UNWIND $rows AS row
WITH ends[row[0]] AS a, ends[row[1]] AS b, row
CREATE (a)-[r:$(row[2]) {pmids: row[3], articles: row[4], first_pmid: row[5], last_pmid: row[6], belief: row[7],
                         changed_in: $release}]->(b)
RETURN count(*) AS written
