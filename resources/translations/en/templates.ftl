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
setting-prompts-about = Texts that are used again, with variables. Type / in an empty message box.
templates-file-unreadable = This is no JSON text.
templates-file-other = This file holds no prompts of Inkstone.
templates-file-empty = There is not one prompt in this file.
templates-file-name = A prompt in the file has a name that cannot be used ({ $name }). Nothing was taken over.
templates-file-text = “{ $name }” has no text. Nothing was taken over.
templates-file-read = { $count ->
    [1] 1 prompt was taken over.
   *[other] { $count } prompts were taken over.
}
carried-between = , { "" }
carried-clash = { $count ->
    [1] You have another “{ $names }” already.
   *[other] You have { $count } others of these names: { $names }
}
carried-clash-about = Replace puts the file's in the place of yours. Keep both gives the file's a number. Cancel takes nothing over.
carried-both = Keep both
carried-replace = Replace mine
