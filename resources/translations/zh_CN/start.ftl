# 程序怎样启动，系统又让它做什么。
model-drop = 松开即可打开 { $name }
model-drop-about = 文件留在原处
