"""The settings page, made from the catalogue: sections, search, back to default."""
