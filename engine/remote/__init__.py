"""The contract, answered by an OpenAI-compatible server. No torch, no tokenizer."""
