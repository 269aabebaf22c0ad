"""Strings to token ids and back, without torch: tokenizer, template, detokenizer, channels."""
