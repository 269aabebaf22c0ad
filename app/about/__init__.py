"""What this program is made of: the parts of others in it, with their licences. No Qt."""
