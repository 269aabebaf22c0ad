# 安全检查：拒绝、涂黑和提醒时说的话

safety-list-rude = 脏话
safety-list-sexual = 色情内容
safety-list-harm = 伤害
safety-list-personal = 个人信息
safety-list-classifier = 分类模型

fault-input-refused = 这里不允许这样问。
    .more = 碰到了规则“{ $rule }”（{ $list }）。什么都没有发出去，问题还留着。
fault-output-stopped = 回答到此为止。
    .more = 后面的内容碰到了规则（{ $list }）。
fault-rules-invalid = { $path } 第 { $line } 行有误。
    .more = { $reason }。按“组织”方案，改正之前不回答任何问题。
fault-policy-invalid = 管理员的 { $path } 有误。
    .more = 第 { $line } 行：{ $reason }。改正之前不回答任何问题。
fault-audit-unwritable = 审计日志写不进去。
    .more = { $path }：{ $reason }。没有日志就不回答。

notice-input-masked = 问题里有 { $places } 处被涂黑（{ $list }）。
    .more = 模型没有看到。
notice-input-warned = 问题里有 { $places } 处碰到规则（{ $list }）。
    .more = 原样发出。
notice-output-masked = 回答里有 { $places } 处被涂黑（{ $list }）。
    .more = { "" }
notice-output-warned = 回答里有 { $places } 处碰到规则（{ $list }）。
    .more = 原样显示。
notice-output-stopped = 回答到此为止（{ $list }）。
    .more = 后面的内容碰到了规则。
notice-rules-invalid = { $path } 第 { $line } 行有误。
    .more = { $reason }。这条规则不起作用。

section-safety = 安全
setting-safety-profile = 检查什么
setting-safety-profile-about = 问题在模型读到之前检查，回答在你看到之前检查：对话、其他程序和远程模型都一样。家庭：脏话涂黑，色情内容和伤害人的方法会让回答停下。组织：个人信息和密钥涂黑，哪里出错就不回答。
choice-safety-profile-off = 不检查
choice-safety-profile-family = 家庭
choice-safety-profile-organisation = 组织
setting-safety-classifier = 用来判断的模型
setting-safety-classifier-about = 一个文本分类模型（transformers）的文件夹。它认为不妥的问题会被拒绝，回答会停下；停下之前最多可能已经显示 400 个字符。留空就不用。
setting-safety-audit-days = 日志保留
setting-safety-audit-days-about = 记下碰到了哪条规则、什么时候、在哪里，不记内容。“python -m engine audit verify”能发现改动和缺失。
off-safety-audit-days = 一直保留
unit-days = { $number } 天
setting-safety-rules = 自己的规则
setting-safety-rules-about = YAML 文件，写词语、正则表达式和个人信息的种类。“python -m engine rules”会指出哪一行有误。
safety-open-rules = 打开文件夹
setting-safety-log = 审计日志
setting-safety-log-about = 一行一条 JSON，每条带着上一条的哈希
safety-open-log = 打开所在文件夹
setting-safety-locked = 由管理员决定
setting-safety-locked-about = 下面的内容不能在这里改，都写在这个文件里：
