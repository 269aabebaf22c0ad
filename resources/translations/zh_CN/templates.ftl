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
setting-prompts-about = 反复使用的文字，可以带变量。在空的输入框里打 / 就能用。
templates-file-unreadable = 这不是 JSON 文本。
templates-file-other = 这个文件里没有 Inkstone 的提示词。
templates-file-empty = 这个文件里一条提示词也没有。
templates-file-name = 文件里有条提示词的名称不能用（{ $name }）。什么都没有导入。
templates-file-text = “{ $name }”没有内容。什么都没有导入。
templates-file-read = 导入了 { $count } 条提示词。
carried-between = 、
carried-clash = { $count ->
    [1] 你已经有另一个“{ $names }”了。
   *[other] 有 { $count } 个名称你已经用在别的内容上：{ $names }
}
carried-clash-about = “换成文件里的”会取代你原来的；“都保留”会给文件里的加上编号；取消就什么都不导入。
carried-both = 都保留
carried-replace = 换成文件里的
