# Prompts that are used again.
templates-title = Prompts
templates-about = Type / in the message box to use one. Words in double braces, such as { "{{" }language{ "}}" }, are asked for each time.
templates-edit = Edit prompts…
templates-new = New prompt
templates-delete = Delete
templates-name = Name
templates-text = What is to be asked
templates-built-in = built in
templates-of = { $at } of { $count } · { $name }
templates-next = Next
templates-back = Back
templates-insert = Insert
key-templates = Your prompts, in an empty message box
key-edit-last = Change your last question, in an empty message box
template-translate = translate
    .text =
        Translate into { "{{" }language{ "}}" }. Keep names, numbers and the layout.

        { "{{" }text{ "}}" }
template-summarise = summarise
    .text =
        Summarise this in at most five sentences, the most important first.

        { "{{" }text{ "}}" }
template-explain = explain code
    .text =
        Explain step by step what this code does, and name what could go wrong.

        { "{{" }code{ "}}" }
template-rewrite = rewrite
    .text =
        Rewrite this so that it reads { "{{" }how it should sound{ "}}" }. Keep the meaning.

        { "{{" }text{ "}}" }
