# What went wrong, what is kept, what to do. The lead is shown bold; ".more" follows it.

action-retry = Try again
action-choose-model = Choose a model
action-edit-connection = Open the connection
action-shorter-context = Use { $shorter }
action-edit = Edit the question
action-new-chat = New chat
action-open-settings = Open settings
action-open-page = Open its page
action-open-folder = Open the folder
action-close-window = Close this window
action-copy-detail = Copy the details

fault-detail = Details: { $detail }

fault-file-missing = { $path } is not there any more.
    .more = It was moved, renamed or deleted.
fault-part-missing = { $path } is missing.
    .more = This model lies in several files, and all of them are needed: fetch that one too.
fault-file-unreadable = { $path } cannot be read.
    .more = The system says: { $reason }
fault-removal-refused = { $path } was not deleted.
    .more = The system says: { $reason }. Close other programs that use it, see that its folder can be written to, and try again.
fault-removal-not-ours = { $path } was not deleted.
    .more = It lies outside the folder that Inkstone keeps its models in: delete it where it came from.
fault-file-truncated = { $path } is cut short: { $size } of { $expected }.
    .more = Fetch it again, or choose another file.
fault-file-empty = { $path } is empty.
    .more = Fetch it again, or choose another file.
fault-file-damaged = { $path } is damaged.
    .more = Fetch it again, or choose another file.
fault-format-unsupported = { $path } is not a model file that can be read.
    .more = { $format ->
        [unknown] GGUF files and safetensors folders work.
       *[other] Its kind is “{ $format }”; GGUF files and safetensors folders work.
    }
fault-pickle-refused = { $path } is not opened.
    .more = It is a pickled checkpoint: opening one runs whatever program is inside. Look for the same model as safetensors or GGUF.
fault-remote-code-refused = { $path } is not run.
    .more = It brings its own program code ({ $detail }), and Inkstone runs none that comes with a model.
fault-architecture-unknown = { $path } is of a kind that is not supported yet.
    .more = Its architecture is “{ $architecture }”.
fault-model-writes-not = { $path } does not write answers.
    .more = It compares, sorts or hears texts: an embedding, a classifier, a speech recogniser. Choose a model for conversation.
fault-text-empty = { $path } has no words in it.
    .more = Choose a text file of some pages, or the texts that came with Inkstone.
fault-quantization-unsupported = { $path } is compressed in a way that is not supported yet.
    .more = It uses { $quantization }. The same model as Q4_K_M or Q8_0 works.
fault-tensor-missing = { $path } is incomplete.
    .more = It lacks { $tensor }. Fetch it again, or choose another file.
fault-tensor-shape = { $path } does not fit together.
    .more = { $tensor } is { $shape }, but should be { $expected }.
fault-config-invalid = The configuration of { $path } makes no sense.
    .more = Fetch the model again, or choose another.
fault-tokenizer-missing = { $path } comes without its tokenizer.
    .more = The folder needs tokenizer.json beside the weights.
fault-tokenizer-invalid = The tokenizer of { $path } cannot be used.
    .more = Fetch the model again, or choose another.
fault-template-invalid = The model's chat template has an error.
    .more = Choose another model.
fault-template-refused = The model's chat template refuses this conversation.
    .more = It says: { $detail }
fault-memory-short = Not enough memory for this model.
    .more = It needs { $needed }; { $free } is free. { $shorter ->
        [0] Close other programs, or choose a smaller model.
       *[other] Close other programs, or use a context of { $shorter } tokens.
    }
fault-out-of-memory = The memory ran out.
    .more = { $needed } more was needed, { $free } was left.
fault-no-model = No model is loaded.
    .more = Choose one, then ask again. The question is kept.
fault-prompt-too-long = The message is too long for this model.
    .more = It takes { $tokens } tokens; the model reads { $context }. Shorten it, or start a new chat.
fault-prompt-empty = There is nothing to answer.
    .more = The message is empty.
