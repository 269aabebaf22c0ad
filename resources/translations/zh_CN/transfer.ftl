# 对话的导出和导入。
chat-export = 导出
export-md = Markdown
export-html = 网页
export-pdf = PDF
export-pdf-files = PDF，含附件全文
export-page = 第 {"{"}page{"}"} 页，共 {"{"}pages{"}"} 页
export-json = JSON（完整）
export-several = { $chats } 个对话
export-title = 导出对话
export-you = 你
export-answer = 回答
export-instructions = 指令
export-thought = 思考
export-attached = 附件：
export-saved = 已存为 { $name }。
import-title = 导入对话
import-reading = 正在读取 { $name }。
import-other = 换一个文件
import-chats = { $chats ->
    [0] 没有新的对话。
   *[other] 导入了 { $chats } 个对话。
}
import-turns = 新增 { $turns } 条消息。
import-completed = { $chats } 个原有的对话补全了。
import-unchanged = { $chats } 个原来就有。
import-lost = { $turns } 条消息读不出来。
import-failures = { $count ->
    [1] 有 1 个读不出来：
   *[other] 有 { $count } 个读不出来，第一个是
}
import-reason = { $reason ->
    [damaged] 文件损坏
    [refused] 系统不让读
    [not_json] 不是 JSON，或者不完整
    [no_chats] 里面没有认得的对话
    [too_large] 超过 2 GB
   *[malformed] 内容的结构不对
}
import-first-failure = { $said } { $name }，{ $reason }。
transfer-failed = 系统的说法：{ $reason }
