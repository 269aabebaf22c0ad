# Settings of one model alone.
model-settings = Settings of this model…
model-settings-of = Settings of { $name }
model-settings-about = What is set here goes before the settings of the program. It takes effect when the model is loaded next; how long it stays in memory, at once.
model-settings-own = Of this model alone
model-settings-programs = As for all models
model-settings-back = Back to what holds for all models
model-settings-reset = All as for other models
model-settings-load = Load it again now
model-settings-asking = Graphics cards are being looked for.
model-settings-no-gpu = No graphics card that could be used was found: every layer is computed by the processor.
