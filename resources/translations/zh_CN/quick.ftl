# 在所有窗口之上的小窗口里快速提问。
quick-title = 快速提问
quick-placeholder = 问点什么
quick-answer = 回答
quick-open = 作为聊天打开
quick-hint = 按 Esc 关闭；不作为聊天打开就不会保留
quick-no-model = 没有加载模型。请打开 Inkstone 选择一个。
quick-off = 快速提问没有开启。
quick-off-about = 可以在设置的“通用”里开启。
quick-key-taken = { $keys } 已被别的程序占用。
    .more = 请选择别的按键，或在那个程序里让出它。
quick-key-no-way = 在这里，按键由桌面管理。
    .more = 请在系统的键盘设置里为这条命令指定按键：它会唤起已打开的窗口。
quick-copy = 复制命令
