# The page that makes smaller copies.
smaller = Make smaller
smaller-verb = Make a smaller copy…
smaller-back = Back to the models
smaller-of = { $name }, { $bits } bits a weight, { $size }
smaller-empty = Which model is to be smaller?
smaller-empty-about = A GGUF file or a folder with safetensors. The copy is a new folder; the original stays as it is.
smaller-trade = What you trade
smaller-trade-about = How often the copy picks the same next word as the original.
smaller-legend = Filled: measured here. Hollow: estimated from what a model of 135 million parameters lost; larger models lose less. Speeds are expected from this computer’s memory speed, as soon as the benchmark has measured it.
smaller-point = { $name }: { $size }, the same next word { $share } % of the time, { $speed }, { $measured ->
    [yes] measured
   *[no] expected
}
smaller-rate = { $speed } tok/s
smaller-original = Original
smaller-choose = Choose a size
smaller-8 = 8 bits
smaller-8-short = 8 bits
smaller-8-about = Practically the original. Best below 3 billion parameters.
smaller-4 = 4 bits, recommended
smaller-4-short = 4 bits
smaller-4-about = Words things differently now and then. The most sensitive layers keep 8 bits.
smaller-4-small = 4 bits, small
smaller-4-small-short = 4 bits, small
smaller-4-small-about = The smallest. Noticeable slips in sums and code.
smaller-custom = Custom
smaller-custom-short = custom
smaller-custom-about = Bits, group, method and text of your own.
smaller-bits = Bits
smaller-group = Weights a scale
smaller-method = Method
smaller-method-nearest = Round to the nearest
smaller-method-search = Search for the least error
smaller-method-awq = AWQ
smaller-method-gptq = GPTQ, the most exact
smaller-text = Text to measure with
smaller-text-bundled = The program’s own
smaller-text-file = A file…
smaller-text-chats = My chats
smaller-no-chats = There are no chats to measure with yet.
smaller-made = made
smaller-start = Make the copy
smaller-room = The copy takes { $size }; { $free } is free.
smaller-no-room = The copy would take { $size }, but only { $free } is free. Free some space, or choose a smaller size.
smaller-original-stays = The original stays.
smaller-phase-making = Making { $name }
smaller-phase-pausing = Pausing { $name }
smaller-phase-paused = { $name } is paused
smaller-phase-stopping = Deleting what was begun of { $name }
smaller-phase-comparing = Comparing { $name } with its original
smaller-phase-done = { $name } is ready
smaller-phase-failed = { $name } was not finished
smaller-phase-begun = { $name } was begun and is not finished
smaller-phase-none = Nothing is being made
smaller-begun-about = What is done is kept. It can go on from there, or be deleted.
smaller-paused-about = What is done is kept, also when you close the program.
smaller-keep-chatting = You can keep chatting. This runs beside it and takes the memory of two layers.
smaller-killed = The work was ended from outside, most likely because the memory ran out. Close other programs, then go on.
smaller-broke = Something broke inside. ({ $detail })
smaller-layers-kept = { $layers ->
    [one] 1 layer is done and kept.
   *[other] { $layers } layers are done and kept.
}
smaller-not-compared = The copy is complete; only the comparison is missing.
smaller-pause = Pause
smaller-resume = Go on
smaller-stop = Stop and delete
smaller-skip = Skip the comparison
smaller-left = { $time } left
smaller-stage-starting = Reading the model’s description
smaller-stage-measuring = Looking at layer { $now } of { $layers }
smaller-stage-rounding = Rounding layer { $now } of { $layers }
smaller-stage-verifying = Reading everything back
smaller-stage-loading = Loading
smaller-stage-reading = Reading the same text with both
smaller-stage-compiling = Preparing
smaller-written = { $written } of { $expected } written
smaller-layers = Error by layer
smaller-layers-none = Nothing is rounded yet.
smaller-layers-least = The least error is { $share } %.
smaller-worst = layer { $layer }: { $share } %
smaller-look = Look
smaller-report = Report on { $name }
smaller-report-about = { $tokens ->
    [one] 1 token of English and Chinese text that was not used to make it, measured here.
   *[other] { $tokens } tokens of English and Chinese text that were not used to make it, measured here.
}
smaller-verdict-very = Very close
smaller-verdict-close = Close
smaller-verdict-other = Noticeably different
smaller-kl = KL divergence, nats a token; 0 is identical
smaller-same = same first choice
smaller-perplexity = perplexity; the original { $value }
smaller-size = size; the original { $value }
smaller-speed = measured; the original { $value }
smaller-side-by-side = Side by side
smaller-answer-source = The original’s answer
smaller-answer-copy = The copy’s answer
smaller-words-same = { $same } of { $words } words the same, without chance
smaller-use = Use it
smaller-where = Where it lies
smaller-serve = Serve it with vLLM
smaller-serve-about = For a computer with GPUs where vLLM is installed. Copy the folder there and change the path.
smaller-serve-one = One GPU
smaller-serve-several = Several GPUs: each holds a part of every layer. This model can be split over { $gpus }.
smaller-serve-stages = Several GPUs: its layers cannot be split evenly, so each GPU holds some of the layers.
smaller-serve-machines = Two machines, joined by Ray: the first line on the first, the second on the other, the third on the first again. The folder lies at the same path on both.
