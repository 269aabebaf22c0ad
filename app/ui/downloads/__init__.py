"""Downloads in the window: the queue behind one object, and the list that shows it."""
