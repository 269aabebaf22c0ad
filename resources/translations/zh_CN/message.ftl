# 输入框。
message = 消息
message-first = 想问什么都行，也可以把文件拖到这里
message-next = 接着问，或把文件拖到这里
message-no-model = 先在上面选一个模型，再开始提问
message-resting = 想问什么都行：模型在休息，一问就醒
message-loading = 模型还在载入，可以先写问题
send = 发送
send-otherwise = 其他发送方式
send-add = 只加进对话，不要回答
send-as-model = 当作模型说的话加进去
send-begin = 替回答写个开头…
send-added = 已加进对话，没有要回答。
begins = 回答的开头
begins-example = 例如：简短地说，
begins-drop = 让模型自己开头
queued-begins = { $message } → { $begins }
stop = 停下
draft-left = 草稿 { $draft } 词元 · 还剩 { $left }
tokens-left = 还可写约 { $left } 词元
ink-level = { $size ->
    [0] 上下文：加载模型后可知
   *[other] 上下文：{ $size } 词元已用 { $used }，草稿 { $draft }
}
queued-message = 等这次回答结束再发：{ $message }
queued-take-back = 拿回输入框
empty-headline = 尽管问，内容不出这台电脑。
empty-about = 可以这样开始：
suggestion-explain = 举个小例子，讲讲复利
suggestion-write = 写一封客气的信，请房东来修东西
suggestion-code = 写一个统计词频的 Python 函数
preset = 预设
preset-balanced = 均衡
preset-precise = 精确
preset-creative = 创意
preset-code = 代码
preset-other = 自定
thinking = 思考
thinking-auto = 思考：自动
thinking-on = 思考：开
thinking-off = 思考：关
instructions = 指令
instructions-menu = 指令…
instructions-title = 这个对话的指令
instructions-about = 模型在第一个问题之前先读它。留空就用“每个对话都用的指令”。
