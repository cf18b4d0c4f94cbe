"""Statistics of measurements: figures of classification, calibration, 95 % intervals and significance tests."""
