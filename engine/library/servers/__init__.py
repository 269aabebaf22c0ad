"""Other programs that answer through OpenAI's interface: their addresses, cards and models."""
