# The advisor: why it is slow, why the answers are poor, why it did not fit.
advisor = Advisor
advisor-open = What is wrong?
advisor-verb = Advise
advisor-about = Measured on this computer; every figure below is what was looked at.
advisor-of = Advisor: { $name }
advisor-looking = Looking at the processor and the memory for a second
advisor-slow = Why is it slow?
advisor-poor = Why are the answers poor?
advisor-unfit = Why did it not fit?
advisor-failed = Why did it fail?
advisor-fine-slow = Nothing slows it down.
advisor-fine-slow-figures = { $speed } tokens/s, first word after { $first }, { $free } of memory free, other programs use { $others } of the processor.
advisor-fine-poor = Nothing spoils the answers.
advisor-fine-poor-figures = { $bits ->
    [none] Temperature { $temperature }, repeat penalty { $repeat }, nothing of the chat left out.
   *[known] Temperature { $temperature }, repeat penalty { $repeat }, { $bits } bits a weight, nothing of the chat left out.
}
advisor-fine-unmeasured = No answer of this model was measured in this chat yet. Ask something, then look again.
advisor-no-model = No model is loaded, and none was refused.
advisor-figures = What was looked at
advisor-again = Look again
advisor-changed = Changed
advisor-changed-reply = It holds from the next answer on.
advisor-unknown = not known
advisor-figure-speed = Writing speed, measured
advisor-figure-expected = Writing speed, expected
advisor-figure-first = First word, measured
advisor-figure-prompt = Prompt of the last answer
advisor-figure-context = Context
advisor-figure-threads = Threads
advisor-figure-others = Other programs’ share of the processor
advisor-figure-memory = Free memory
advisor-figure-moved = Moved to or from the disk
advisor-figure-stalled = Programs waiting for memory
advisor-figure-bandwidth = Memory speed, measured
advisor-figure-bits = Bits a weight
advisor-figure-cache = Bits of the cache
advisor-figure-sampling = Temperature, repeat penalty
advisor-value-speed = { $speed } tokens/s
advisor-value-prompt = { $tokens } tokens, { $reused } of them reused
advisor-value-context = { $context } tokens
advisor-value-threads = { $threads } of { $cores } cores
advisor-value-of = { $some } of { $all }
advisor-value-pace = { $pace }/s

advice-few-threads = { $threads } of { $cores } cores compute.
    .more = That is set for this model or for all. Reading a question takes in proportion longer.
advice-many-threads = { $threads } threads share { $cores } cores.
    .more = Each step waits for the thread that has to wait its turn.
advice-busy-processor = Other programs use { $others_share } of the processor.
    .more = Every token waits for its slowest core. End what is busy, then look again.
advice-memory-short = Memory is short: { $free_bytes } of { $memory_bytes } is free.
    .more = Programs wait for memory { $stalled_share } of the time; { $swapped_bytes } a second is moved to or from the disk.
advice-power-saving = { $kind ->
    [saving] The system saves power.
   *[battery] The computer runs on its battery.
}
    .more = { $kind ->
        [saving] The processor is slowed down for it. Switch power saving off, then look again.
       *[battery] Many computers are slower then. Plug it in, then look again.
    }
advice-gpu-unused = The graphics card computes { $inside } of { $layers } layers.
    .more = It has { $free_bytes } free, which is enough for all of them.
advice-slow-kernels = The fast path of { $device } cannot be used.
    .more = { $reason }
advice-compatible-model = { $architecture } runs in compatibility mode.
    .more = It is computed by other people's code, which is slower than this program's own.
advice-large-model = The model is large for this memory: { $expected_speed } tokens/s can be expected.
    .more = Each token reads { $weights_bytes }, and the memory delivers { $bandwidth_bytes } a second. A person reads about { $reading_speed } tokens/s. A smaller model, or one of fewer bits, is faster.
