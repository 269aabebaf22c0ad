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

section-safety = Safety
setting-safety-profile = What is looked through
setting-safety-profile-about = Questions before the model reads them, answers before you see them: in chats, for other programs and with remote models. Family: rude words are blackened, sexual content and instructions for harm end the answer. Organisation: personal data and keys are blackened, and whatever is broken refuses to answer.
choice-safety-profile-off = Nothing
choice-safety-profile-family = Family
choice-safety-profile-organisation = Organisation
setting-safety-classifier = A model that judges
setting-safety-classifier-about = The folder of a text-classification model (transformers). What it finds unwanted is refused, or ends the answer; up to 400 characters of that may have been shown. Empty: none.
setting-safety-audit-days = The log is kept
setting-safety-audit-days-about = Which rule was met, when and where; never what was written. “python -m engine audit verify” finds edits and gaps.
off-safety-audit-days = For ever
unit-days = { $count ->
    [one] { $number } day
   *[other] { $number } days
}
setting-safety-rules = Rules of your own
setting-safety-rules-about = YAML files with words, regular expressions and kinds of personal data. “python -m engine rules” says with its line what is not right.
safety-open-rules = Open the folder
setting-safety-log = The audit log
setting-safety-log-about = Lines of JSON, each with the hash of the one before
safety-open-log = Open its folder
setting-safety-locked = An administrator decides
setting-safety-locked-about = What follows cannot be changed here. It is set in this file:
