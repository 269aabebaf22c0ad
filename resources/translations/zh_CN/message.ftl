# 输入框。
message = 消息
message-first = 想问什么都行
message-next = 接着问
message-no-model = 先在上面选一个模型，再开始提问
message-loading = 模型还在载入，可以先写问题
send = 发送
stop = 停下
draft-left = 草稿 { $draft } 词元 · 还剩 { $left }
tokens-left = 还可写约 { $left } 词元
ink-level = 上下文：{ $size } 词元已用 { $used }，草稿 { $draft }
queued-message = 等这次回答结束再发：{ $message }
queued-take-back = 拿回输入框
empty-headline = 尽管问，内容不出这台电脑。
empty-about = 可以这样开始：
suggestion-explain = 举个小例子，讲讲复利
suggestion-write = 写一封客气的信，请房东来修东西
suggestion-code = 写一个统计词频的 Python 函数
