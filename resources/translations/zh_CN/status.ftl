# 状态栏。
status-no-model = 没有载入模型
status-idle = 空闲
status-idle-last = 空闲 · 上次
tokens-a-second = 词元/秒
status-first-word = 首字
status-context = 上下文
status-of = / { $total }
status-memory = 内存
status-of-gigabytes = / { $total } GB
status-processor = 处理器 · { $threads } 线程
status-device = 显卡 · { $device }
status-network-short = 正在使用网络
status-asking = 网络只用于搜索
status-offline = 离线
status-offline-all = 离线 · 内容不离开本机
status-network = 网络只用于 { $count } 个下载
status-loading = 正在载入
