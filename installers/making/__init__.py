"""How the installers are made: an environment, the frozen program, then one package per system."""
