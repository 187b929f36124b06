"""Beam wiring. Imported as `beam_rs.transforms`; nothing else in the package imports Beam at import time."""
