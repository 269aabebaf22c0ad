# 没有和其他对话一起存好的对话的标记，以及关闭前的询问。
keeping-apart = 和其他对话分开存放，在 { $beside }
keeping-memory = 这个对话不会保存。{ $why }
keeping-waiting = 还没有存好。{ $why }
keeping-partly = 这里没有全部存好。{ $why }
keeping-save = 存成文件…
keeping-why = 怎么办
keeping-update = 关于这个版本
leave-question = 要关闭吗？没存的会丢失
leave-about = { $chats ->
    [0] 输入框里的内容只在这里。
   *[other] 有 { $chats } 个对话只在内存里。
}{ $why }
leave-anyway = 关闭，不要了
leave-save = 存成文件并关闭…
