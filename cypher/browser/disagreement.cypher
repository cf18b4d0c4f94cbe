// Where the literature disagrees: a pair said to rise and to fall together
MATCH path = (a:Concept)-[up:POSITIVE_CORRELATE|STIMULATE|CAUSE]->(b:Concept)-[down:NEGATIVE_CORRELATE|INHIBIT|TREAT|PREVENT]-(a)
RETURN path
ORDER BY CASE WHEN up.articles < down.articles THEN up.articles ELSE down.articles END DESC
LIMIT 25
