# 对话正文：提问、回答，以及能对它们做的事。

transcript-name = 对话
transcript-question = 提问：{ $words }
transcript-reply = { $model } 的回答
transcript-reply-writing = 正在写的回答
transcript-the-model = 模型

transcript-copy = 复制
transcript-select-all = 全选
transcript-copied = 已复制
transcript-copy-markdown = 复制 Markdown
transcript-copy-plain = 复制纯文本
transcript-copy-rich = 复制为带格式的文本
transcript-copy-thought = 复制思考过程
transcript-copy-formula = 复制 LaTeX
transcript-edit = 修改
transcript-again = 重新回答
transcript-branch = 分支成新对话
transcript-more = 更多
transcript-delete = 删除
transcript-delete-rest = 删除这条和后面的全部
transcript-continue = 接着写
transcript-version-before = 上一版
transcript-version-after = 下一版
transcript-version = 第 { $version } 版，共 { $versions } 版

transcript-wrap = 长行换行
transcript-unwrap = 不换行
transcript-save = 存成文件
transcript-image = 图片，未加载：{ $alt }

transcript-edit-field = 正在修改的内容
transcript-edit-question = 会成为第 { $version } 版，原来的保留。
transcript-edit-reply = 直接改这条回答。模型以后读到的就是改过的。
transcript-cancel = 取消
transcript-save-only = 只保存
transcript-save-answer = 保存并重新回答
transcript-save-continue = 保存并接着写

transcript-thinking = 正在想，{ $seconds }
transcript-thought = 想了 { $seconds }
transcript-thought-plain = 思考过程
transcript-tokens = { $count } 个词元
transcript-speed = { $speed } 词元/秒

transcript-reading = 正在读问题…
transcript-reading-file = 正在读 { $name }…
transcript-reading-files = 正在读 { $count } 个文件…
transcript-loading = 正在载入模型…
transcript-read-reused = 复用 { $count }
transcript-read-of = 已读 { $done } / { $total }
transcript-read-left = 还剩 { $seconds }

transcript-stopped = { $count ->
    [0] 被你停下
   *[other] 写了 { $count } 个词元后停下
}
transcript-cut = { $count ->
    [0] 到了长度上限，没有写完
   *[other] 写了 { $count } 个词元，到了上限，没有写完
}
transcript-interrupted = 写到一半时程序退出了
transcript-broken = 回答中断了。
transcript-kept = 已写的内容都在。

transcript-new-text = 下面有新内容

transcript-figure-speed = 速度 { $value } 词元/秒
transcript-figure-first = 首字 { $value }
transcript-figure-length = 长度 { $value } 词元
transcript-figure-time = 用时 { $value }
transcript-figure-reused = 复用 { $value } 词元
transcript-figure-left-out = 放不下的旧对话 { $value } 轮

transcript-call = 调用工具：{ $name }
transcript-fold = 收起代码
transcript-unfold = 展开全部代码
transcript-all-lines = 展开全部 { $count } 行
transcript-copy-table = 复制表格
transcript-table-tsv = 粘贴到电子表格（制表符）
transcript-table-csv = CSV
transcript-table-markdown = Markdown

transcript-find-hint = 在这个对话里找
transcript-find-before = 上一处
transcript-find-after = 下一处
transcript-find-close = 关闭查找
transcript-find-count = 第 { $current } 处，共 { $total } 处
transcript-find-none = 没有找到
transcript-find-name-only = 只出现在文件名里

transcript-questions = 你的提问

# what a screen reader calls the parts of a reply
transcript-text = 文字
transcript-code = { $known ->
    [True] 代码：{ $kind }
   *[other] 代码
}
transcript-table = 表格，{ $rows } 行，{ $columns } 列
