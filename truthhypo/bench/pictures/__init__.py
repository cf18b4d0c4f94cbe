"""Draw pictures of benchmark results with altair, as SVG without scripts or external files."""
