// Where the literature disagrees, with at least so many articles on either side  (:param least => 5)
MATCH path = (a)-[up:POSITIVE_CORRELATE|STIMULATE|CAUSE]->(b)<-[down:NEGATIVE_CORRELATE|INHIBIT|TREAT|PREVENT]-(a)
WHERE up.articles >= $least AND down.articles >= $least
RETURN path
ORDER BY CASE WHEN up.articles < down.articles THEN up.articles ELSE down.articles END DESC
LIMIT 25
