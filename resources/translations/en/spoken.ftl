# What a screen reader is told as it happens.
spoken-answer-begins = The answer begins.
spoken-answer-ends = The answer is finished: { $words ->
    [one] 1 word
   *[other] { $words } words
}.
spoken-answer-stopped = Stopped after { $words ->
    [one] 1 word
   *[other] { $words } words
}.
spoken-answer-cut = Cut off after { $words ->
    [one] 1 word
   *[other] { $words } words
}: the limit was reached.
spoken-model-loading = Loading { $name }.
spoken-model-ready = { $name } is ready.
spoken-model-rests = { $name } rests, and wakes for the next question.
spoken-model-unloaded = No model is loaded.
spoken-fetch-begins = The download begins.
spoken-fetch = Downloaded { $percent } percent.
spoken-found = Found { $chats ->
    [one] 1 chat
   *[other] { $chats } chats
} by title, { $hits ->
    [one] 1 message
   *[other] { $hits } messages
} by text.
spoken-other-ends = The answer in “{ $title }” is finished.
spoken-other-broken = The answer in “{ $title }” broke off.