fault-prompt-forgotten = This prompt is not kept any more.
    .more = Inspect the reply again to read it.
fault-setting-invalid = The setting { $name } cannot be { $value }.
    .more = Allowed: { $allowed }
fault-constraint-invalid = The answer cannot be held to this form.
    .more = The checker says: { $detail }. Change it under “Adjust every step”, below the message box.
fault-device-missing = { $device } is not available.
    .more = Choose another device in the settings.
fault-busy = Too much is waiting already.
    .more = { $waiting } requests wait; the limit is { $limit }.
fault-disk-full = There is too little room on the disk.
    .more = { $path } needs { $needed }; { $free } is free. Free some space, then try again.
fault-disk-filled = The disk is full.
    .more = { $free } is free on the disk of { $path }. What was written is kept. Free some space, then try again.
fault-disk-short = The disk is full.
    .more = { $path } still needs { $needed }; { $free } is free. { $kept } is there already, and kept. Free some space, then try again.
fault-unwritable = { $path } cannot be written.
    .more = The system says: { $reason } Allow writing there or choose another folder, then try again.
fault-fetched-already = { $name } is being fetched by another program.
    .more = Wait until it is done, or stop it there.
fault-name-taken = { $path } is there already.
    .more = Nothing is overwritten: choose another name or folder.
fault-folder-gone = The folder of { $path } is not there any more.
    .more = Where it lies on another disk, connect that again. What was written there is kept. Then try again.
fault-network-unreachable = { $host } cannot be reached.
    .more = Nothing that was loaded before is lost. Check the network, then try again.
fault-download-refused = The download was refused.
    .more = { $address } answered with status { $status }.
fault-network-slow = { $host } sends next to nothing.
    .more = What arrived is kept. Try again later, or use a mirror (settings).
fault-server-busy = { $host } asks to be left alone for now.
    .more = What arrived is kept. { $seconds ->
        [0] Try again in some minutes.
        [one] Try again in a second.
       *[other] Try again in { $seconds } seconds.
    }
fault-token-needed = { $host } wants to know who asks.
    .more = The model is private, asks for an agreement, or there is none of this name: check the name. Accept its terms at { $address }, make a token on that site and put it into the settings.
fault-access-refused = { $host } does not give this model to you.
    .more = Open { $address } in a browser, accept its terms, and check that the token in the settings may read it.
fault-token-refused = { $host } does not know your token.
    .more = It may be mistyped or too old. Make a new one on that site and put it into the settings.
fault-hub-address-invalid = { $address } is no address of a hub.
    .more = Put it right in the settings; https://hf-mirror.com is one.
fault-file-gone = Nothing was found at { $address }.
    .more = Check the name. It may have been taken away, too: choose another file, or another model.
fault-choice-missing = { $name } has no file “{ $file }” any more.
    .more = It has { $offered }: choose another of its files.
fault-file-changed = { $path } has changed on the server.
    .more = It has { $size } instead of { $expected }. What arrived was thrown away; look at the model's files again.
fault-hub-unreadable = { $host } answers in a way that is not understood.
    .more = Check the address of the hub in the settings.
fault-nothing-to-load = { $name } has no file that can be used.
    .more = It brings neither GGUF nor safetensors. Choose another model.
fault-hash-mismatch = { $path } arrived damaged.
    .more = Its checksum begins with { $actual }, not { $expected }. It was thrown away.
fault-engine-ended = The engine ended unexpectedly.
    .more = { $status ->
        [-9] Something ended it from outside, most often the system, for want of memory. Try again: the model is loaded anew for it.
       *[other] Where it was is in a report beside the logs. Try again: the model is loaded anew for it.
    }
fault-internal = Something inside the engine broke.
    .more = The next question works.

notice-template-missing = This model has no chat template.
    .more = A plain one is in use; the answers may ramble.
