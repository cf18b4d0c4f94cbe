"""The guard of free queries: what must pass, what must be refused, and attacks on its tokenizer."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypher.guard import MOST_BYTES, checked
from cypher.tokens import MOST_LEVELS
from groundwork.errors import InputError, QueryRefused

READING = [
    "MATCH (c:Concept {key: $key}) RETURN c.name",
    "match (a:Concept)-[r:TREAT|CAUSE]-(b) where r.articles > 3 and not b.name starts with 'x' return a.name as name, "
    "count(*) as n order by n desc skip 5 limit 10",
    "MATCH p = (a)-[:TREAT*1..2]-(b) RETURN p",
    "MATCH p = (a)-[:TREAT* ACYCLIC 1..3]-(b) RETURN p",
    "MATCH p = (a)-[r:TREAT* ALL SHORTEST 1..3 (r, n | WHERE r.articles > 2)]-(b) RETURN p",
    "MATCH ANY SHORTEST (a)-[:TREAT]-+(b) RETURN a",
    "MATCH ((a)-[:TREAT]->(b)){1,3} RETURN a",
    "MATCH shortestPath((a)-[*..3]-(b)) RETURN a",
    "MATCH (a) OPTIONAL MATCH (a)-->(b) RETURN a, b UNION ALL MATCH (a) RETURN a, a AS b",
    "RETURN 1 AS x UNION RETURN 2 AS x",
    "UNWIND $keys AS key MATCH (c {key: key}) RETURN c",
    "WITH 1 AS x, {a: 1, b: [1, 2]} AS m WHERE x > 0 RETURN x + 1, -x, m.a, m.b[0..1], 5 % 2",
    "MATCH (n) WITH *, 1 AS one RETURN *",
    "MATCH (n) WITH * WHERE n.mentions > 1 RETURN DISTINCT n ORDER BY n.key ASC, n.name LIMIT 5",
    "MATCH (n) WHERE EXISTS { (n)-[:TREAT]->() } RETURN n",
    "MATCH (n) WHERE EXISTS { MATCH (n)-[r]->() WHERE r.articles > 1 } RETURN COUNT { (n)--() } AS c",
    "MATCH (n) RETURN COLLECT { MATCH (n)--(m) RETURN m.key ORDER BY m.key } AS keys",
    "MATCH (n) CALL (n) { MATCH (n)--(m) RETURN count(m) AS c } RETURN n, c",
    "MATCH (n) CALL { WITH n MATCH (n)--(m) RETURN m UNION MATCH (m) RETURN m } RETURN n, m",
    "RETURN CASE WHEN 1 > 0 THEN 'a' ELSE 'b' END AS x, CASE 1 WHEN 1 THEN {a: 1} END",
    "MATCH (n) WHERE n.name IS NOT NULL AND (n.x IS NULL OR n.y) RETURN n",
    "MATCH (a), (b) WHERE (a)-[:TREAT]-(b) AND a.key IN ['x', \"y\"] AND b.key =~ '(?i).*x' RETURN a",
    "MATCH (n) RETURN n {.name, .key, extra: 1}, [x IN n.pmids WHERE x > 3 | x * 2] AS big",
    "RETURN all(x IN [1] WHERE x > 0), reduce(s = 0, x IN [1] | s + x), size([1, 2])",
    "MATCH (a)-[r:!TREAT]-(b:A&!B|C) RETURN type(r)",
    "MATCH (n:Concept WHERE n.type = 'Gene') RETURN n",
    "EXPLAIN MATCH (n) RETURN n",
    "explain match (n) return n;",
    "RETURN date('2020-01-01'), date.truncate('month', date()), 1e5, 0x1F, .5, 3.25",
    "MATCH (n) RETURN n.key OFFSET 3",
    "// a comment\nMATCH (n) /* CREATE (m) */ RETURN n // DELETE n",
    "RETURN 'it\\'s CREATE (n) ;', \"// no comment\", '/* neither'",
    "RETURN $a, $`b c`, $0",
]
NAMES = [
    "MATCH (n) RETURN n.load, n.set, n.create, n.delete AS d",
    "MATCH (set:Set {delete: 1, load: 2})-[:CREATE|MERGE]->(b:Load) RETURN set.load AS load",
    "MATCH (`create`)-[`delete r`:`SET`]-() RETURN `create`",
    "WITH {load: 1} AS set RETURN set.load",
    "WITH 1 AS load, 2 AS copy RETURN load, copy",
    "MATCH (n:Set) WHERE n:Load RETURN n",
    "WITH 2 AS count, {name: 1} AS m RETURN m {.name}, count {.name}",
]
WRITING = [
    "CREATE (n)",
    "MERGE (n {key: 1})",
    "MATCH (n) SET n.x = 1",
    "MATCH (n) sEt n:Label",
    "MATCH (n) DELETE n",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) NODETACH DELETE n",
    "MATCH (n) REMOVE n.x",
    "MATCH (n) WITH n DELETE n",
    "MATCH (n) WITH * DELETE n",
    "MATCH (n) WITH DISTINCT * SET n.x = 1",
    "MATCH (n) WHERE n.x = 1 SET n.x = 2 RETURN n",
    "MATCH (n) FOREACH (x IN [1] | SET n.x = x)",
    "UNWIND [1] AS x CREATE (n {x: x})",
    "INSERT (n)",
    "MATCH (n) INSERT (m)",
    "MATCH (n) FINISH",
    "RETURN 1 UNION CREATE (n)",
    "RETURN 1 UNION ALL CREATE (n)",
    "EXPLAIN CREATE (n)",
    "EXPLAIN EXPLAIN MATCH (n) RETURN n",
    "PROFILE MATCH (n) RETURN n",
    "CYPHER 5 CREATE (n)",
    "CYPHER runtime=slotted MATCH (n) RETURN n",
    "USE neo4j MATCH (n) RETURN n",
    "MATCH (n) USING INDEX n:Concept(key) RETURN n",
    "SHOW DATABASES",
    "ALTER TABLE Concept ADD x INT64",
    "DROP TABLE Concept",
    "DROP CONSTRAINT c",
    "CREATE CONSTRAINT c FOR (n:A) REQUIRE n.x IS UNIQUE",
    "BEGIN TRANSACTION",
    "COMMIT",
    "CHECKPOINT",
    "INSTALL httpfs",
    "LOAD EXTENSION httpfs",
    "LOAD FROM '/etc/passwd' RETURN *",
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "MATCH (n) LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "COPY Concept FROM 'x.csv'",
    "COPY (MATCH (n) RETURN n) TO '/tmp/x.csv'",
    "EXPORT DATABASE '/tmp/x'",
    "IMPORT DATABASE '/tmp/x'",
    "ATTACH '/tmp/x' AS y (dbtype duckdb)",
    "DETACH y",
    "TERMINATE TRANSACTION 'x'",
    "START n = node(*) RETURN n",
    "LET x = 1 RETURN x",
    "FILTER 1 RETURN 1",
    "RETURN 1 AS x NEXT RETURN x",
    "WHEN true THEN { CREATE (n) }",
    "RETURN 1 UNION { CREATE (n) }",
    "{ CREATE (n) }",
    "(n) CREATE (m)",
]
CALLS = [
    "CALL db.labels()",
    "CALL db.labels() YIELD label RETURN label",
    "CALL db.labels",
    "MATCH (n) CALL apoc.refactor.rename(n) YIELD x RETURN x",
    "CALL show_tables() RETURN *",
    "CALL threads = 5",
    "OPTIONAL CALL db.labels()",
    "CALL `db.labels`()",
    "CALL $x",
    "CALL [1]",
    "CALL (n) RETURN n",
    "CALL",
    "RETURN apoc.load.json('http://x')",
    "RETURN 1 + apoc.create.uuid()",
    "RETURN apoc . `load` . json('x')",
    "RETURN `apoc.load.json`('x')",
    "RETURN `apoc`.load.json('x')",
    "MATCH (n) WHERE apoc.periodic.commit('x') RETURN n",
    "RETURN create(1)",
    "RETURN {a: apoc.load.json('x')}",
    "RETURN [x IN [1] | apoc.load.json(x)]",
    "RETURN [x IN [1] | `apoc.load.json`(x)]",
    "RETURN {a: create(1)}",
    "MATCH (n) WHERE NOT apoc.load.json('x') RETURN n",
]
SUBQUERIES = [
    "MATCH (n) CALL { CREATE (m) } RETURN n",
    "MATCH (n) CALL (n) { SET n.x = 1 } RETURN n",
    "CALL { MATCH (n) SET n.x = 1 RETURN n } RETURN n",
    "CALL { MATCH (n) RETURN n UNION CREATE (n) RETURN n } RETURN n",
    "CALL { CALL { CREATE (n) } RETURN 1 AS x } RETURN x",
    "MATCH (n) CALL { RETURN 1 AS x } IN TRANSACTIONS RETURN n",
    "MATCH (n) CALL { RETURN 1 AS x } CREATE (m)",
    "MATCH (n) WHERE EXISTS { CREATE (m) } RETURN n",
    "MATCH (n) WHERE EXISTS { MATCH (n) SET n.x = 1 } RETURN n",
    "MATCH (n) WHERE EXISTS { (n)-->() SET n.x = 1 } RETURN n",
    "MATCH (n) WHERE exists /* x */ { ((n)-->())+ CREATE (m) } RETURN n",
    "RETURN COUNT { MATCH (n) DELETE n }",
    "RETURN COLLECT { CREATE (n) RETURN n }",
    "RETURN COUNT { }",
    "RETURN [x IN [1] | CREATE (n)]",
    "MATCH (n {x: 1 SET n.y = 2}) RETURN n",
]
#: Beginnings of queries. In some lexer or dialect, the part before `{}` might end an expression.
ENDINGS = [
    "MATCH ((a)-->(b))+ {}",
    "MATCH ((a)-->(b))* {}",
    "MATCH ((a)-->(b)){{1,3}} {}",
    "MATCH (a)-->+(b) {}",
    "MATCH (a) WHERE ((a)-->())+ {}",
    "MATCH (a) WHERE a.x = 3! {}",
    "MATCH (a) WHERE a.x > 1. {}",
    "MATCH (a) WHERE a.x > 1.{}",
    "MATCH (a) WHERE a.x > .5{}",
    "MATCH (a) WHERE a.x = 1{}",
    "MATCH (a) WHERE a.x = 0x1{}",
    "MATCH (a) WHERE a.x = 1e5{}",
    "MATCH (a) WHERE a.x = 'y'{}",
    "MATCH (a) WHERE a.x = $y {}",
    "MATCH (a) WHERE a.x = `b` {}",
    "MATCH (a) WHERE a.x IS :: LIST<INTEGER> {}",
    "MATCH (a) WHERE a.x :: INTEGER NOT NULL {}",
    "MATCH (a) WHERE a.x IS TYPED LIST<INTEGER> {}",
    "MATCH (a) WHERE a.x IS NULL {}",
    "MATCH (a) WHERE a.x IS NOT NULL {}",
    "MATCH (a) WHERE a.x IS NORMALIZED {}",
    "MATCH (a) WHERE a:Label {}",
    "MATCH (a) WHERE a:A|B {}",
    "MATCH (a) WHERE a.load {}",
    "MATCH (a) WHERE CASE WHEN true THEN 1 END {}",
    "MATCH (a) WHERE a.x STARTS WITH 'x' {}",
    "MATCH (a) WHERE a.x[0] {}",
    "MATCH (a) WHERE {{a: 1}} {}",
    "MATCH (a) WITH a ORDER BY a.x DESC {}",
    "MATCH (a) WITH a LIMIT 1 {}",
    "MATCH (a) WITH * {}",
    "MATCH (a) RETURN count(*) {}",
    "MATCH (a) {}",
    "UNWIND [1] AS x {}",
    "OPTIONAL MATCH (a) {}",
]
CLAUSES = [
    "SET a.y = 2",
    "CREATE (m)",
    "DELETE a",
    "MERGE (m)",
    "REMOVE a.y",
    "FOREACH (x IN [1] | SET a.y = x)",
    "ſET a.y = 2",
]


@pytest.mark.parametrize("query", READING + NAMES)
def test_reading_queries_pass(query):
    checked(query)


@pytest.mark.parametrize("query", WRITING + CALLS + SUBQUERIES)
def test_writing_queries_calls_and_subqueries_are_refused(query):
    with pytest.raises(InputError):
        checked(query)


@pytest.mark.parametrize("clause", CLAUSES)
@pytest.mark.parametrize("start", ENDINGS)
def test_a_writing_clause_is_refused_after_any_pattern_or_value(start, clause):
    with pytest.raises(InputError):
        checked(start.format(clause))


@pytest.mark.parametrize(
    "space",
    [
        "\t",
        "\n",
        "\r",
        "\x0b",
        "\x0c",
        "\x1c",
        "\x85",
        "\xa0",
        "\u180e",
        "\u2003",
        "\u2028",
        "\u3000",
        "\ufeff",
        "/**/",
        "// x\n",
        "// x\r",
    ],
)
def test_spaces_and_comments_hide_nothing(space):
    assert "\u2003" not in checked(f"MATCH{space}(n){space}RETURN{space}n")[0]
    with pytest.raises(QueryRefused):
        checked(f"MATCH (n){space}SET{space}n.x = 1")


@pytest.mark.parametrize(
    "query",
    [
        "\\u0043REATE (n)",
        "RETURN '\\u0027 CREATE (n) //'",
        "RETURN 1 /* \\u002a/ CREATE (n) /* */",
        "RETURN `a\\u0060 CREATE (n)`",
        "RETURN '\\\\u0027 CREATE (n) //'",
        "RETURN '\\U00000027 CREATE (n)'",
        "RETURN 1 \0 CREATE (n)",
    ],
)
def test_escapes_that_are_decoded_before_parsing_are_refused(query):
    with pytest.raises(QueryRefused):
        checked(query)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "  ",
        ";",
        "// nothing",
        "RETURN 'open",
        'RETURN "open',
        "RETURN `open",
        "RETURN 1 /* open",
        "RETURN '\\q'",
        "RETURN (1",
        "RETURN 1)",
        "RETURN [1)",
        "MATCH (n) ORDER",
        "RETURN 1 §",
        "RETURN '\udcff'",
    ],
)
def test_text_that_is_not_cypher_is_reported(query):
    with pytest.raises(InputError) as caught:
        checked(query)
    assert caught.value.seen and caught.value.remedy


@pytest.mark.parametrize("query", ["RETURN 1; RETURN 2", "RETURN 1;; CREATE (n)", "RETURN 1; CREATE (n);", ";RETURN 1"])
def test_several_statements_are_refused(query):
    with pytest.raises(QueryRefused):
        checked(query)


def test_the_refusal_names_the_clause():
    with pytest.raises(QueryRefused, match="'DETACH'"):
        checked("MATCH (n) DETACH DELETE n")


def test_parameters_are_found_and_comments_are_gone():
    query, parameters = checked("MATCH (n {key: $key}) // $no\nRETURN '$no', $`a b`, n ;")
    assert parameters == {"key", "a b"}
    assert query == "MATCH (n {key: $key})  \nRETURN '$no', $`a b`, n"


def test_a_carriage_return_ends_a_comment():
    """Dialects differ on whether a lone carriage return ends a comment. The guard ends it there and removes it."""
    query, _ = checked("RETURN 1 // \r ' \n SET n.x = 1 //'")
    assert query == "RETURN 1  \n' \n SET n.x = 1 //'"


#: Each entry has a query, the text that opens a level of nesting, the text in the middle, the text that closes a level,
#: and the number of levels that the rest of the query adds.
LEVELS = [
    ("RETURN {}", "(", "1", ")", 0),
    ("RETURN {}", "[", "1", "]", 0),
    ("RETURN {}", "{a: ", "1", "}", 0),
    ("RETURN {}", "NOT ", "true", "", 0),
    ("RETURN {}", "- ", "1", "", 0),
    ("RETURN {}", "CASE 1 WHEN 1 THEN ", "2", " END", 0),
    ("RETURN {}", "abs(", "1", ")", 0),
    ("RETURN {}", "[x IN ", "[1]", " | x]", 1),
    ("MATCH (a) WHERE {} RETURN a", "EXISTS { MATCH (a) WHERE ", "true", " }", 1),
    ("MATCH (a:{}) RETURN a", "!", "A", "", 1),
]


@pytest.mark.parametrize(("query", "opening", "middle", "closing", "others"), LEVELS)
def test_nesting_is_accepted_up_to_its_limit(query, opening, middle, closing, others):
    def nested(levels):
        return query.format(opening * levels + middle + closing * levels)

    checked(nested(MOST_LEVELS - others))
    with pytest.raises(InputError, match=f"deeper than {MOST_LEVELS}"):
        checked(nested(MOST_LEVELS + 1))


@pytest.mark.parametrize(
    "query",
    [
        "RETURN " + "NOT (" * 101 + "true" + ")" * 101,
        "RETURN " + "[- " * 101 + "1" + "]" * 101,
        "RETURN " + "CASE WHEN end THEN " * 201 + "1" + " END" * 201,
        "WITH 1 AS end RETURN " + "[end, " * 201 + "]" * 201,
        "RETURN " + "(CASE WHEN true THEN " * 101 + "1" + " END)" * 101,
        "RETURN " + "[" * 10_000,
    ],
)
def test_levels_of_several_kinds_add_up_and_names_do_not_close_them(query):
    with pytest.raises(InputError, match=f"deeper than {MOST_LEVELS}"):
        checked(query)


@pytest.mark.parametrize(
    "query",
    [
        "RETURN '" + "(" * 1000 + "'",
        "RETURN 1 /* " + "[" * 1000 + " */",
        "RETURN [" + ", ".join(["NOT true", "-1", "(1)", "CASE WHEN true THEN 1 END"] * 500) + "]",
        "RETURN " + " AND ".join(["NOT (true)"] * 1000),
        "MATCH (a)" + "<-[]-()" * 1000 + " RETURN a",
    ],
)
def test_adjacent_or_quoted_brackets_do_not_count_as_nested(query):
    checked(query)


def test_text_is_accepted_up_to_its_limit():
    """The limit counts bytes."""
    query = "RETURN '{}'"
    letters = (MOST_BYTES - len(query.format(""))) // 2
    checked(query.format("β" * letters))
    for text in ("β" * (letters + 1), "a" * 5_000_000):
        with pytest.raises(InputError, match=f"at most {MOST_BYTES} bytes"):
            checked(query.format(text))


@pytest.mark.parametrize(
    ("start", "part"),
    [("RETURN `a`", ".`a`"), ("RETURN a", ".a"), ("RETURN 1", "+1"), ("RETURN 1", "/**/"), ("MATCH (a)", "-[]-()")],
)
def test_the_longest_query_is_read_in_linear_time(start, part):
    started = process_time()
    checked(start + part * ((MOST_BYTES - 100) // len(part)) + " RETURN a" * start.startswith("MATCH"))
    assert process_time() - started < 20


@given(st.data())
def test_a_writing_clause_is_refused_wherever_it_stands(data):
    words = data.draw(st.sampled_from(READING)).split(" ")
    place = data.draw(st.integers(1, len(words)))
    clause = data.draw(st.sampled_from(["CREATE (zz)", "SET zz.x = 1", "DETACH DELETE zz", "LOAD CSV FROM 'f' AS zz"]))
    query = " ".join([*words[:place], clause, *words[place:]])
    try:
        cleaned, _ = checked(query)
    except InputError:
        return
    inside = [*_strings(cleaned)]
    assert "zz" not in cleaned or any("zz" in text for text in inside), query


def _strings(query):
    from cypher.tokens import Kind, tokens

    return (token.text for token in tokens(query)[0] if token.kind in (Kind.STRING, Kind.QUOTED, Kind.PARAMETER))


def test_a_clause_in_a_wrong_place_is_not_reported_as_a_forbidden_word():
    with pytest.raises(QueryRefused) as told:
        checked("MATCH (n RETURN n")
    assert told.value.seen == "'RETURN' at position 9 is not possible there"
    assert "closing bracket" in told.value.wanted and "complete" in told.value.remedy
