# The mark of chats that are not simply on disk with the others, and the question before they are lost.
keeping-apart = Kept apart from your other chats, in { $beside }
keeping-memory = This chat is not kept. { $why }
keeping-waiting = Not saved yet. { $why }
keeping-partly = Not all of this is saved. { $why }
keeping-save = Save as file…
keeping-why = What to do
keeping-update = About this version
leave-question = Close, and lose what is not kept?
leave-about = { $chats ->
    [0] What stands in the message box is nowhere else.
    [one] What was said in 1 chat is in memory only.
   *[other] What was said in { $chats } chats is in memory only.
} { $why }
leave-anyway = Close and lose it
leave-save = Save as file and close…
