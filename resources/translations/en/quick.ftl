# One quick question in a small window over all others.
quick-title = Quick question
quick-placeholder = Ask something
quick-answer = Answer
quick-open = Open as chat
quick-hint = Esc closes; nothing is kept unless you open it as a chat
quick-no-model = No model is loaded. Open Inkstone and choose one.
quick-off = Quick questions are off.
quick-off-about = Turn them on in the settings, under General.
quick-key-taken = { $keys } belongs to another program.
    .more = Choose another key, or free it there.
quick-key-no-way = Here, keys belong to the desktop.
    .more = Bind the command to a key in your system’s keyboard settings: it asks the window that is open.
quick-copy = Copy command
