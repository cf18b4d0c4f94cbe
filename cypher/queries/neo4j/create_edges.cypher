// Write new edges; each row names the type of its edge. A row refers to its ends by their positions among the keys, so
// each key is looked up once. If a key is missing, nothing is written.
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
                         changed_in: $release, url: row[8]}]->(b)
RETURN count(*) AS written
