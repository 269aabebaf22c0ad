# 文件夹、标签、归档、临时对话和已删除的内容。
chats-temporary = 临时
chats-folders = 文件夹
chats-put-away = 收起来的
chats-archive = 归档
chats-deleted = 最近删除
group-open = 已展开
group-closed = 已收起
group-spoken = { $name }，{ $chats } 个对话，{ $state }
chat-spoken-tags = { $title }，标签：{ $tags }
chat-archive = 归档
chat-unarchive = 移出归档
chat-move = 移到文件夹
chat-move-out = 移出文件夹
chats-delete = 删除 { $chats } 个对话
folder-new = 新文件夹
folder-new-menu = 新文件夹…
folder-delete = 删除文件夹
folder-delete-about = 里面的对话会留下。
folder-deleted = 已删除文件夹“{ $name }”。
    .more = 里面的 { $chats } 个对话还在列表里。
tags = 标签
tag-new = 新标签…
tag-name = 标签的名字
tag-filter = 只看标签为 { $tag } 的对话
tag-more = 还有 { $tags } 个标签
chat-deleted = { $chats ->
    [1] 已删除“{ $title }”。
   *[other] 已删除 { $chats } 个对话。
}
    .more = 关闭 Inkstone 之前都能从“最近删除”里找回，之后文字会从磁盘上抹掉。
deleted-restore = 找回
deleted-empty = 彻底删除…
wipe = 彻底删除
wipe-question = 彻底删除 { $chats } 个对话？
wipe-about = 文字会从磁盘和每日副本里抹掉，不能再找回。你自己做的备份里还有。
chats-wiped = 删除的内容已经从磁盘上抹掉。
temporary-new = 新的临时对话
temporary-about = 临时对话：内容不写入磁盘，关闭 Inkstone 就没有了。
temporary-keep = 保留这个对话
temporary-end = 现在结束
temporary-busy = 等回答完成后才能保留。
chat-kept = 这个对话从现在起会保存。
