# How the program starts, and what the system asks of it.
model-drop = Let go to open { $name }
model-drop-about = The file stays where it is
