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
choice-language-zh-CN = 中文
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
unit-tokens = { $number } tokens
unit-layers = { $number } layers
unit-minutes = { $number } min
unit-threads = { $number } threads
unit-copies = { $number } copies
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