advice-below-expected = { $measured_speed } tokens/s were measured, { $expected_speed } can be expected.
    .more = The memory delivers { $bandwidth_bytes } a second, and nothing that was looked at explains the rest. Measure it while nothing else runs.
advice-queued = { $queue_s } of the { $first_s } to the first word went by in the queue.
    .more = Other requests, for example of the local server, were answered before.
advice-not-reused = Only { $reused } of { $prompt } tokens of the chat were still known.
    .more = { $why ->
        [cut] The first word took { $first_s }: the oldest turns no longer fit, so what follows them was read again.
       *[changed] The first word took { $first_s }: after an edit, other instructions, or when the model was loaded anew, the chat is read again from there.
    }
advice-long-prompt = Reading { $tokens } new tokens took { $prefill_s }.
    .more = That is { $prefill_speed } tokens/s. A shorter question, fewer attached pages or a new chat make the first word come sooner.
advice-long-thought = The model thought for { $thought_s }.
    .more = { $thoughts } of { $tokens } tokens were thoughts, before or between the words of the answer.
advice-long-conversation = The chat is long: { $tokens } tokens are looked back at for each new one.
    .more = That is { $cache_bytes } of cache besides { $weights_bytes } of weights.
advice-slow-disk = Loading took { $load_s }: the model lies on { $disk ->
    [network] the network
   *[turning] a hard disk
}.
    .more = { $size_bytes } came at { $pace_bytes } a second. On a faster disk it is there sooner.
advice-other-server = { $server } writes the answers.
    .more = Its speed, and the network between, are in the figures; the first word took { $first_s }.
advice-hot = The temperature is { $temperature }; the model wants { $usual }.
    .more = The higher it is, the rarer the words that come through, until sentences fall apart.
advice-strong-penalty = The penalties for repetition are outside of what models bear.
    .more = Repeat penalty { $repeat } (0.97 to 1.3), frequency { $frequency } and presence { $presence } (−0.5 to 1).
advice-open-tail = Nothing cuts unlikely words off.
    .more = At a temperature of { $temperature }, every few dozen words one comes from far down the list. Top-k, top-p or min-p prevent that.
advice-circles = The answer runs in circles.
    .more = Its { $characters } characters pack to { $packed_share }; prose packs to 40 % and more.
advice-no-template = { $name } has no chat template.
    .more = Most likely it is a base model: it goes on with a text and does not answer. A chat model has “instruct”, “chat” or “it” in its name.
advice-foreign-template = This chat is not written in the model’s own template.
    .more = { $name } was taught another form; in this one it may not see where a turn ends.
advice-turns-left-out = { $turns ->
    [one] 1 turn
   *[other] { $turns } turns
} of the chat did not fit.
    .more = The context holds { $context } tokens; what was said in the beginning is not known to the model. Nothing was deleted.
advice-cut-short = { $tokens ->
    [one] The answer was cut after { $tokens } token.
   *[other] The answer was cut after { $tokens } tokens.
}
    .more = { $kind ->
        [limit] That is the longest answer that this chat allows.
       *[context] The context was full.
    }
advice-few-bits = { $kind ->
    [measured] This copy differs from its original in many words.
   *[bits] The model has { $bits } bits a weight.
}
    .more = { $kind ->
        [measured] Both chose the same next word in { $same_share } of the places that were compared.
       *[bits] Below 3.5 bits answers suffer.
    }
advice-small-model = The model is small: { $millions } million weights.
    .more = It writes whole sentences and knows few facts. Nothing is wrong with it.
advice-inexact-cache = This model does not bear a cache of 8 bits.
    .more = It costs { $divergence } nats a token, measured when it was loaded.
advice-bound-by-schema = The answers have to match a JSON schema.
    .more = It is set for this chat; in words the model cannot answer then.
advice-stop-words = { $tokens ->
    [one] The answer ended after { $tokens } token.
   *[other] The answer ended after { $tokens } tokens.
}
    .more = This chat has stop words: { $words }. An answer ends before the first of them.
