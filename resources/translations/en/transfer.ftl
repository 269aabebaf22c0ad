# Chats out of and into files.
chat-export = Export
export-md = Markdown
export-html = Web page
export-pdf = PDF
export-pdf-files = PDF with the text of files
export-page = {"{"}page{"}"} / {"{"}pages{"}"}
export-json = JSON, complete
export-several = { $chats } chats
export-title = Export the chat
export-you = You
export-answer = Answer
export-instructions = Instructions
export-thought = Thought
export-attached = Attached file:
export-saved = Saved as { $name }.
import-title = Import chats
import-reading = Reading { $name }.
import-other = Another file
import-chats = { $chats ->
    [0] No chat is new.
    [one] 1 chat was imported.
   *[other] { $chats } chats were imported.
}
import-turns = { $turns ->
    [one] 1 message is new.
   *[other] { $turns } messages are new.
}
import-completed = { $chats ->
    [one] 1 chat that was here was completed.
   *[other] { $chats } chats that were here were completed.
}
import-unchanged = { $chats ->
    [one] 1 was here already.
   *[other] { $chats } were here already.
}
import-lost = { $turns ->
    [one] 1 message could not be read.
   *[other] { $turns } messages could not be read.
}
import-failures = { $count ->
    [one] 1 could not be read:
   *[other] { $count } could not be read, the first of them:
}
import-reason = { $reason ->
    [damaged] it is damaged
    [refused] the system does not let it be read
    [not_json] it is no JSON, or is cut short
    [no_chats] it holds no chats of a known program
    [too_large] it is larger than 2 GB
   *[malformed] its parts are not what they should be
}
import-first-failure = { $said } { $name }, { $reason }.
transfer-failed = The system says: { $reason }
