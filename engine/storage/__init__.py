"""Bytes on disk to names, shapes and weights. Knows file formats, knows no model."""
