"""What a record is: model, validation, id and slug and pattern, reading record files."""
