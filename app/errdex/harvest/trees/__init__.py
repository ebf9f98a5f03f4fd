"""What all languages that tree-sitter parses share. Optional: `errdex[harvest]`."""
