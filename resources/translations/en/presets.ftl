# Settings of one chat, and presets.
preset-chat = Chat
preset-summary = Summary
preset-translator = Translation
preset-adjust = Adjust every step…
preset-manage = Own presets…
chat-settings = Settings of this chat
chat-settings-usual = As the model has it
chat-ends = Where answers end
chat-schema = JSON schema
chat-schema-about = Every answer of this chat has exactly this form. Leave it empty for free text.
chat-schema-wrong = This is no JSON object yet. What was valid before stays in force.
chat-schema-refused = No answer can be held to this schema: { $detail }. What was valid before stays in force.
chat-steps = How the next word is picked
chat-steps-about = From top to bottom in the order in which the steps act. They take effect from the next answer on.
presets-own = Own presets
presets-own-about = What this chat picks its words with can be kept under a name, and used in every chat.
preset-name = Name
preset-keep = Keep what this chat has
preset-rename = Rename
preset-copy = Duplicate
preset-delete = Delete
preset-import = Import…
preset-export = Export all…
preset-file-unreadable = This is no text in JSON.
preset-file-other = This file holds no presets of Inkstone.
preset-file-empty = There is no preset in this file.
preset-file-name = A preset in this file has no usable name ({ $name }). Nothing was taken over.
preset-file-value = “{ $name }”: the value of { $key } is not allowed. Nothing was taken over.
preset-file-failed = The file cannot be used: { $reason }.
preset-file-read = { $count ->
    [one] 1 preset was taken over.
   *[other] { $count } presets were taken over.
}
setting-presets = Presets
setting-presets-about = Temperature, top-p and every other step are set with the button below the message box. Kept under a name, they serve every chat.
chat-template = Chat template
chat-template-about = How questions and answers are written for the model. It stays with this chat, also when another model is loaded.
chat-template-model = The model’s own
chat-template-plain = Plain: User, Assistant
chat-template-own = Own Jinja text
chat-template-preview = The prompt that it makes of this chat
chat-template-question = Why does ice float?
chat-template-wrong = This template makes no prompt: { $detail }. What was valid before stays in force.
chat-template-marks = This model has no tokens { $marks }: it reads them letter by letter, and may not know what they mean.
chat-template-remote = { $host } writes the prompt itself: a template holds for models of this computer alone.
chat-template-unchecked = Load a model to see the prompt. A text of your own is kept when it was seen to make one.
