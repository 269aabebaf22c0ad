# 单个模型的设置。
model-settings = 这个模型的设置…
model-settings-of = { $name } 的设置
model-settings-about = 这里的设置优先于程序的设置，下次载入模型时生效；在内存里留多久则立即生效。
model-settings-own = 只用于这个模型
model-settings-programs = 与所有模型相同
model-settings-back = 恢复为所有模型通用的值
model-settings-reset = 全部与其他模型相同
model-settings-load = 立即重新载入
model-settings-asking = 正在查找显卡。
model-settings-no-gpu = 没有找到可用的显卡：所有层都由处理器计算。
