# 程序怎样启动，系统又让它做什么。
model-drop = 松开即可打开 { $name }
model-drop-about = 文件留在原处
setting-start-at-login = 登录时启动
setting-start-at-login-about = 启动后最小化；第一次查看窗口时才加载模型
setting-tray-icon = 在托盘保留图标
setting-tray-icon-about = 关闭窗口后 Inkstone 继续运行，用图标可以再打开或退出
setting-quick-ask = 在小窗口里快速提问
setting-quick-ask-about = 从托盘、用单独的按键，或用命令“inkstone-window --quick”打开
login-failed = 无法更改登录时启动。
login-reason = 系统提示：{ $reason }
setting-quick-keys = 快速提问的按键
setting-quick-keys-about = 无论哪个窗口在前面都有效；Inkstone 只接收这一个按键
choice-quick-keys-auto = 无
choice-quick-keys-ctrl-alt-space = Ctrl Alt 空格
choice-quick-keys-ctrl-shift-space = Ctrl Shift 空格
choice-quick-keys-super-space = Super 空格
choice-quick-keys-ctrl-alt-i = Ctrl Alt I
choice-quick-keys-super-i = Super I

tray-show = 显示 Inkstone
tray-quick = 快速提问
tray-quit = 退出
tray-none = 这里没有托盘。
tray-none-about = 关闭窗口仍会退出 Inkstone。
