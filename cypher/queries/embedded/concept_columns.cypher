// Return the columns of the table of concepts.
// parameters:
// columns: property id, name, type, default expression, primary key
CALL table_info('Concept') RETURN *
