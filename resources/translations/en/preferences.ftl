# The settings page: what every setting of the catalogue is called, and its values.
settings-search = Search settings
settings-found = { $count ->
    [one] 1 found
   *[other] { $count } found
}
settings-none = No setting is like that. Settings are found in every language that Inkstone speaks.
settings-reset = All to default
settings-reset-done = { $count ->
    [one] 1 setting is back to its default.
   *[other] { $count } settings are back to their defaults.
}
setting-back = Back to default
applies-next-load = Takes effect when the model is loaded again
applies-next-reply = Takes effect from the next answer on
applies-next-start = Takes effect at the next start of Inkstone
setting-language-about = Of the window, at once
choice-language-auto = { language-system }
choice-language-en = English
choice-language-zh-CN = 简体中文
choice-language-zh-TW = 繁體中文
choice-theme-auto = { theme-system }
choice-theme-light = { theme-light }
choice-theme-dark = { theme-dark }
setting-device = Computes on
setting-device-about = A graphics card is faster; what does not fit it stays on the processor
choice-device-auto = Automatic
choice-device-cpu = Processor
choice-device-cuda = Graphics cards
choice-device-mps = Apple graphics
setting-gpu-layers = Layers on the graphics card
setting-gpu-layers-about = The others stay on the processor. Has no meaning without a graphics card.
off-gpu-layers = As many as fit
off-context = Automatic
choice-cache-bits-16 = 16 bits
choice-cache-bits-8 = 8 bits
off-threads = Automatic
off-keep-loaded-minutes = Always
unit-tokens = { $count ->
    [one] { $number } token
   *[other] { $number } tokens
}
unit-layers = { $count ->
    [one] { $number } layer
   *[other] { $number } layers
}
unit-minutes = { $number } min
unit-threads = { $count ->
    [one] { $number } thread
   *[other] { $number } threads
}
unit-copies = { $count ->
    [one] { $number } copy
   *[other] { $number } copies
}
unit-percent = { $number } %
section-privacy = Privacy
setting-offline = Offline
setting-offline-about = Nothing but this computer is asked, whatever is pressed: no search, no download, no model elsewhere. Inkstone sends nothing of its own accord in any case.
setting-contrast = Contrast
setting-contrast-about = High makes quiet words and lines as strong as the rest
choice-contrast-auto = { theme-system }
choice-contrast-high = High
setting-accent = Accent
setting-accent-about = The one colour for what is chosen, focused or live
choice-accent-auto = Malachite
choice-accent-azurite = Azurite
choice-accent-ochre = Ochre
setting-logs = Log
setting-logs-about = What Inkstone did and what failed. It never holds what was said in a chat. Old parts are dropped.
logs-open = Open the folder
setting-diagnostics = Diagnostics
setting-diagnostics-about = Versions, figures, settings and the end of the log, without your name, your folders and your texts
diagnostics-copy = Copy
diagnostics-copied = The diagnostics are on the clipboard. Read them before you pass them on.
crash-report = The last run did not end well. What was saved is here; a report without your texts was kept.
crash-open = Show the report
safe-mode = The last run ended while { $name } was being loaded. So it was not loaded by itself this time.
safe-load = Load it again
setting-density = Density
setting-density-about = Compact puts rows and controls closer together, so that more fits on the screen
choice-density-auto = Comfortable
choice-density-compact = Compact
setting-interface-font = Typeface of the window
setting-interface-font-about = Buttons, lists and menus. Chinese characters it does not have come from the usual typeface, in the forms of the window's language.
off-interface-font = The usual one
setting-reading-font = Typeface of chats
setting-reading-font-about = Questions and answers
off-reading-font = As the window
setting-code-font = Typeface of code
setting-code-font-about = Letters of one width, so that columns line up
off-code-font = The usual one
setting-line-height = Distance of lines
setting-line-height-about = In chats; 100 % is what the design has
setting-reading-width = Width of chats
setting-reading-width-about = The widest that the column becomes, at 100 % text size; running text uses a little less of it
unit-pixels = { $number } px
type-preview-title = Preview
type-preview = Ink rubbed on stone, 12 strokes a second. 砚台上磨墨，直角、骨架、海边都看得出字形。0123456789
type-preview-code = def grind(ink, water=0.3): return ink * water  # 0O 1lI
