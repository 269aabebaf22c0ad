# Folders, tags, the archive, temporary chats, and what was deleted.
chats-temporary = Temporary
chats-folders = Folders
chats-put-away = Put away
chats-archive = Archive
chats-deleted = Recently deleted
group-open = open
group-closed = closed
group-spoken = { $name }, { $chats ->
    [one] 1 chat
   *[other] { $chats } chats
}, { $state }
chat-spoken-tags = { $title }, tags: { $tags }
chat-archive = Archive
chat-unarchive = Take out of the archive
chat-move = Move to folder
chat-move-out = Out of its folder
chats-delete = Delete { $chats } chats
folder-new = New folder
folder-new-menu = New folder…
folder-delete = Delete the folder
folder-delete-about = The chats in it stay.
folder-deleted = The folder “{ $name }” is deleted.
    .more = { $chats ->
        [one] Its chat stays in the list.
       *[other] Its { $chats } chats stay in the list.
    }
tags = Tags
tag-new = New tag…
tag-name = Name of the tag
tag-filter = Only chats tagged { $tag }
tag-more = { $tags } more tags
chat-deleted = { $chats ->
    [one] “{ $title }” is deleted.
   *[other] { $chats } chats are deleted.
}
    .more = Until Inkstone is closed it can be brought back from “Recently deleted”; then the text is wiped from the disk.
deleted-restore = Bring back
deleted-empty = Delete for good…
wipe = Delete for good
wipe-question = { $chats ->
    [one] Delete 1 chat for good?
   *[other] Delete { $chats } chats for good?
}
wipe-about = The text is wiped from the disk and from the daily copies. It cannot be brought back. Backups that you made yourself still hold it.
chats-wiped = What was deleted is wiped from the disk.
temporary-new = New temporary chat
temporary-about = Temporary chat: nothing of it is written to the disk. It ends with Inkstone.
temporary-keep = Keep this chat
temporary-end = End it now
temporary-busy = It can be kept when the answer is complete.
chat-kept = The chat is kept from now on.
section-history = Chats on disk
setting-model-titles = Titles by the model
setting-model-titles-about = The model names a chat when nothing else is asked of it. Otherwise it keeps its first words.
setting-backup = Backup
setting-backup-about = Everything that was said, in one file. A backup can be added to the chats or take their place.
setting-copies-kept = Daily copies kept
setting-copies-kept-about = Made once a day beside the chats, in case their file is damaged. After something is deleted for good, a new one takes the place of all.
setting-deleting = Deleting
setting-deleting-about = What is deleted stays under “Recently deleted” until Inkstone is closed; then its text is wiped from the chats' file, its log, the search and the daily copies.
backup-make = Make a backup…
backup-restore = Restore…
backup-name = Inkstone chats { $day }
backup-files = Backups
restore-question = Bring back “{ $name }”?
restore-about = Adding keeps every chat that is here. Replacing deletes the chats that are here first, for good.
restore-merge = Add what is missing
restore-replace = Replace everything
