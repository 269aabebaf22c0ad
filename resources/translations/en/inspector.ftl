# How an answer came about: tokens, odds, time and memory.
inspector-title = How this answer came about
inspector-open = Look into the answer
inspector-close = Close the inspector
inspector-look-into = How this answer came about
key-inspector = Look into the answer, or close the inspector
inspector-answer = Answer
inspector-prompt = Prompt
inspector-memory = Memory
inspector-tokens-of-answer = Tokens of the answer
inspector-tokens-of-prompt = Tokens of the prompt
inspector-answer-tokens = Tokens
inspector-sure = sure
inspector-unsure = unsure
inspector-overview = Whole answer: taller is less sure
inspector-range = tokens { $first } to { $last }
inspector-tokens = { $count ->
    [one] { $count } token
   *[other] { $count } tokens
}
inspector-kept = { $count ->
    [0] nothing to reuse
    [one] { $count } token kept
   *[other] { $count } tokens kept
}
inspector-saved = about { $time }
inspector-speed = { $speed } tok/s
inspector-milliseconds = { $count } ms
inspector-split = Split
inspector-reuse = Reuse saved
inspector-read = Read
inspector-write = Write
inspector-choose = of it: choose
inspector-show = Lay out
inspector-spell = { $time } to spell
inspector-each = { $time } a time
inspector-place = Token { $place } of { $count }
inspector-number = number { $id } in the vocabulary
inspector-odds = { $lead }: “{ $token }”, { $odds } likely
inspector-origin = { $lead }: “{ $token }”, number { $id } in the vocabulary, { $origin }
inspector-continue = Continue with “{ $token }” instead
inspector-candidates = What might have come
inspector-candidate = “{ $token }”: score { $score }, { $before } before, { $after } after
inspector-token = Token
inspector-score = Score
inspector-before = Odds before
inspector-after = After
inspector-cut = cut
inspector-cut-by = Cut by { $step }
inspector-steps = What the sampler did
inspector-left = { $count ->
    [one] { $count } left
   *[other] { $count } left
}
inspector-draw = Draw { $number }
inspector-picks = picks { $token }
inspector-reused = reused
inspector-read-now = read now
inspector-page = Tokens { $first } to { $last } of { $total }
inspector-page-before = Earlier tokens
inspector-page-after = Later tokens
inspector-prompt-gone = The prompt is not kept any more
inspector-prompt-explains = This is all that the model saw, template included: nothing else of the chat, and nothing of this computer. Tokens in colour are the template's own marks.
inspector-memory-weights = Weights
    .more = { $parameters } parameters, { $bits } bits each
inspector-memory-used = Cache: this conversation
inspector-memory-free = Cache: room for more
inspector-memory-workspace = Working space
    .more = what one step of the model needs
inspector-memory-peak = Most that the engine has taken so far: { $size }
inspector-memory-only = These figures live in memory only. They go when the program ends, and with replies that came long after.
inspector-nothing = Ask something, and see here how the answer comes about.
inspector-unseen = Nobody looked while this answer was made. Its figures can be computed from its tokens: the model reads them once more, with the settings of now.
inspector-look-back = Inspect this answer
inspector-stop = Stop
inspector-computing = Reading the answer once more: { $done } of { $total } tokens.
inspector-again = Computed afterwards, with the settings of now. What was drawn and how long it took was not kept.
inspector-began = This answer began while the inspector was closed. It can be inspected when it is complete.
inspector-rests = The model that wrote this answer rests. It wakes for the next question.
inspector-no-model = Load the model that wrote this answer to inspect it.
inspector-other-model = Another model wrote this answer. Load that one to inspect it.
inspector-no-ids = The tokens of this answer are not known: it was written by hand, edited, imported, or broken off.
inspector-text-only = This model tells no odds of its tokens. Prompt, time and memory may still be known.
step-scores = Scores
step-logit-bias = Bias
step-repetition-penalty = Repetition
step-frequency-penalty = Frequency
step-dry = DRY
step-constraint = What is allowed
step-top-n-sigma = Top-n-sigma
step-top-k = Top-k
step-typical-p = Typical-p
step-top-p = Top-p
step-min-p = Min-p
step-xtc = XTC
step-temperature = Temperature
step-greedy = Likeliest only
step-mirostat = Mirostat
inspector-save = Save everything as JSON
inspector-each-token = One token took { $time } on average
inspector-seed = Seed { $seed }: repeats this answer
inspector-seed-drawn = Seed drawn anew for each answer
