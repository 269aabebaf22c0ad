"""Models of other servers: adding one, and the marks that say whether text leaves this computer."""
