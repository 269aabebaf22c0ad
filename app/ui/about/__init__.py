"""What the window says about the program: version, folders, licences."""
