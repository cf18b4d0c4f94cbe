"""Pictures of benchmark figures: drawn by altair, as SVG that needs no script and fetches nothing."""
