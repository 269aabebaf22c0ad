"""How the program starts: what it was asked for, and one window per data folder. No widgets."""
