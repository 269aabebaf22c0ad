# 输入框。
message = 消息
message-first = 想问什么都行
message-next = 接着问
message-no-model = 先在上面选一个模型，再开始提问
message-loading = 模型还在载入，可以先写问题
message-waiting = 有 { $count } 条消息在等这次回答结束
send = 发送
stop = 停下
draft-left = 草稿 { $draft } 词元 · 还剩 { $left }
tokens-left = 还可写约 { $left } 词元
ink-level = 上下文：{ $size } 词元已用 { $used }，草稿 { $draft }
