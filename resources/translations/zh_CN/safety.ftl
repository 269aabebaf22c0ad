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
