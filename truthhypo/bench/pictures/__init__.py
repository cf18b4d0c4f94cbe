"""Draw pictures of benchmark figures with altair, as SVG without scripts or external files."""
