"""How an answer came about: its tokens and their odds, its prompt, its time, its memory."""
