# The message box.
message = Message
message-first = Ask anything
message-next = Ask a follow-up
message-no-model = Choose a model above, then ask anything
message-loading = The model is loading; ask already
message-waiting = { $count ->
    [one] 1 message waits for this answer to end
   *[other] { $count } messages wait for this answer to end
}
send = Send
stop = Stop
draft-left = Draft { $draft } { $draft ->
    [one] token
   *[other] tokens
} · { $left } left
tokens-left = { $left } tokens left
ink-level = Context: { $used } of { $size } tokens used, { $draft } in the draft
