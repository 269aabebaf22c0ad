# 关于本程序。
section-about = 关于
about-version = Inkstone
about-version-about = 私密、离线。自由软件，采用 Apache License 2.0。
about-folder = 你的数据
about-folder-about = 对话、设置和模型
about-open-folder = 打开文件夹
about-licences = 许可证
about-licences-about = Inkstone 所用的他人作品，全部列在这里
about-show-licences = 查看许可证…
about-qt = Qt
about-qt-about = 窗口由 Qt 和 PySide6 绘制，它们是采用 GNU 宽通用公共许可证第 3 版（LGPL）的自由软件，作为独立的库放在程序旁边：你可以换成自己编译的同一版本。源代码在 download.qt.io。两份许可证都在“许可证”里。
about-parts = 组成部分
about-text = 许可证全文
about-no-text = 这一部分没有附带许可证全文，可在上面的地址查看。
about-licence-below = 许可证见下文。
