// What is here: edges by relation
UNWIND [
  ['ASSOCIATE', COUNT { ()-[:ASSOCIATE]->() }],
  ['CAUSE', COUNT { ()-[:CAUSE]->() }],
  ['COMPARE', COUNT { ()-[:COMPARE]->() }],
  ['CONVERT', COUNT { ()-[:CONVERT]->() }],
  ['COTREAT', COUNT { ()-[:COTREAT]->() }],
  ['DRUG_INTERACT', COUNT { ()-[:DRUG_INTERACT]->() }],
  ['INHIBIT', COUNT { ()-[:INHIBIT]->() }],
  ['INTERACT', COUNT { ()-[:INTERACT]->() }],
  ['NEGATIVE_CORRELATE', COUNT { ()-[:NEGATIVE_CORRELATE]->() }],
  ['POSITIVE_CORRELATE', COUNT { ()-[:POSITIVE_CORRELATE]->() }],
  ['PREVENT', COUNT { ()-[:PREVENT]->() }],
  ['STIMULATE', COUNT { ()-[:STIMULATE]->() }],
  ['TREAT', COUNT { ()-[:TREAT]->() }]
] AS row
WITH row[0] AS relation, row[1] AS edges
WHERE edges > 0
RETURN relation, edges
ORDER BY edges DESC
