# 事情发生时，读屏软件读出的话。
spoken-answer-begins = 开始回答。
spoken-answer-ends = 回答完成，共 { $words } 字。
spoken-answer-stopped = 已停止，写了 { $words } 字。
spoken-answer-cut = 达到上限，在 { $words } 字处中断。
spoken-model-loading = 正在加载 { $name }。
spoken-model-ready = { $name } 已就绪。
spoken-model-rests = { $name } 在休息，下次提问时会醒来。
spoken-model-unloaded = 没有加载模型。
spoken-fetch-begins = 开始下载。
spoken-fetch = 已下载 { $percent } %。
spoken-found = 标题中找到 { $chats } 个对话，正文中找到 { $hits } 条消息。
spoken-other-ends = “{ $title }”里的回答完成了。
spoken-other-broken = “{ $title }”里的回答中断了。
