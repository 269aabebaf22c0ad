"""Files that go with a message, on screen: cards, previews, and the choice when one is too long."""
