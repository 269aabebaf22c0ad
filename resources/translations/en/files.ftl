# Files that go with a message.
file-attach = Attach files
file-reading = Reading…
file-reading-name = Reading { $name }
file-preview = Show what the model reads of { $name }
file-preview-about = This is the text that the model reads, and all of it.
file-preview-part = This is the part of the file that the model reads. The rest stays out.
file-close = Close
file-remove = Remove
file-remove-name = Remove { $name }
file-tokens = { $count ->
    [one] { $count } token
   *[other] { $count } tokens
}
file-characters = { $count ->
    [one] { $count } character
   *[other] { $count } characters
}
file-about = about { $count ->
    [one] { $count } token
   *[other] { $count } tokens
}
file-parts-pdf = { $count ->
    [one] { $count } page
   *[other] { $count } pages
}
file-parts-sheets = { $count ->
    [one] { $count } sheet
   *[other] { $count } sheets
}
file-parts-slides = { $count ->
    [one] { $count } slide
   *[other] { $count } slides
}
file-parts-book = { $count ->
    [one] { $count } chapter
   *[other] { $count } chapters
}
file-chosen-pdf = { $count ->
    [one] page
   *[other] pages
} { $chosen } of { $total }
file-chosen-sheets = { $count ->
    [one] sheet
   *[other] sheets
} { $chosen } of { $total }
file-chosen-slides = { $count ->
    [one] slide
   *[other] slides
} { $chosen } of { $total }
file-chosen-book = { $count ->
    [one] chapter
   *[other] chapters
} { $chosen } of { $total }
file-chosen-other = { $count ->
    [one] part
   *[other] parts
} { $chosen } of { $total }
file-beginning = the beginning, { $percent } %
file-relevant = passages, { $percent } %
file-drop-one = Let go to attach { $name }
file-drop-many = Let go to attach { $count } files
file-drop-about = Read on this computer only
file-fit = Make it fit…
file-too-long = The files do not fit: { $tokens } tokens, { $room } fit beside the question.
file-oldest-go = With these files the oldest turns no longer fit.
file-wait = A file is still being read and counted. The message goes as soon as that is done.
file-clipboard = The picture
file-password = Password
file-password-title = { $name } asks for a password
file-password-about = It is used to read the file now and kept nowhere.
file-password-wrong = This password does not open the file.
file-password-open = Open
file-not-attached = { $name } was not attached.
file-fault-missing = It cannot be opened: { $reason }.
file-fault-folder = It is a folder; attach the files in it.
file-fault-empty = There is no text in it.
file-fault-too_large = It has { $bytes }; up to { $limit } can be read.
file-fault-bomb = It would unpack to { $bytes }; up to { $limit } can be read.
file-fault-encrypted = It asks for a password.
file-fault-wrong_password = The password does not open it.
file-fault-protected = It is locked by a password or by rights management. Save a copy without it and attach that.
file-fault-no_text = { $pages ->
    [one] Its page is a picture of text: a scan.
   *[other] Its { $pages } pages are pictures of text: a scan.
} Text in pictures cannot be read here; a text recognition program can make a PDF with text.
file-fault-damaged = It is damaged, or not what its name says: { $reason }.
file-fault-image = Text in pictures cannot be read here, and the models have no eyes for pictures.
file-fault-old_office = This old format cannot be read. Save it as .docx, .pptx or PDF and attach that.
file-fault-not_text = There is no text in this kind of file.
file-fault-too_slow = It was not read within { $seconds }.
file-fault-out_of_memory = Reading it takes more memory than is allowed to one file.
file-fault-cancelled = Reading was ended.
fit-title = How much of { $name }?
fit-about = The file has { $tokens } tokens; { $room } fit beside your question and an answer. Nothing is left out unless you choose it here.
fit-beginning = Keep the beginning
fit-relevant = Keep the passages closest to my question
fit-whole = Keep all of it
fit-parts-pdf = Choose pages
fit-parts-sheets = Choose sheets
fit-parts-slides = Choose slides
fit-parts-book = Choose chapters
fit-parts-other = Choose parts
fit-numbers = Numbers, for example 1–3, 7
fit-at-most = At most
fit-tokens = tokens
fit-fits = About { $tokens } tokens: fits.
fit-too-long = About { $tokens } tokens: { $room } would fit.
fit-keep = Use this
fit-drop = Leave the file out
file-uncounted = { $count ->
    [one] The model could not count { $name }: whether it fits is not known.
   *[other] The model could not count { $name }: whether they fit is not known.
}
file-uncounted-about = What does not fit is not answered; nothing is cut.
file-uncounted-send = Send all the same
file-uncounted-drop = Leave the files out
