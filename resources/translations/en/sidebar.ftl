# The sidebar: chats and the way to the other pages.
app-name = Inkstone
chats = Chats
chat-new = New chat
chat-untitled = New chat
chat-rename = Rename
chat-spoken-open = { $title }, open
chat-delete = Delete
chat-more = More about this chat
chats-search = Search chats
chats-pinned = Pinned
chats-today = Today
chats-yesterday = Yesterday
chats-week = Last 7 days
chats-earlier = Earlier
chats-none = Nothing here yet. Ask something below.
chats-elsewhere = Your earlier chats are not open in this window. They stay as they are.
chats-no-hit = No chat contains “{ $words }”.
chats-said = In the text
chat-hit-thought = { $title }, in the thought: { $words }
chat-hit-file = { $title }, in { $file }: { $words }
chats-more-hits = Only the latest { $hits } are shown.
chats-unindexed = { $turns ->
    [one] 1 message is not looked through yet.
   *[other] { $turns } messages are not looked through yet.
}
chats-clear-search = Clear the search
undo = Undo
sidebar-fold = Fold the sidebar
sidebar-unfold = Unfold the sidebar
models = Models
settings = Settings
chat-pin = Pin
chat-unpin = Unpin
answer-again = Answer again
branch-origin = Branched from “{ $title }”
branch-origin-deleted = Branched from a chat that was deleted
chat-branched-back = Back to where it branched
turn-deleted = The message is deleted.
branch-deleted = The message and all that followed it are deleted.
