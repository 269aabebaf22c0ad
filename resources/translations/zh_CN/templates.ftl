# 反复使用的提示词。
templates-title = 提示词
templates-about = 在输入框里打 / 就能用。双花括号里的词，例如 { "{{" }语言{ "}}" }，每次使用时再填。
templates-edit = 编辑提示词…
templates-new = 新建提示词
templates-delete = 删除
templates-name = 名称
templates-text = 要问的内容
templates-built-in = 自带
templates-of = 第 { $at } 项，共 { $count } 项 · { $name }
templates-next = 下一项
templates-back = 上一项
templates-insert = 放进输入框
key-templates = 在空的输入框里打开提示词
key-edit-last = 在空的输入框里修改上一个问题
template-translate = 翻译
    .text =
        翻译成{ "{{" }语言{ "}}" }，保留人名、数字和版式。

        { "{{" }原文{ "}}" }
template-summarise = 总结
    .text =
        用不超过五句话总结下面的内容，最重要的放在最前面。

        { "{{" }原文{ "}}" }
template-explain = 解释代码
    .text =
        一步一步说明这段代码做了什么，并指出可能出错的地方。

        { "{{" }代码{ "}}" }
template-rewrite = 改写
    .text =
        把下面的文字改写得{ "{{" }更怎么样{ "}}" }，意思不变。

        { "{{" }原文{ "}}" }
