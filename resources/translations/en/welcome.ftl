# The first page, when there is no model yet.
welcome-headline = Ask anything. It stays here.
welcome-about = Inkstone runs language models on this computer. No account, no tracking, and it works with the network off.
welcome-question = How would you like to begin?
welcome-later = You can change this at any time under Models.
welcome-starter = Start with the small model
welcome-starter-about = SmolLM2 135M is one download of { $size }. English only. Fine for trying things out; it often gets facts wrong.
welcome-starter-here = SmolLM2 135M is on this computer. English only. Fine for trying things out; it often gets facts wrong.
welcome-start = Start chatting
welcome-files = Use files I already have
welcome-files-none = GGUF files and safetensors folders. They stay where they are; nothing is copied.
welcome-files-scanning = Looking through the model folders…
welcome-files-found = Found { $count ->
    [one] 1 model
   *[other] { $count } models
} on this computer. They stay where they are; nothing is copied.
welcome-better = Choose a better one for this computer
welcome-better-about = Three suggestions for this computer, each with what to expect of it. One download.
welcome-better-model = With { $memory } of memory you can run { $name }: English and Chinese, sound everyday answers. One download of { $size }.
welcome-suggestions = See three suggestions
welcome-files-of = Found { $count ->
    [one] 1 model
   *[other] { $count } models
} on this computer, { $programs }. They stay where they are; nothing is copied.
welcome-of = { $count } in { $program }
welcome-between = ,{" "}
welcome-computer = This computer: { $total } memory, { $free } free
welcome-computer-measured = This computer: { $total } memory, { $free } free · memory speed { $rate }/s, measured here · { $graphics }
welcome-speed = about { $speed } tok/s
welcome-speed-faster = about { $speed } tok/s, faster than you read
welcome-speed-alike = about { $speed } tok/s, about as fast as you read
welcome-speed-slower = about { $speed } tok/s, slower than you read
welcome-language = Language
welcome-theme = Light or dark
fetch-progress = { $done } of { $total }
fetch-rate = { $done } of { $total } · { $rate }/s · { $left } left
fetch-beginning = Reaching the package index…
fetch-stopping = Stopping…
fits = Fits · { $needed } of { $free } GB
fits-tight = Tight · { $needed } of { $free } GB
fits-not = Too big · { $needed } of { $free } GB
welcome-show-models = Show the models
