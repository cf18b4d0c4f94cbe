// What a release added or changed  (:param release => '0123456789ab')
CALL () {
  MATCH path = ()-[r:ASSOCIATE]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:CAUSE]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:COMPARE]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:CONVERT]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:COTREAT]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:DRUG_INTERACT]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:INHIBIT]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:INTERACT]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:NEGATIVE_CORRELATE]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:POSITIVE_CORRELATE]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:PREVENT]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:STIMULATE]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
UNION ALL
  MATCH path = ()-[r:TREAT]->()
  WHERE r.changed_in = $release AND r.last_pmid > 0
  RETURN path, r.last_pmid AS newest ORDER BY r.changed_in DESC, r.last_pmid DESC LIMIT 50
}
RETURN path
ORDER BY newest DESC
LIMIT 50
