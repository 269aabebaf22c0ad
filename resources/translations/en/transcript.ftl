# The conversation: questions, replies, and what can be done with them.

transcript-name = Conversation
transcript-question = Question: { $words }
transcript-reply = Reply by { $model }
transcript-reply-writing = Reply, being written
transcript-the-model = the model

transcript-copy = Copy
transcript-select-all = Select all
transcript-copied = Copied
transcript-copy-markdown = Copy as Markdown
transcript-copy-plain = Copy as plain text
transcript-copy-rich = Copy as rich text
transcript-copy-thought = Copy the thought
transcript-copy-formula = Copy as LaTeX
transcript-edit = Edit
transcript-again = Answer again
transcript-branch = Branch into a new chat
transcript-more = More
transcript-delete = Delete
transcript-delete-rest = Delete with all that follows
transcript-continue = Continue
transcript-version-before = Version before
transcript-version-after = Version after
transcript-version = Version { $version } of { $versions }

transcript-wrap = Wrap long lines
transcript-unwrap = Do not wrap lines
transcript-save = Save as a file
transcript-image = Image, not loaded: { $alt }

transcript-edit-field = The message, being edited
transcript-edit-question = Makes version { $version }. The first stays.
transcript-edit-reply = Changes this reply. The model will read it as you leave it.
transcript-cancel = Cancel
transcript-save-only = Save only
transcript-save-answer = Save and answer again
transcript-save-continue = Save and continue

transcript-thinking = Thinking for { $seconds }
transcript-thought = Thought for { $seconds }
transcript-thought-plain = Thought
transcript-tokens = { $count ->
    [one] { $count } token
   *[other] { $count } tokens
}
transcript-speed = { $speed } tok/s

transcript-reading = Reading the question…
transcript-reading-file = Reading { $name }…
transcript-reading-files = Reading { $count } files…
transcript-loading = Loading the model…
transcript-read-reused = { $count } reused
transcript-read-of = { $done } of { $total } read
transcript-read-left = { $seconds } left

transcript-stopped = { $count ->
    [0] Stopped by you
    [one] Stopped after { $count } token
   *[other] Stopped after { $count } tokens
}
transcript-cut = { $count ->
    [0] Cut off: the limit was reached
    [one] Cut off after { $count } token: the limit was reached
   *[other] Cut off after { $count } tokens: the limit was reached
}
transcript-interrupted = The program ended while this was written
transcript-broken = The answer broke off.
transcript-kept = What was written is kept.

transcript-new-text = New text below

transcript-figure-speed = Speed { $value } tok/s
transcript-figure-first = First word { $value }
transcript-figure-length = { $count ->
    [one] Length { $value } token
   *[other] Length { $value } tokens
}
transcript-figure-time = Time { $value }
transcript-figure-reused = { $count ->
    [one] Reused { $value } token
   *[other] Reused { $value } tokens
}
transcript-figure-left-out = { $count ->
    [one] Left out { $value } oldest turn
   *[other] Left out { $value } oldest turns
}

transcript-call = Tool call: { $name }
transcript-fold = Fold the code
transcript-unfold = Show all of the code
transcript-all-lines = Show all { $count } lines
transcript-copy-table = Copy the table
transcript-table-tsv = For a spreadsheet (tabs)
transcript-table-csv = As CSV
transcript-table-markdown = As Markdown

transcript-find-hint = Find in this chat
transcript-find-before = Hit before
transcript-find-after = Next hit
transcript-find-close = Close the search
transcript-find-count = { $current } of { $total }
transcript-find-none = Not found
transcript-find-name-only = Only in the file’s name

transcript-questions = Your questions

# what a screen reader calls the parts of a reply
transcript-text = Text
transcript-code = { $known ->
    [True] Code: { $kind }
   *[other] Code
}
transcript-table = Table, { $rows ->
    [one] 1 row
   *[other] { $rows } rows
}, { $columns ->
    [one] 1 column
   *[other] { $columns } columns
}
