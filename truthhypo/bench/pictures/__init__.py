"""Pictures of benchmark figures: drawn by altair, as SVG without scripts or external files."""
