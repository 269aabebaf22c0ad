downloads = Downloads
download-pause = Pause, keep what arrived
download-resume = Go on
download-first = Fetch it next
download-remove = Take out of the list
download-waiting = Waits its turn · { $size }
download-far = { $done } of { $total }
download-rate = { $rate }/s
download-paused = Paused at { $done } of { $total } · keeps its place
download-verifying = { $size } · comparing checksums
download-verified = { $size } · matches its published checksum
download-aside = in the folder “{ $folder }”, since a different file had its name
download-unverified = { $size } · no checksum is published
download-ready = { $name } is here.
    .more = Load it to begin.
download-load = Load

download-open-folder = Show the file
add-model = Add a model
step-computer = This computer
step-choose = Choose
step-download = Download
step-done = { $step }: done
step-now = { $step }: now
step-to-come = { $step }: to come
add-back = Back
add-memory = Memory
add-memory-free = { $free } free now
add-speed = Memory speed
add-speed-measuring = Measuring…
add-speed-about = Measured here
add-speed-before = Measured here before
add-speed-again = Measure again, when other programs rest
add-speed-awaited = speed not known yet
add-speed-unknown = Could not be measured
add-processor = Processor
add-cores = { $cores ->
    [one] 1 core
   *[other] { $cores } cores
}
add-disk = Disk
add-disk-free = { $free } free
add-disk-about = Where models lie
add-gpu-none = no graphics card in use
add-suggested = Three that suit this computer
add-purpose = What for
add-everyday = Everyday
add-languages = English and 中文
add-programming = Programming
add-quick = Quick
add-middle = Our suggestion
add-thorough = Thorough
add-expected = { $speed } tok/s expected
add-words-in = 200 words in { $time }
add-pace-faster = Faster than you read
add-pace-alike = About as fast as you read
add-pace-slower = Slower than you read
add-good-small = Summaries, rewriting, short questions
add-good-medium = Everyday questions, letters, small programs
add-good-large = Longer reasoning, better code
add-but-small = Often wrong about facts
add-but-medium = Check facts and figures yourself
add-but-large = Other programs get less memory
add-no-disk = Too big for the disk
add-no-room = The disk has room for { $free } only
add-download = Download { $size }
add-search = Or search
add-search-hint = A name, owner/name, or an address of a GGUF file
add-search-go = Search
add-browse = Popular models
add-sort = Sorted by
add-hub = Where
add-sort-downloads = Downloads
add-sort-likes = Likes
add-sort-newest = Newest
add-size = Size
add-size-fitting = Fits here
add-size-all = Any size
add-downloads = { $count ->
    [one] 1 download
   *[other] { $count } downloads
}
add-liked = { $count ->
    [one] 1 like
   *[other] { $count } likes
}
add-gated = wants an agreement
add-huggingface = Hugging Face
add-modelscope = ModelScope
add-searching = Searching { $hub }…
add-found = { $count ->
    [0] Nothing found. Try another word.
    [one] 1 found
   *[other] { $count } found
}
add-none-fits = Nothing found that fits this computer in 4 bits. Try another word, or any size.
add-looking = Asking for the files of { $name }…
add-files = Files
add-column-model = Model
add-column-maker = Maker
add-column-size = Size, 4 bits
add-column-expected = Expected
add-column-downloads = Downloads
add-column-here = On this computer
add-choice = { $label } · { $size }
add-recommended = Recommended
add-licence = Licence: { $license }
add-here = { $count ->
    [one] 1 model is on this computer already.
   *[other] { $count } models are on this computer already.
}
add-show-here = Show them
add-network = Searching and downloading use the network, and only when you ask. Everything else works without.
add-formula = Expected speed = 85 % of memory speed ÷ model size.
setting-hub-endpoint = Server for Hugging Face
setting-hub-endpoint-about = A mirror, for example https://hf-mirror.com. Empty is huggingface.co.
wrong-hub-endpoint = This is not an address and is not kept. It looks like https://hf-mirror.com.
setting-token = Hugging Face token
setting-token-about = For private models and those that ask for an agreement. It is kept in the system's keyring.
setting-token-kept = Kept in the system's keyring.
setting-token-held = This system has no keyring: it is kept until the program ends.
setting-token-gone = Forgotten.
setting-token-make = Make one in the browser
setting-token-save = Save
setting-download-limit = Download speed
setting-download-limit-about = The most that all downloads together may take.
off-download-limit = No limit
unit-speed = { $number } kB/s