advice-no-thought = The model may not think before it answers.
    .more = It can, and it was switched off.
advice-fits-now = There is room by now.
    .more = { $needed_bytes } is needed, and { $free_bytes } is free.
advice-large-weights = { $name } is too large for what is free.
    .more = Its weights take { $weights_bytes }, running takes { $beside_bytes } besides, and { $free_bytes } is free.
advice-long-context = { $name } fits, but not with a context of { $context } tokens.
    .more = The context takes { $cache_bytes }, all of it { $needed_bytes }, and { $free_bytes } is free.
advice-others-hold = Other programs hold the memory.
    .more = { $programs ->
        [none] { $needed_bytes } of { $memory_bytes } would do, and { $free_bytes } is free. Close what you do not need.
       *[other] { $needed_bytes } of { $memory_bytes } would do, and { $free_bytes } is free. Most is held by { $programs } ({ $held_bytes } together).
    }
advice-gpu-full = The memory of { $device } ran out.
    .more = { $needed_bytes } more was wanted, and { $free_bytes } was free. Fewer layers there, or a shorter context, take less.
advice-context-reduced = The context is { $context } tokens, not { $wanted }.
    .more = { $kind ->
        [own] The model was not made for more.
       *[memory] The memory that is free is not enough for more.
    }
advice-missing-device = { $device } is not there.
    .more = A card that was taken out, or a driver that is gone. The model was set to be computed there.
advice-refused-template = { $kind ->
    [chat] This chat’s template does not take this conversation.
   *[model] The model’s template does not take this conversation.
}
    .more = { $kind ->
        [chat] It is one of the chat’s own; the model’s is the one that it was taught.
       *[model] Another one can be chosen for this chat, and is tried before it is kept.
    }
advice-refused-form = No answer can be held to the schema of this chat.
    .more = Without it the model answers in words.
advice-long-question = { $kind ->
    [whole] The conversation is longer than the model reads.
   *[question] The question alone is longer than the context.
}
    .more = { $tokens ->
        [0] The server does not say by how much. A shorter question, or fewer attached pages, take less.
       *[other] It takes { $tokens } tokens, and the model reads { $context }. A shorter question, or fewer attached pages, take less.
    }
advice-crowded = { $waiting } requests were waiting, and no more than { $limit } may.
    .more = Other programs ask the local server, or several chats ask at once. The monitor shows who.
advice-far-server = { $kind ->
    [offline] The offline switch keeps this program from { $host }.
   *[server] { $host } writes the answers, and it failed.
}
    .more = { $kind ->
        [offline] A model of this computer needs no network.
       *[server] Nothing on this computer can change that; a model of this computer needs no server.
    }

advice-do-threads-auto = Use all { $value } cores
advice-do-context = Use a context of { $value }
advice-do-cache-bits = Use a cache of { $value } bits
advice-do-gpu-auto = Let the graphics card compute
advice-do-device-auto = Let the program choose
advice-do-keep-loaded = Keep it loaded
advice-do-unload = Unload the model
advice-do-load = Load { $name }
advice-do-load-again = Load it again
advice-do-make-smaller = Make a smaller copy
advice-do-models = Show models that fit
advice-do-model-settings = Open the model’s settings
advice-do-show-file = Show where it lies
advice-do-usual-sampling = Use what the model wants
advice-do-penalise = Use the preset “Chat”
advice-do-new-chat = Begin a new chat
advice-do-thinking-off = Do not think in this chat
advice-do-thinking-auto = Let it think
advice-do-no-schema = Take the schema away
advice-do-no-stops = Take the stop words away
advice-do-no-limit = Let answers be as long as they are
advice-do-monitor = Open the monitor
advice-do-benchmark = Measure the speed
advice-do-look-again = Look again
advice-do-template = Choose a template
advice-do-own-template = Use the model’s own template