notice-system-folded = This model takes no instructions of its own.
    .more = They are put before your first question.
notice-turns-left-out = { $turns ->
    [one] The oldest turn no longer fits.
   *[other] The { $turns } oldest turns no longer fit.
}
    .more = Nothing was deleted. A new chat has all the room.
notice-compatibility-mode = This model runs in compatibility mode.
    .more = Inkstone has no fast path for { $architecture } ({ $reason }). It is slower, but complete.
notice-context-reduced = The context is { $context } tokens.
    .more = { $wanted } were asked for; that does not fit.
notice-threads-reduced = { $threads ->
    [one] One thread computes.
   *[other] { $threads } threads compute.
}
    .more = { $wanted } were asked for. This computer runs no more at once; the rest would only wait in line and slow every answer.
notice-head-tied = This file lacks its output layer.
    .more = The input layer serves in its place, as in most models of this kind.
notice-cache-inexact = 8 bits are too few for this model's memory.
    .more = Its answers suffer ({ $divergence } nats a token). 16 bits keep them as they are.
notice-kernels-slow = The fast path of { $device } cannot be used.
    .more = Answers are slower, but complete. Details: { $reason }

store-disk-full = The disk is full: chats cannot be saved.
    .more = Free on the disk of { $path }: { $free }. What you write is kept in memory and saved as soon as there is room.
store-read-only = { $path } cannot be written.
    .more = Nothing of this session will be kept: save what you write as a file before you close.
store-unreachable = { $path } cannot be reached.
    .more = The system says: { $reason } It is tried again.
store-in-use = Inkstone is already open.
    .more = What is written in this second window is not kept.
store-newer-beside = Your chats were written by a newer Inkstone.
    .more = { $path } in { $folder } has version { $found }; this one knows { $known }, so it is left as it is. { $copied ->
        [none] What you write now is kept beside it
       *[other] Here are the chats of { $copied }, from before the newer one changed them; what you write now is kept with them
    } in { $beside }. With the newer Inkstone all of them come together again.
store-newer = { $path } was written by a newer Inkstone.
    .more = It has version { $found }; this one knows { $known }. It was not touched.
store-joined = The chats that were kept apart are with the others again.
    .more = { $turns ->
        [one] 1 turn was added
       *[other] { $turns } turns were added
    } in { $chats ->
        [one] 1 chat.
       *[other] { $chats } chats.
    }
store-gone = { $path } was moved or deleted.
    .more = It lay in { $folder }. What you write is kept in memory and saved as soon as it is back; if it stays away, save the chat as a file.
store-write-damaged = A part of { $path } is damaged: something you wrote could not be saved.
    .more = It stays in this window until you close it: save the chat as a file. Settings has backups of the last days, under Chats on disk.
store-unkept = What you write now is in memory only: save it as a file before you close. Once that is mended, start Inkstone again.
store-set-aside = The chats could not be read.
    .more = The damaged file was kept as { $aside }; an empty one is in use.
store-salvaged = Part of the chats was damaged.
    .more = { $chats ->
        [one] 1 chat
       *[other] { $chats } chats
    } with { $turns ->
        [one] 1 turn was
       *[other] { $turns } turns were
    } carried over. The damaged file was kept as { $aside }.
store-copy-used = The chats were damaged; an older copy is in use.
    .more = It is from { $copied }. The damaged file was kept as { $aside }.
store-row-damaged = { $rows ->
    [one] One turn of this chat cannot be read.
   *[other] { $rows } turns of this chat cannot be read.
}
    .more = All the others are shown.
store-settings-set-aside = The settings could not be read.
    .more = The usual ones are in use; the old file was kept as { $aside }.
store-import-unreadable = { $path } cannot be read.
    .more = { $reason ->
        [damaged] It is damaged. Nothing was changed.
        [refused] The system does not let it be read. Nothing was changed.
       *[other] It holds no chats that are known. Nothing was changed.
    }
