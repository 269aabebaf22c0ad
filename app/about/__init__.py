"""What this program is: its version, and the parts of others in it with their licences. No Qt."""
