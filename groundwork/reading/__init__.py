"""Read English sentences: the input is a sentence with named concepts, the output is the relations between them."""
