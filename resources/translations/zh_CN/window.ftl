# 不止一处用到的文字。
dismiss = 收起
cancel = 取消
close = 关闭
save = 保存
notices-more = 还有 { $count } 条提示
notices-fewer = 收起提示
