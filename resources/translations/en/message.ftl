# The message box.
message = Message
message-first = Ask anything, or drop a file here
message-next = Ask a follow-up, or drop a file here
message-no-model = Choose a model above, then ask anything
message-resting = Ask anything: the model rests, and wakes for it
message-loading = The model is loading; ask already
send = Send
send-otherwise = Other ways to send
send-add = Add without an answer
send-as-model = Add as the model’s words
send-begin = Begin the answer…
send-added = Added without an answer.
begins = The answer begins with
begins-example = for example: Short answer:
begins-drop = Let the model begin by itself
queued-begins = { $message } → { $begins }
stop = Stop
draft-left = Draft { $draft } { $draft ->
    [one] token
   *[other] tokens
} · { $left } left
tokens-left = { $left ->
    [one] { $left } token left
   *[other] { $left } tokens left
}
ink-level = { $size ->
    [0] Context: known once a model is loaded
   *[other] Context: { $used } of { $size } tokens used, { $draft } in the draft
}
queued-message = Waits for this answer to end: { $message }
queued-take-back = Take it back into the message box
empty-headline = Ask anything. It stays here.
empty-about = A few ways to begin:
suggestion-explain = Explain compound interest with a small example
suggestion-write = Write a polite letter that asks for a repair
suggestion-code = Write a Python function that counts words
preset = Preset
preset-balanced = Balanced
preset-precise = Precise
preset-creative = Creative
preset-code = Code
preset-other = Its own
thinking = Thinking
thinking-auto = Thinking: auto
thinking-on = Thinking: on
thinking-off = Thinking: off
instructions = Instructions
instructions-menu = Instructions…
instructions-title = Instructions for this chat
instructions-about = The model reads them before the first question. Empty: the ones for every chat hold.
