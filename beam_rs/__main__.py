"""`python -m beam_rs` is `beam-rs`."""

from beam_rs.cli import main

if __name__ == "__main__":
    main()
