# The safety layer: what it refuses, blackens and points at

safety-list-rude = rude words
safety-list-sexual = sexual content
safety-list-harm = harm
safety-list-personal = personal data
safety-list-classifier = the classifier

fault-input-refused = This may not be asked here.
    .more = It meets the rule “{ $rule }” ({ $list }). Nothing was sent; the question is kept.
fault-output-stopped = The answer ended here.
    .more = What followed met a rule ({ $list }).
fault-rules-invalid = { $path }, line { $line }, is not right.
    .more = { $reason }. The organisation's profile answers nothing until that is mended.
fault-policy-invalid = The administrator's { $path } is not right.
    .more = Line { $line }: { $reason }. Nothing is answered until that is mended.
fault-audit-unwritable = The audit log cannot be written.
    .more = { $path }: { $reason }. Without it nothing is answered.

notice-input-masked = { $places ->
    [one] A place in your question was blackened
   *[other] { $places } places in your question were blackened
} ({ $list }).
    .more = The model has not seen it.
notice-input-warned = { $places ->
    [one] A place in your question meets a rule
   *[other] { $places } places in your question meet a rule
} ({ $list }).
    .more = It was sent as it is.
notice-output-masked = { $places ->
    [one] A place in the answer was blackened
   *[other] { $places } places in the answer were blackened
} ({ $list }).
    .more = { "" }
notice-output-warned = { $places ->
    [one] A place in the answer meets a rule
   *[other] { $places } places in the answer meet a rule
} ({ $list }).
    .more = It is shown as it is.
notice-output-stopped = The answer ended here ({ $list }).
    .more = What followed met a rule.
notice-rules-invalid = { $path }, line { $line }, is not right.
    .more = { $reason }. This rule does not hold.
