"""The sample pool of the quick start: rendered words, and beside them the mess that real pools have."""

from beam_rs.sample_pool.pool import CONFIG, DATASET, FAMILY, PLAIN, QUESTIONS, WORDS, expected, write

__all__ = ["CONFIG", "DATASET", "FAMILY", "PLAIN", "QUESTIONS", "WORDS", "expected", "write"]
