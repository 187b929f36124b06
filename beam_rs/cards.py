"""cards."""


def cards(value, files):
    """Cards."""
    return []
