# The benchmark page.
benchmark = Benchmark
benchmark-run = Measure
benchmark-again = Run again
benchmark-stop = Stop
benchmark-save = Save results
benchmark-choose = Choose models
benchmark-peer = Compare with llama.cpp
benchmark-peer-where = Compare with llama.cpp: where is it?
benchmark-peer-about = llama-cpp-python runs the same GGUF file in the same rounds. It takes some minutes a model.
benchmark-peer-folder = Folder or environment that has llama-cpp-python
benchmark-peer-not-in = No llama-cpp-python in { $folder }. Choose the folder “site-packages” that has it, or install it: pip install llama-cpp-python builds it in some minutes.
benchmark-peer-wanted = The next run is compared with llama.cpp: that takes some minutes a model.
benchmark-peer-name = llama.cpp
benchmark-peer-times = { $ratio } × llama.cpp
benchmark-peer-row = { $peer } reaches { $speed }.
benchmark-bandwidth = memory speed of this computer
benchmark-threads = { $count ->
    [one] 1 thread
   *[other] { $count } threads
}
processor-cores = { $cores ->
    [one] 1 core
   *[other] { $cores } cores
}
benchmark-today = today, { $time }
benchmark-last-run = Last run { $when } · { $models ->
    [one] 1 model
   *[other] { $models } models
} · { $took }
benchmark-now = { $name }: { $doing } ({ $number } of { $models })
benchmark-stage-starting = starting
benchmark-stage-reading = reading the model
benchmark-stage-compiling = preparing
benchmark-stage-measuring = measuring
benchmark-stopping = stopping
benchmark-done = { $models ->
    [one] 1 model is measured.
   *[other] { $models } models are measured.
}
benchmark-done-not = The measurement ended without figures.
benchmark-look = Look at it
benchmark-killed = It was ended from outside while it was measured, as the system does when memory runs out. Close other programs and measure it alone.
benchmark-broke = The measurement broke off; the other models are not concerned. Measure it again. Details: { $detail }
benchmark-none-chosen = No model is chosen. Mark one at least under “Choose models”.
benchmark-disturbed = An answer was written meanwhile, so the last figures are too low. Measure again while no answer is written.
benchmark-no-graphics = No graphics card
benchmark-plugged = Plugged in
benchmark-battery = On battery: slower than it could be
benchmark-leave-alone = Figures are best when nothing else runs. Each model takes about a minute, large ones some minutes.
benchmark-nothing = How fast is this computer?
benchmark-nothing-about = Inkstone lets your models read and write, and compares them with what the memory allows. Nothing leaves this computer.
benchmark-no-model = There is no model to measure yet.
benchmark-no-model-about = Add one, and see here how fast it reads and writes on this computer.
benchmark-not-saved = { $name } was not saved.
benchmark-writing-title = Writing speed
benchmark-writing-about = Tokens per second, one answer at a time
benchmark-writing-row = { $name } writes { $speed } tokens a second, { $percent } % of the { $limit } that the memory allows.
benchmark-off-scale = { $speed } of { $limit }, off the scale
benchmark-measured = measured
benchmark-room = room left
benchmark-memory-limit = memory limit
benchmark-easy = easy reading, 6
benchmark-limit-title = Why it stops there
benchmark-limit-about = Each token reads the whole model once from memory
benchmark-limit-row = { $name } reads { $size } for each token: { $limit } tokens a second at most.
benchmark-curve = { $speed } GB/s ÷ model size
benchmark-curve-1 = No program can be faster here,
benchmark-curve-2 = only a smaller model can.
benchmark-waiting-title = How long you wait
benchmark-waiting-about = A 200-word answer to one page of text
benchmark-waiting-row = { $name } reads the page in { $read } and writes the answer in { $write }.
benchmark-read = reading 650 tokens
benchmark-write = writing 270
benchmark-reading-title = Reading speed
benchmark-reading-about = Tokens of your text per second, 512 at a time
benchmark-reading-row = { $name } reads { $speed } tokens a second.
