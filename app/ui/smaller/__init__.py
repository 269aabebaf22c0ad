"""The page that makes smaller copies: what one trades, the work, the report, how to serve it."""
