"""Where a pipeline runs. Imported as `beam_rs.runners`."""
