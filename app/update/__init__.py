"""Newer versions of this program: looked for when somebody asks, verified, installed; no Qt."""
