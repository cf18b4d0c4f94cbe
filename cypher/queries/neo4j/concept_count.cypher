// Return the number of concepts of each type, and the number of all concepts with null as the type. Neo4j answers from
// its own counts.
// parameters:
// columns: type, concepts
MATCH (c:Concept)
WITH count(c) AS concepts
RETURN null AS type, concepts
UNION ALL
MATCH (c:Chemical)
WITH count(c) AS concepts
RETURN 'Chemical' AS type, concepts
UNION ALL
MATCH (c:Disease)
WITH count(c) AS concepts
RETURN 'Disease' AS type, concepts
UNION ALL
MATCH (c:Gene)
WITH count(c) AS concepts
RETURN 'Gene' AS type, concepts
UNION ALL
MATCH (c:Species)
WITH count(c) AS concepts
RETURN 'Species' AS type, concepts
UNION ALL
MATCH (c:CellLine)
WITH count(c) AS concepts
RETURN 'CellLine' AS type, concepts
UNION ALL
MATCH (c:DNAMutation)
WITH count(c) AS concepts
RETURN 'DNAMutation' AS type, concepts
UNION ALL
MATCH (c:ProteinMutation)
WITH count(c) AS concepts
RETURN 'ProteinMutation' AS type, concepts
UNION ALL
MATCH (c:SNP)
WITH count(c) AS concepts
RETURN 'SNP' AS type, concepts
UNION ALL
MATCH (c:Mutation)
WITH count(c) AS concepts
RETURN 'Mutation' AS type, concepts
