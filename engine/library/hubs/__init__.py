"""Where models come from: hubs, addresses, and the catalog that needs no search."""
